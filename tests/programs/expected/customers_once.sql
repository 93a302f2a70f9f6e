select distinct 'exact: ' || customer from orders;
select distinct 'bloom: ' || customer from orders;
select 'waited: ' || customer || ' ' || count(*) from orders group by customer;
