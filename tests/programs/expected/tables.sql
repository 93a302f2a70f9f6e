create table orders(id integer, time integer, customer text, region text, product text, cents integer);
create table customers(customer text, name text, country text);
create table complaints(customer text, what text);
create table rates(region text, percent integer);
