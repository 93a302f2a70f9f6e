create view counted as select time / 60000 as minute, region, count(*) as n from orders group by 1, 2;
create view ranked as select *, row_number() over (partition by minute order by n desc, region desc) as rank from counted;
select 'busiest: ' || region || ' ' || count(*) || ' [0,600000)' from ranked where rank = 1 group by region;
