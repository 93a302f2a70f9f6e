select 'customers: ' || product || ' ' || count(distinct customer) from orders group by product;
select 'products: ' || count(distinct product) from orders;
select 'pairs: ' || customer || ' ' || count(*) from orders group by customer;
