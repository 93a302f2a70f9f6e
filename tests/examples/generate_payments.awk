# Payments as JSON lines, out of order by at most 20 minutes, the same each time: -v payments=N. Cards rest now and then,
# many moments have several payments of a card, many payments are 60 minutes apart, and a few give money back.
function drawn(below) { state = (state * 1103 + 12345) % 1048573; return int(state / 7) % below }
BEGIN {
  state = 4711
  for (i = 0; i < payments; i++) {
    at = 1200000 + i * 4000 - drawn(1200) * 1000
    if (drawn(3) == 0) at -= at % 60000
    if (drawn(9) == 0) at += 250
    card = "c" drawn(1 + int(at / 3600000) * 3 % 11)
    cents = drawn(40) == 0 ? -drawn(30000) : 1 + drawn(5000)
    printf "{\"time\":\"2026-01-%02dT%02d:%02d:%02d.%03dZ\",\"card\":\"%s\",\"cents\":%d}\n", 1 + int(at / 86400000), int(at / 3600000) % 24, int(at / 60000) % 60, int(at / 1000) % 60, at % 1000, card, cents
  }
}
