select 'total: ' || customer || ' ' || sum(cents) || ' [' || start || ',' || (start + 120000) || ')'
  from (select *, time / 120000 * 120000 as start from orders) group by customer, start;
select 'counter total elements = ' || count(*) from orders;
