BEGIN {
  for (n = 0; n < 60; n++) sum[n % 4 " " int(n / 20)] += n
  for (k = 0; k < 4; k++)
    for (w = 0; w < 3; w++) print "sum: " k " " sum[k " " w] " [" w * 20 "," w * 20 + 20 ")"
}
