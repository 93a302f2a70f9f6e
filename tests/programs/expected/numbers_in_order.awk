BEGIN { for (n = 0; n < 3000; n++) print "number: " n % 10 " " n + 3000 " [0,3600000)" }
