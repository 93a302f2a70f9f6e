# input: poem.txt
BEGIN { least = 1000 }
{
  n = split($0, w, /[^A-Za-z']+/)
  for (i = 1; i <= n; i++) {
    size = length(w[i])
    if (size == 0) continue
    letter[substr(w[i], 1, 1)]++
    words++; sum += size
    if (size < least) least = size
    if (size > greatest) greatest = size
    if (size > 9) print "long: " w[i]
  }
}
END {
  for (l in letter) print "letter: " l " " letter[l]
  print "counter table words = " words
  print "distribution table lengths = " words " values, sum " sum ", from " least " to " greatest
  print "gauge table limit = 9.000"
}
