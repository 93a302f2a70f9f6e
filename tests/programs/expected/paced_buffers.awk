BEGIN { for (n = 0; n < 60; n++) print "number: " n % 4 " " n " [" int(n / 20) * 20 "," int(n / 20) * 20 + 20 ")" }
