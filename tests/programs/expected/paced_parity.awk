BEGIN {
  for (n = 0; n < 40; n++) if (n % 2) odd += n; else print "even: " n
  print "odd: " odd
}
