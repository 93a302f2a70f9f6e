-- The alerts that the payments of the table `lines` give, as JSON lines; `limits` has the limit.
WITH payments AS (
  SELECT json_extract(line, '$.card') AS card, json_extract(line, '$.cents') AS cents,
         CAST(strftime('%s', substr(json_extract(line, '$.time'), 1, 19)) AS INTEGER) * 1000
           + CAST(substr(json_extract(line, '$.time'), 21, 3) AS INTEGER) AS at
  FROM lines
),
moments AS (
  SELECT card, at, cents FROM payments
  UNION ALL SELECT card, at + 3600000, 0 FROM payments
),
rolling AS (
  SELECT DISTINCT card, at,
         sum(cents) OVER (PARTITION BY card ORDER BY at RANGE BETWEEN 3599999 PRECEDING AND CURRENT ROW) AS spent
  FROM moments
),
steps AS (
  SELECT card, at, spent, lag(spent, 1, 0) OVER (PARTITION BY card ORDER BY at) AS before FROM rolling
)
SELECT printf('{"time":"%s.%03dZ","card":"%s","cents":%d}',
              strftime('%Y-%m-%dT%H:%M:%S', at / 1000, 'unixepoch'), at % 1000, card, spent)
FROM steps, limits
WHERE spent > cents_most AND before <= cents_most
ORDER BY 1;
