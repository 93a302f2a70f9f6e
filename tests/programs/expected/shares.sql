create view placed as select *, time / 120000 * 120000 as start from orders;
select 'share: ' || product || ' ' || count(*) || ' of ' || (select count(*) from placed a where a.start = p.start)
       || ' [' || start || ',' || (start + 120000) || ')'
  from placed p group by product, start;
select 'part: ' || id || ' [' || start || ',' || (start + 120000) || ')'
  from placed p
  where cents * 3 > (select sum(cents) from placed a where a.start = p.start and a.region = p.region);
