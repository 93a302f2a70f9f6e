create view begun as
  select *, coalesce(time - lag(time) over (order by time) >= 5000, 1) as begins from orders;
create view numbered as select *, sum(begins) over (order by time, id) as session from begun;
select 'sum: ' || sum(cents) || ' [' || min(time) || ',' || (max(time) + 5000) || ')' from numbered group by session;
