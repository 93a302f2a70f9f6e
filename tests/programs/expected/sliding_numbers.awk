# A window begins at every s = 3 + 8 k and holds s <= n < s + 20.
BEGIN {
  for (s = 3 - 8 * 10; s < 60; s += 8)
    for (n = -40; n < 40; n++) {
      if (n < s || n >= s + 20) continue
      key = ((n % 3) + 3) % 3 " " s
      if (!(key in least)) least[key] = n
    }
  for (k in least) { split(k, of, " "); print "least: " of[1] " " least[k] " [" of[2] "," of[2] + 20 ")" }
}
