select 'count: ' || region || ' ' || count(*) from orders group by region
union all select 'min: ' || region || ' ' || min(cents) from orders group by region
union all select 'max: ' || region || ' ' || max(cents) from orders group by region
union all select 'mean: ' || region || ' ' || printf('%.3f', avg(cents)) from orders group by region;
