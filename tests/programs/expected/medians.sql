select 'median: ' || customer || ' ' || cents from (
  select customer, cents, row_number() over (partition by customer order by cents) as rank,
         count(*) over (partition by customer) as size from orders)
  where rank = (size - 1) / 2 + 1;
select 'overall: ' || cents from (
  select cents, row_number() over (order by cents) as rank, count(*) over () as size from orders)
  where rank = (size - 1) / 2 + 1;
