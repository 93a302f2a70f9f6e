create view ranked as
  select region, cents || ' ' || id as amount, row_number() over (partition by region order by cents desc, id desc) as rank
  from orders;
select 'top: ' || region || ' [' || group_concat(amount, ' ') || ']'
  from (select * from ranked where rank <= 3 order by region, rank) group by region;
select 'winner: ' || cents || ' ' || id from (select cents, id from orders order by cents desc, id desc limit 1);
select 'all: [' || group_concat(cents || ' ' || id, ' ') || ']' from (select cents, id from orders order by cents, id limit 5);
