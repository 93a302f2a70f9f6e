# input: poem.txt
/despair/ { print "refused: " $0 " | words | no despair | 4"; next }
{ n = split($0, w, /[^A-Za-z']+/); for (i = 1; i <= n; i++) if (length(w[i]) > 5) count[w[i]]++ }
END { for (k in count) print "count: " k " " count[k] }
