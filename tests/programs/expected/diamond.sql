create view weighed as
  select *, 2 + (cents >= 4000) + (cents < 500) as weight from orders;
select 'weight: ' || product || ' ' || sum(weight) from weighed group by product;
select 'regions: ' || region || ' ' || count(*) from orders where cents >= 4000 or cents < 500 group by region;
