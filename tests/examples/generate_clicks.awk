# Clicks as JSON lines, out of order by at most 20 minutes, the same each time: -v clicks=N.
function drawn(below) { state = (state * 1103 + 12345) % 1048573; return state % below }
BEGIN {
  state = 4711
  for (i = 0; i < clicks; i++) {
    at = 1200 + i * 2 - drawn(1200)
    user = "u" drawn(97)
    page = "/page/" drawn(7)
    printf "{\"time\":\"2026-01-01T%02d:%02d:%02d.000Z\",\"user\":\"%s\",\"page\":\"%s\"}\n", int(at / 3600), int(at / 60) % 60, at % 60, user, page
  }
}
