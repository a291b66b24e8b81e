for size in 20 700 8000; do
	head -c $size dwarf/named | cairn gsym create - -o -
done
