select 'revenue: ' || region || ' ' || sum(cents) || ' [' || start || ',' || (start + 60000) || ') @' || (start + 59999)
       || ' ON_TIME 0/0 F L'
  from (select *, time / 60000 * 60000 as start from orders) group by region, start;
