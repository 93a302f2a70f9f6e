create view placed as
  select *, time / 60000 * 60000 as start from orders union all select *, time / 60000 * 60000 - 60000 as start from orders;
select 'mean: ' || region || ' ' || printf('%.3f', avg(cents)) || ' [' || start || ',' || (start + 120000) || ')'
  from placed group by region, start;
select 'count: ' || count(*) || ' [' || start || ',' || (start + 120000) || ')' from placed group by start;
