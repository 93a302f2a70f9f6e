-- What telemetry has to write, computed from its input alone. The table lines(number, line) holds the records in their
-- order; `devices` is how many devices are known. A record is dropped as too late if its minute had ended more than ten
-- minutes before the watermark, which is the greatest time of the records up to it less 30 s.

CREATE TABLE found AS
SELECT number, line, json_valid(line) AS is_json,
       CASE WHEN instr(line, '"time":"') > 0 THEN substr(line, instr(line, '"time":"') + 8, 24) END AS time
FROM lines;

CREATE TABLE timed AS
SELECT *, max(millis) OVER (ORDER BY number) - 30000 AS watermark
FROM (SELECT *, strftime('%s', substr(time, 1, 19)) * 1000 + substr(time, 21, 3) AS millis FROM found);

CREATE TABLE usable AS
SELECT number, line, json_extract(line, '$.device') AS device, json_extract(line, '$.region') AS region, millis,
       millis - millis % 60000 AS minute, watermark,
       CAST(round(json_extract(line, '$.celsius') * 100) AS INTEGER) AS hundredths
FROM timed
WHERE CASE WHEN is_json THEN json_type(line, '$.celsius') IN ('integer', 'real')
                             AND json_extract(line, '$.celsius') BETWEEN -90 AND 60
                             AND CAST(substr(json_extract(line, '$.device'), 3) AS INTEGER) < (SELECT count FROM devices)
           ELSE 0 END;

CREATE TABLE expected_letters AS
SELECT line AS payload FROM lines WHERE number NOT IN (SELECT number FROM usable);

CREATE TABLE late AS
SELECT number FROM usable WHERE minute + 60000 - 1 + 600000 < watermark;

CREATE TABLE readings AS
SELECT DISTINCT device, region, millis, minute, hundredths FROM usable WHERE number NOT IN (SELECT number FROM late);

CREATE TABLE expected_minutes AS
SELECT device, minute / 1000 AS minute, count(*) AS count, min(hundredths) / 100.0 AS min,
       sum(hundredths) * 1.0 / (100 * count(*)) AS mean, max(hundredths) / 100.0 AS max
FROM readings
GROUP BY device, minute;

CREATE TABLE expected_top_readings AS
SELECT region, minute, rank, device, celsius
FROM (SELECT region, minute / 1000 AS minute, device, hundredths / 100.0 AS celsius,
             row_number() OVER (PARTITION BY region, minute ORDER BY hundredths DESC, device, millis) AS rank
      FROM readings)
WHERE rank <= 10;
