# input: readings.txt
function bad(why) { print "bad: " $0 " | parse | " why " | 4" }
!/ / { bad("no number"); next }
/^ / { bad("no name"); next }
!/ -?[0-9]+$/ { bad("not a number"); next }
{ value = $2 + 0 }
value < 0 { print "negative: " $1 " " value " | not negative | below zero | 4"; next }
value < 10 { next }
!($1 in max) || value > max[$1] { max[$1] = value }
!($1 in min) || value < min[$1] { min[$1] = value }
END { for (k in max) { print "max: " k " " max[k]; print "min: " k " " min[k] } }
