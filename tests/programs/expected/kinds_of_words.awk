# input: poem.txt
{
  n = split($0, w, /[^A-Za-z']+/)
  for (i = 1; i <= n; i++) {
    if (w[i] == "") continue
    if (w[i] ~ /^[A-Z]/) { print "capital: " w[i] " " length(w[i]); notable[w[i]]++ }
    else if (length(w[i]) >= 6) notable[w[i]]++
    else letters += length(w[i])
  }
}
END { print "letters: " letters; for (k in notable) print "notable: " k " " notable[k] }
