select 'latest: ' || customer || ' ' || id from orders o
  where time = (select max(time) from orders x where x.customer = o.customer);
select 'last: ' || id from orders where time = (select max(time) from orders);
select 'of minutes: ' || id || ' [' || (time / 300000 * 300000) || ',' || (time / 300000 * 300000 + 300000) || ')'
  from orders o where time = (select max(time) from orders x where x.time / 300000 = o.time / 300000);
