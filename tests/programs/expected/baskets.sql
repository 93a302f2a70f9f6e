select 'basket: ' || product || ' [' || group_concat(id, ' ') || ']'
  from (select product, id from orders order by product, id) group by product;
select 'product: ' || product from orders group by product;
select 'sizes: ' || count(*) from orders;
