-- An order of a minute looks into the five minutes that contain it.
create view placed as select *, time / 60000 * 60000 as start, time / 300000 as wide from orders;
select 'dearest: ' || product || ' ' || (id + 1000) || ' [' || start || ',' || (start + 60000) || ')'
  from placed p where cents = (select max(cents) from placed a where a.wide = p.wide and a.product = p.product);
