# Who left, of lines "user time" in the order of users and times of one day; -v patience=SECONDS.
function seconds(time,  hms) { split(substr(time, 12, 12), hms, ":"); return hms[1] * 3600 + hms[2] * 60 + hms[3] }
function left() { if (clicks) printf "{\"user\":\"%s\",\"last_click\":\"%s\",\"clicks\":%d}\n", user, last, clicks; clicks = 0 }
{
  if ($1 != user || seconds($2) - seconds(last) >= patience) left()
  user = $1; last = $2; clicks++
}
END { left() }
