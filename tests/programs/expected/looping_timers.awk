BEGIN { for (n = 1; n <= 5; n++) { print "tick: one " n; print "tick: two " n; print "tick: three " n } }
