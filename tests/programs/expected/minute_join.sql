create view revenue as
  select region, product, time / 120000 * 120000 as start, sum(cents) as cents from orders group by 1, 2, 3;
create view keys as select distinct product, start from revenue where region in ('eu', 'us');
select 'joined: ' || product
       || ' [' || coalesce((select cents from revenue r where r.region = 'eu' and r.product = k.product and r.start = k.start), '')
       || '] [' || coalesce((select cents from revenue r where r.region = 'us' and r.product = k.product and r.start = k.start), '')
       || '] [' || start || ',' || (start + 120000) || ')'
  from keys k;
