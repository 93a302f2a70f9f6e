select 'revenue: ' || region || ' ' || sum(cents) from orders where cents > 0 group by region;
