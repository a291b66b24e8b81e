out=$(mktemp)
cairn symbols write --machine amd64 -q gsym/prog.gsym -o "$out" && od -An -tx1 -v "$out" | head -n 16
cairn symbols write --machine amd64 gsym/prog.gsym -o - | wc -c
cairn symbols write --for gsym/prog gsym/prog.gsym -q -o - | cmp - "$out" && echo the same
rm -f "$out"
