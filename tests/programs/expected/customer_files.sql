create view large as select customer, id from orders where cents > 3500 order by customer, id;
create view keys as select customer from customers union select customer from complaints union select customer from large;
select 'file: ' || customer
       || ' [' || coalesce((select group_concat(name, ' ') from customers c where c.customer = k.customer), '') || ']'
       || ' [' || coalesce((select group_concat(id, ' ') from large l where l.customer = k.customer), '') || ']'
       || ' [' || coalesce((select group_concat(what, ' ') from (select * from complaints order by what) c
                            where c.customer = k.customer), '') || ']'
  from keys k;
select 'complaint: ' || c.customer || ' ' || count(x.what)
  from customers c left join complaints x on x.customer = c.customer group by c.customer;
