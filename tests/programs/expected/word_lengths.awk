# input: poem.txt
{
  n = split(tolower($0), w, /[^a-z']+/)
  for (i = 1; i <= n; i++) {
    size = length(w[i])
    if (size == 0) continue
    seen++
    kind = size < 3 ? "short" : "other"
    if (kind == "short") count[w[i]]++
    number[kind]++; sum[kind] += size
  }
}
END {
  for (k in count) print "short: " k " " count[k]
  print "other: " number["other"]
  for (k in number) printf "mean: %s %.3f\n", k, sum[k] / number[k]
  print "counter sort seen = " seen
}
