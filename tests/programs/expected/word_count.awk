# input: poem.txt
{ n = split($0, w, /[^A-Za-z']+/); for (i = 1; i <= n; i++) if (w[i] != "") count[w[i]]++ }
END { for (k in count) print "count: " k " " count[k] }
