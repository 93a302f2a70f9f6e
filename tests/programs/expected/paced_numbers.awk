BEGIN {
  for (n = 0; n < 60; n++) sum[n % 3 " " int(n * 10 / 200)] += n
  for (k in sum) { split(k, of, " "); print "sum: " of[1] " " sum[k] " [" of[2] * 200 "," of[2] * 200 + 200 ")" }
}
