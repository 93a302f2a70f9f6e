# Sessions of the lines of a dpkg.log in the order of their times; -v gap=SECONDS.
function days(y, m, d) {  # since 1970-01-01
  if (m <= 2) { y--; m += 12 }
  return 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + d - 719469
}
function seconds(date, time,  ymd, hms) {
  split(date, ymd, "-"); split(time, hms, ":")
  return days(ymd[1] + 0, ymd[2] + 0, ymd[3] + 0) * 86400 + hms[1] * 3600 + hms[2] * 60 + hms[3]
}
function close_session() {
  if (actions) printf "{\"start\":\"%s\",\"end\":\"%s\",\"packages\":%d,\"actions\":%d}\n", start, end, packages, actions
  split("", seen); packages = actions = 0
}
$1 !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/ || $3 !~ /^(install|upgrade|configure|trigproc|remove|purge)$/ { next }
{
  now = seconds($1, $2)
  if (actions && now - last >= gap) close_session()
  if (!actions) start = $1 "T" $2 ".000Z"
  end = $1 "T" $2 ".000Z"; last = now; actions++
  if (!($4 in seen)) { seen[$4] = 1; packages++ }
}
END { close_session() }
