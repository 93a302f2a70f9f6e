select 'cheap: ' || product || ' ' || count(*) from orders where cents < 1000 group by product;
select 'middle: ' || count(*) from orders where cents >= 1000 and cents < 4000;
select 'dear: ' || product || '=' || id from orders where cents >= 4000;
-- The first run of letters from a to e in each name, cut by hand.
create table letters(customer text, found text);
insert into letters values ('ada', 'ada'), ('ben', 'be'), ('cleo', 'c'), ('dan', 'da'), ('eve', 'e'), ('fay', 'a');
select 'letters: ' || found || ' ' || count(*) from orders join letters using (customer) where cents < 1000 group by found;
