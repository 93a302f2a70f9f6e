-- A session begins where the order before is 30 s ago or more: touching windows do not merge.
create view begun as
  select *, coalesce(time - lag(time) over (partition by customer order by time) >= 30000, 1) as begins from orders;
create view numbered as
  select *, sum(begins) over (partition by customer order by time, id) as session from begun order by customer, id;
select 'visit: ' || customer || ' [' || group_concat(id, ' ') || '] [' || min(time) || ',' || (max(time) + 30000) || ')'
  from (select * from numbered order by customer, id) group by customer, session;
select 'size: ' || customer || ' ' || count(*) || ' [' || min(time) || ',' || (max(time) + 30000) || ')'
  from numbered group by customer, session;
