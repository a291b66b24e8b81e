# SPDX-License-Identifier: MIT
# How times grow with the work: each figure at 1, 10 and 100 times the size, as rows of scripts/bench.sh. Sourced
# with what rows.sh needs. A row is a function grow_KIND that gets the size and leaves contenders.

growth_rows='grow:lookup grow:addresses grow:functions grow:lines grow:different grow:text grow:json grow:frames grow:traces grow:inlined'

# grow WHAT: a row of three sizes; the fourth, of no work, is what the start of the program costs
row_grow() {
	for size in 0 1 10 100; do
		begin
		"grow_$1" "$size" || return 1
		race "$(name_growth "$1")	$size" >"$work/grown" || return 1
		[ -z "$(cut -f 7 "$work/grown")" ] || lack "with $size times the work it fails" || return 1
		cut -f 1-5 "$work/grown"
	done
}

name_growth() {
	case $1 in
	lookup) echo 'gsym lookup: 2,000 addresses, times' ;;
	addresses) echo 'where: 2,000 addresses of DWARF, times' ;;
	functions) echo 'gsym create: 3,000 functions, times' ;;
	lines) echo 'gsym create: one function with 10,000 rows, times' ;;
	different) echo 'markup: 1,000 different frames, times' ;;
	text) echo 'markup: 3 MB of text, times' ;;
	json) echo 'markup --json: 3 MB of text, times' ;;
	frames) echo 'GDB: bt of 1,000 frames, times' ;;
	traces) echo 'cbf decode: 3,000 frames, times' ;;
	inlined) echo 'where: a function with 1,000 inlined calls, times' ;;
	esac
}

# first_lines COUNT FILE: in a file whose name is in $stdin
first_lines() {
	stdin=$work/first.$1
	head -n "$1" "$2" >"$stdin"
}

grow_lookup() {
	use_input cpp && list=$(address_list 200000) || return 1
	[ -s "$inputs/cpp.gsym" ] || "$cairn" gsym create --quiet "$input" -o "$inputs/cpp.gsym" || return 1
	first_lines $(($1 * 2000)) "$list"
	contender cairn "$cairn" gsym lookup --lines "$inputs/cpp.gsym"
}

grow_addresses() {
	use_input cpp && list=$(address_list 200000) || return 1
	first_lines $(($1 * 2000)) "$list"
	contender cairn "$cairn" where --no-cache "$input"
}

# generated NAME SIZE WORDS...: a program of growth_functions.awk with these variables, in $object
generated() {
	object=$inputs/growth.$1.$2
	shift 2
	[ ! -s "$object" ] || return 0
	have as ld || return 1
	awk "$@" -f "$root/tests/bench/growth_functions.awk" >"$work/generated.s"
	as "$work/generated.s" -o "$work/generated.o" && ld "$work/generated.o" -o "$object"
}

grow_functions() {
	generated functions "$1" -v count="$(($1 * 3000 + 1))" || return 1
	contender cairn "$cairn" gsym create --quiet -j 1 "$object" -o "$work/grown.gsym"
}

grow_lines() {
	generated lines "$1" -v count=1 -v rows="$(($1 * 10000 + 1))" || return 1
	contender cairn "$cairn" gsym create --quiet -j 1 "$object" -o "$work/grown.gsym"
}

# each address in turn, so that all of its calls are looked up
grow_inlined() {
	generated inlined "$1" -v count=1 -v inlined="$(($1 * 1000))" || return 1
	awk -v count="$(($1 * 1000))" 'BEGIN { for (i = 0; i < count; i++) printf "0x%x\n", 4198400 + i * 64 + 60 }' >"$work/in"
	stdin=$work/in
	contender cairn "$cairn" where --no-cache "$object"
}

grow_different() {
	use_input cpp && list=$(address_list 100000 each) && markup_log cpp || return 1
	first_lines $(($1 * 1000 + 2)) "$inputs/cpp.markup"
	contender cairn "$cairn" markup --debug-file-directory="$inputs/cpp.ids"
}

grow_text() {
	write_logs || return 1
	stdin=$work/text
	cat "$inputs/plain.log" "$inputs/plain.log" "$inputs/plain.log" "$inputs/plain.log" "$inputs/plain.log" "$inputs/plain.log" | head -c $(($1 * 3000000)) >"$stdin"
	contender cairn "$cairn" markup
}

grow_json() {
	grow_text "$1" || return 1
	begin
	stdin=$work/text
	contender cairn "$cairn" markup --json
}

grow_frames() {
	gdb_programs || return 1
	who=cairn
	depth=$(($1 * 1000))
	[ "$depth" -gt 0 ] || depth=1
	gdb_run "$inputs/frames.no" 110000 $depth -ex "jit-reader-load $build/plugin/gdb/cairn-gdb.so"
}

grow_traces() {
	awk -v count="$(($1 * 3000 + 1))" 'BEGIN { state = 1
		for (i = 0; i < count; i++) { state = state * 16807 % 2147483647; printf "r5555%08x\n", state } }' \
		>"$work/frames"
	"$cairn" cbf encode --to raw "$work/frames" >"$work/trace" || return 1
	contender cairn "$cairn" cbf decode "$work/trace"
}

print_growth() {
	awk -f "$root/tests/bench/growth.awk" "$work/results"
	[ -z "$write" ] || awk -v svg=1 -f "$root/tests/bench/growth.awk" "$work/results" >"$root/docs/performance/growth.svg"
}
