select 'euros: ' || region || ' ' || sum(cents * percent) from orders join rates using (region) group by region;
select 'near the top: ' || id from orders where cents * 4 >= (select max(cents) from orders) * 3;
