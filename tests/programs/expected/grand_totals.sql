select 'sum: ' || sum(cents) from orders
union all select 'count: ' || count(*) from orders
union all select 'min: ' || min(cents) from orders
union all select 'max: ' || max(cents) from orders
union all select 'mean: ' || printf('%.3f', avg(cents)) from orders
union all select 'top: [' || group_concat(cents, ' ') || ']' from (select cents from orders order by cents desc limit 4);
