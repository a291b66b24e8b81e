printf '0x100a ../fuzz/corpus/gsym/first.v1le.gsym\n0x1028 ../fuzz/corpus/gsym/holes.gsym\n0x100a ../fuzz/corpus/gsym/nocall.gsym\n' |
	cairn gsym lookup --gsymutil
echo '0x1000 ../fuzz/corpus/gsym/merged-calls.v1.gsym' | cairn gsym lookup --gsymutil --merged-functions
echo 'x ../fuzz/corpus/gsym/first.v1le.gsym' | cairn gsym lookup --gsymutil
echo '0x1000 ../fuzz/corpus/gsym/missing.gsym' | cairn gsym lookup --gsymutil
