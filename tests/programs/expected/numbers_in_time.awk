BEGIN {
  for (n = 0; n < 250; n++) count[int((n * 3 - 10 + 100) / 100) - 1]++
  for (w in count) {
    start = w * 100 + 10
    print "count: " count[w] " [" start "," start + 100 ") @" start + 99 " ON_TIME 0/0 F L"
  }
}
