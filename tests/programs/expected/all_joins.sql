select 'inner: ' || customer || ' ' || name || ' ' || what from customers join complaints using (customer);
select 'left: ' || customer || ' ' || name || ' ' || coalesce(what, 'none') from customers left join complaints using (customer);
select 'right: ' || customer || ' ' || coalesce(name, 'none') || ' ' || what from complaints left join customers using (customer);
select 'full: ' || customer || ' ' || name || ' ' || coalesce(what, 'none') from customers left join complaints using (customer);
select 'full: ' || customer || ' none ' || what from complaints where customer not in (select customer from customers);
