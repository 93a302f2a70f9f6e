create view sizes as
  select region, time / 300000 * 300000 as start, count(*) as n, sum(cents) as cents from orders group by 1, 2;
select 'sum: ' || region || ' ' || cents || ' [' || start || ',' || (start + 300000) || ')' from sizes;
with recursive full(region, start, n, size) as (
  select region, start, n, min(n, 3) from sizes
  union all select region, start, n - 3, min(n - 3, 3) from full where n > 3)
select 'sizes: ' || region || ' ' || size || ' [' || start || ',' || (start + 300000) || ')' from full;
select 'gauge threes limit = 3.000';
with recursive full(n, size) as (
  select n, min(n, 3) from sizes union all select n - 3, min(n - 3, 3) from full where n > 3)
select 'distribution threes sizes = ' || count(*) || ' values, sum ' || sum(size) || ', from ' || min(size) || ' to ' || max(size)
  from full;
