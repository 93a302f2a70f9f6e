create view counted as select customer, count(*) as n from orders group by customer;
select 'taken: 1 ' || count(*) from counted where n >= 1;
select 'taken: 2 ' || count(*) from counted where n >= 2;
select 'taken: 3 ' || count(*) from counted where n >= 3;
select 'refused: ' || customer || ' limit: three are enough ' || (n - 3) from counted where n > 3;
