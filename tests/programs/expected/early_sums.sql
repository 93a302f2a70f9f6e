select 'cents: ' || customer || ' ' || sum(cents) from orders group by customer;
