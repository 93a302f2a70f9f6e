-- Batches of seven, and one of what is left.
create view counts as select region, count(*) as n from orders group by region;
create view sevens as with recursive i(region, at, n) as (select region, 0, n from counts union all select region, at + 7, n from i where at + 7 < n)
  select region, min(7, n - at) as size from i;
select 'size: ' || region || ' ' || size from sevens;
select 'sharded: ' || region || ' ' || n from counts;
