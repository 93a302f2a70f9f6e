select 'cents: ' || customer || ' ' || sum(cents) || ' [' || start || ',' || (start + 300000) || ')'
  from (select *, time / 300000 * 300000 as start from orders) group by customer, start;
select 'counter first repeated = ' || (2 * count(*)) from orders;
