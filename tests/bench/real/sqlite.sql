-- Statements of many kinds, for programs.sh: what sqlite runs while its registers are compared.
create table t(a integer primary key, b text, c real);
insert into t(b, c) with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
	select hex(i * 7919), i * 1.5 from n;
create index i on t(b);
select count(*), sum(c), group_concat(b) from t where b like '%3%' group by a % 5 order by 2 desc;
update t set c = c * 2 where a in (select a from t where b > '4');
select json_group_array(b) from t;
delete from t where a % 3 = 0;
vacuum;
explain query plan select * from t a join t b on a.b = b.b;
