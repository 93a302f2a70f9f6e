create view placed as
  select *, time / 120000 * 120000 as start from orders
  union all select *, time / 120000 * 120000 - 120000 as start from orders;
select 'ids: ' || region || ' [' || group_concat(id, ' ') || '] [' || start || ',' || (start + 240000) || ')'
  from (select * from placed order by region, start, id) group by region, start;
