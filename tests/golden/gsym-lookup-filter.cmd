for filter in twin_b 'a$|_c' '^nothing$'; do
	cairn gsym lookup --gsymutil --merged-functions --merged-functions-filter "$filter" \
		../fuzz/corpus/gsym/merged-calls.v1.gsym 0x1000
done
echo '0x1000 ../fuzz/corpus/gsym/merged-calls.v1.gsym' |
	cairn gsym lookup --gsymutil --merged-functions --merged-functions-filter=no --merged-functions-filter=_a
cairn gsym lookup --gsymutil --merged-functions --merged-functions-filter='(' ../fuzz/corpus/gsym/merged-calls.v1.gsym 0x1000
cairn gsym lookup --gsymutil --merged-functions-filter=x ../fuzz/corpus/gsym/merged-calls.v1.gsym 0x1000
