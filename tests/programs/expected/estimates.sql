-- Samples of the sketches are larger than what they count, so that they are exact. The median is the one of rank
-- (n - 1) / 2, rounded down.
select 'customers: ' || product || ' ' || count(distinct customer) from orders group by product;
select 'products: ' || count(distinct product) from orders;
create view ranked as select region, cents, row_number() over (partition by region order by cents) - 1 as rank,
                             count(*) over (partition by region) as n from orders;
select 'cents: ' || region || ' [' || (select min(cents) from ranked x where x.region = r.region) || ' ' || cents || ' '
       || (select max(cents) from ranked x where x.region = r.region) || ']' from ranked r where rank = (n - 1) / 2;
select 'sample: 10';
select distinct 'regions: ' || region from orders;
