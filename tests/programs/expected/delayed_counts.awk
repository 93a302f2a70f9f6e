BEGIN {
  for (n = 0; n < 90; n++) count[n % 2 " " int(n / 30)]++
  for (k in count) { split(k, of, " "); print "count: " of[1] " " count[k] " [" of[2] * 30 "," of[2] * 30 + 30 ")" }
}
