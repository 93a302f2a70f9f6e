select 'revenue: ' || region || ' ' || sum(cents) || ' [' || (time / 120000 * 120000) || ',' || (time / 120000 * 120000 + 120000) || ')'
  from orders group by region, time / 120000;
select 'orders: ' || count(*) || ' [' || (time / 120000 * 120000) || ',' || (time / 120000 * 120000 + 120000) || ')'
  from orders group by time / 120000;
select 'mean: ' || printf('%.3f', avg(cents)) from orders;
