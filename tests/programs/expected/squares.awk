BEGIN {
  for (n = 2; n <= 300; n += 2) {
    square = n * n; sum += square; count++
    text = square ""
    for (i = 1; i <= length(text); i++) digit[substr(text, i, 1)]++
  }
  printf "sum: %d\nmean: %.3f\n", sum, sum / count
  for (d in digit) print "digits: " d " " digit[d]
}
