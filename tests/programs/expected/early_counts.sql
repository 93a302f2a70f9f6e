select 'orders: ' || product || ' ' || count(*) || ' [' || start || ',' || (start + 300000) || ')'
  from (select *, time / 300000 * 300000 as start from orders) group by product, start;
