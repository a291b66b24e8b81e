for other in unsorted bad-rows-back bad-inline-cut no-such-file; do
	cairn gsym diff ../fuzz/corpus/gsym/first.v1le.gsym ../fuzz/corpus/gsym/$other.gsym
	echo "exit status $?"
done
cairn gsym diff ../fuzz/corpus/gsym/unsorted.gsym gsym/prog.c
echo "exit status $?"
cairn gsym diff ../fuzz/corpus/gsym/first.v1le.gsym gsym/prog.c
echo "exit status $?"
cairn gsym diff gsym/prog.gsym
echo "exit status $?"
cairn gsym diff -j 0 gsym/prog.gsym gsym/prog.gsym
