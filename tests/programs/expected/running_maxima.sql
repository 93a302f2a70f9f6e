select 'max: ' || region || ' ' || max(cents) || ' [' || start || ',' || (start + 120000) || ')'
  from (select *, time / 120000 * 120000 as start from orders) group by region, start;
