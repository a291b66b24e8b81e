# SPDX-License-Identifier: MIT
# The rows of scripts/bench.sh: what is measured, and beside whom. Sourced, with $cairn, $build, $inputs,
# $timed and $many set (the addresses of a row). A row is a function row_KIND that gets the name of an input; it ends with `race TITLE`.

quick_rows='start
	where:self where:cpp many:self many:cpp many:cpp4 many:clang many:rust
	markup:self markup:cpp markup:zlib
	create:self create:cpp create:cpp4 create:clang create:split create:zlib create:zstd create:dwz create:rust
	symbfile:self symbfile:cpp symbfile:rust
	lookup:self lookup:cpp
	log:plain log:mixed log:different log:json log:long
	stacks wide gdb_start gdb_stack gdb_both gdb_threads memory'
full_rows="$quick_rows log:distinct gdb_symbols
	$(for input in osd osd_plain mon mon_plain python valgrind libc sqlite sass go; do
		echo "where:$input many:$input markup:$input create:$input symbfile:$input lookup:$input"
	done)"

# What is to be compared next: `contender NAME COMMAND...`, each with $stdin as its standard input.
begin() {
	many_text=$(echo "$many" | sed 's/...$/,&/')
	rm -rf "$work/race"
	mkdir "$work/race"
	contenders=0
	stdin=/dev/null
	touched=0
	fewer=
	by_clock=
}

contender() {
	command -v "$2" >/dev/null || { absent="$absent $1"; return 0; }
	contenders=$((contenders + 1))
	place=$work/race/$(printf %02d $contenders)
	echo "$1" >"$place.name"
	echo "$stdin" >"$place.stdin"
	shift
	printf '%s\n' "$@" >"$place.command"
}

# run_once PLACE STDIN: appends what timed prints; words of commands have no newlines
run_once() {
	old=$IFS
	IFS='
'
	set -f
	# shellcheck disable=SC2046 # one word each line
	set -- "$1" "$2" $(cat "$1.command")
	set +f
	IFS=$old
	place=$1 from=$2
	shift 2
	# where the clock counts, nobody waits until the file of the turn before is on the disk
	[ ! "$by_clock" ] || rm -f "$work"/*.gsym
	"$timed" "$limit" "$from" "$@" >>"$place.times"
}

# A peer that is too slow gets a tenth of the addresses, once more a tenth, and then no turn.
shorten() {
	lines=$(wc -l <"$2")
	[ "$lines" -ge 10 ] || return 1
	head -n $((lines / 10)) "$2" >"$1.fewer.new" && mv "$1.fewer.new" "$1.fewer"
	rm "$1.times"
}

run_contender() {
	place=$1
	from=$(cat "$place.stdin")
	[ ! -f "$place.fewer" ] || from=$place.fewer
	! grep -qs ' 124$' "$place.times" || return 0
	run_once "$place" "$from"
	while grep -q ' 124$' "$place.times" && [ "$from" != /dev/null ] && shorten "$place" "$from"; do
		from=$place.fewer
		run_once "$place" "$from"
	done
}

# race TITLE: everybody in turns; what is kept is the best processor time and the highest peak of memory
race() {
	title=$1
	for round in $(seq "$rounds"); do
		for name in "$work/race"/*.name; do
			# what takes long is measured less often
			[ "$round" -le 2 ] || ! awk '$3 > 8e6 { found = 1 } END { exit !found }' "${name%.name}.times" ||
				continue
			run_contender "${name%.name}"
		done
	done
	for name in "$work/race"/*.name; do
		place=${name%.name}
		note=
		[ ! -f "$place.fewer" ] || note=$(wc -l <"$place.fewer")/$(wc -l <"$(cat "$place.stdin")")
		awk -v title="$title" -v name="$(cat "$name")" -v touched="$touched" -v fewer="$note" -v column="${by_clock:+3}" '
			BEGIN { column = column ? column : 1 }
			$4 == 124 { ended = 1 }
			$4 != 0 && $4 != 1 && $4 != 124 { failed = $4 }
			!n++ || $column < least { least = $column }
			$2 > most { most = $2 }
			END { printf "%s\t%s\t%d\t%d\t%.0f\t%s\n", title, name, least, most, touched,
				failed ? "status " failed : ended ? "ended after " limit " s" : fewer }' limit="$limit" "$place.times"
	done
}

row_start() {
	begin
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >"$work/empty.c"
	cc -O2 "$work/empty.c" -o "$work/empty" -Wl,--no-as-needed -ldw -lelf -lz -lzstd -llzma || lack 'no libdw' || return 1
	contender cairn "$cairn" --version
	contender 'empty program with dw, elf, z, zstd, lzma' "$work/empty"
	contender llvm-symbolizer llvm-symbolizer-19 --version
	contender eu-addr2line eu-addr2line --version
	contender addr2line addr2line --version
	race 'start of the command'
}

row_where() {
	use_input "$1" && list=$(address_list 19000) || return 1
	begin
	address=$(sed -n 100p "$list")
	contender cairn "$cairn" where --no-cache "$input" "$address"
	contender llvm-symbolizer llvm-symbolizer-19 --inlines --obj="$input" "$address"
	contender eu-addr2line eu-addr2line -f -i -e "$input" "$address"
	contender addr2line addr2line -f -i -e "$input" "$address"
	contender lldb lldb-19 --no-lldbinit -b -o "target create $input" -o "image lookup -v -a $address"
	contender gdb gdb -nx -batch -iex 'set debuginfod enabled off' -ex "info line *$address" "$input"
	race "the first address: $(describe "$1")"
}

row_many() {
	use_input "$1" && list=$(address_list "$many") || return 1
	begin
	touched=$(debug_bytes "$input")
	stdin=$list
	contender cairn "$cairn" where --no-cache "$input"
	contender llvm-symbolizer llvm-symbolizer-19 --inlines --obj="$input"
	contender eu-addr2line eu-addr2line -f -i -e "$input"
	contender addr2line addr2line -f -i -e "$input"
	race "$many_text addresses: $(describe "$1")"
}

# A log whose module is the input, with an address in each line, and a directory of build IDs for it.
markup_log() {
	id=$(readelf -n "$input" 2>/dev/null | awk '/Build ID/ { print $3 }')
	[ -n "$id" ] || lack 'no build ID' || return 1
	folder=$inputs/$1.ids/.build-id/$(echo "$id" | cut -c1-2)
	mkdir -p "$folder"
	ln -sf "$(readlink -f "$input")" "$folder/$(echo "$id" | cut -c3-).debug"
	{
		echo "{{{module:0:program:elf:$id}}}"
		echo "{{{mmap:0x7f0000000000:0x20000000:load:0:rx:0x0}}}"
		sed 's/^0x//' "$list" | awk '{ printf "{{{bt:%d:0x7f%s:pc}}}\n", NR % 20, substr("0000000000" $1, length($1) + 1) }'
	} >"$inputs/$1.markup"
}

row_markup() {
	use_input "$1" && list=$(address_list "$many") && markup_log "$1" || return 1
	begin
	touched=$(debug_bytes "$input")
	stdin=$inputs/$1.markup
	contender cairn "$cairn" markup --debug-file-directory="$inputs/$1.ids"
	contender llvm-symbolizer llvm-symbolizer-19 --filter-markup --debug-file-directory="$inputs/$1.ids"
	race "markup from DWARF, $many_text addresses: $(describe "$1")"
}

row_create() {
	use_input "$1" || return 1
	begin
	touched=$(debug_bytes "$input")
	contender cairn "$cairn" gsym create --quiet -j 1 "$input" -o "$work/ours.gsym"
	contender llvm-gsymutil llvm-gsymutil-19 --convert="$input" --out-file="$work/theirs.gsym" --num-threads=1 --quiet
	race "gsym create: $(describe "$1")"
}

row_symbfile() {
	use_input "$1" || return 1
	begin
	touched=$(debug_bytes "$input")
	contender cairn "$cairn" symbfile create --quiet -j 1 "$input" -o "$work/symbfile"
	contender 'llvm-gsymutil (GSYM)' llvm-gsymutil-19 --convert="$input" --out-file="$work/theirs.gsym" --num-threads=1 --quiet
	race "symbfile create: $(describe "$1")"
}

row_lookup() {
	use_input "$1" && list=$(address_list 200000) || return 1
	begin
	gsym=$inputs/$1.gsym
	[ -s "$gsym" ] || "$cairn" gsym create --quiet "$input" -o "$gsym" || return 1
	stdin=$list
	contender cairn "$cairn" gsym lookup --lines "$gsym"
	sed "s|\$| $gsym|" "$list" >"$inputs/$1.asked"
	stdin=$inputs/$1.asked
	contender 'cairn --gsymutil' "$cairn" gsym lookup --gsymutil
	contender llvm-gsymutil llvm-gsymutil-19 --addresses-from-stdin
	race "gsym lookup, 200,000 addresses: $(describe "$1")"
}

# As many addresses as the log has frames, of a program with more code: no two are the same.
write_distinct_log() {
	[ ! -s "$inputs/distinct.log" ] || return 0
	use_input many_functions && list=$(address_list 200000) && markup_log many_functions || return 1
	awk -f "$root/tests/bench/logs.awk" -v kind=different "$inputs/many_functions.markup" >"$inputs/distinct.log"
}

# Logs of 50 MB; the frames are addresses of cairn itself.
write_logs() {
	[ ! -s "$inputs/json.log" ] || return 0
	use_input self && list=$(address_list 19000) && markup_log self || return 1
	awk -f "$root/tests/bench/logs.awk" -v kind=plain "$inputs/self.markup" >"$inputs/plain.log"
	awk -f "$root/tests/bench/logs.awk" -v kind=mixed "$inputs/self.markup" >"$inputs/mixed.log"
	awk -f "$root/tests/bench/logs.awk" -v kind=different "$inputs/self.markup" >"$inputs/different.log"
	tr '\n' ' ' <"$inputs/plain.log" >"$inputs/long.log"
	ln -sf plain.log "$inputs/json.log"
}

row_log() {
	write_logs && { [ "$1" != distinct ] || write_distinct_log; } || return 1
	use_input self && list=$(address_list 19000) && markup_log self || return 1
	begin
	stdin=$inputs/$1.log
	touched=$(wc -c <"$stdin")
	json= ids=$inputs/self.ids
	[ "$1" != json ] || json=--json
	[ "$1" != distinct ] || ids=$inputs/many_functions.ids
	contender cairn "$cairn" markup $json --debug-file-directory="$ids"
	[ "$1" = json ] && contender 'cairn, text' "$cairn" markup --debug-file-directory="$ids"
	contender llvm-symbolizer llvm-symbolizer-19 --filter-markup --debug-file-directory="$ids"
	contender 'grep, which finds nothing' grep -c 'no such text'
	case $1 in
	plain) race '50 MB of log without markup' ;;
	mixed) race '50 MB of log, frames in 1 % of the lines' ;;
	different) race '50 MB of log, frames in 20 % of the lines' ;;
	distinct) race '50 MB of log, frames in 20 % of the lines, all different' ;;
	json) race '50 MB of log without markup, as JSON' ;;
	long) race '50 MB of log in one line' ;;
	esac
}

row_stacks() {
	have gdb || return 1
	if [ ! -s "$inputs/stacks.core" ]; then
		gcc -g -O1 -fno-optimize-sibling-calls -pthread "$root/tests/fixtures/programs/stacks.c" -o "$inputs/stacks"
		gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'run deep' \
			-ex "generate-core-file $inputs/stacks.core" "$inputs/stacks" </dev/null >/dev/null 2>&1
		[ -s "$inputs/stacks.core" ] || lack 'gdb writes no core' || return 1
	fi
	begin
	contender cairn "$cairn" bt "$inputs/stacks.core"
	contender 'cairn --json' "$cairn" bt --json "$inputs/stacks.core"
	contender gdb gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set print frame-arguments none' -ex 'thread apply all bt' "$inputs/stacks" "$inputs/stacks.core"
	contender eu-stack eu-stack -n 0 -i -s --core "$inputs/stacks.core" -e "$inputs/stacks"
	contender lldb lldb-19 --no-lldbinit -b -o 'bt all' -c "$inputs/stacks.core" "$inputs/stacks"
	race 'the core of 9 threads with 2,000 frames each'
}

# A program of C++ of 800 functions in eight modules, which 40 threads call in orders of their own: $inputs/wide and its core
make_wide() {
	[ ! -s "$inputs/wide.core" ] || return 0
	have gdb g++ awk || return 1
	wide=$inputs/wide.src
	mkdir -p "$wide"
	libraries=
	for part in 0 1 2 3 4 5 6 7; do
		awk -v part=$part -v parts=8 -v functions=800 -v threads=40 -v depth=270 \
			-f "$root/tests/bench/wide_core.awk" >"$wide/part$part.cpp"
		[ $part -gt 0 ] || continue
		g++ -g -O2 -fPIC -shared "$wide/part$part.cpp" -o "$wide/libpart$part.so" || return 1
		libraries="$libraries $wide/libpart$part.so"
	done
	# shellcheck disable=SC2086 # a list of files
	g++ -g -O2 -rdynamic "$wide/part0.cpp" -Wl,--no-as-needed $libraries -Wl,-rpath,"$wide" -pthread -o "$inputs/wide" ||
		return 1
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex run -ex "generate-core-file $inputs/wide.core" \
		"$inputs/wide" </dev/null >/dev/null 2>&1
	[ -s "$inputs/wide.core" ] || lack 'gdb writes no core'
}

row_wide() {
	make_wide || return 1
	begin
	contender cairn "$cairn" bt "$inputs/wide.core"
	contender 'cairn --json' "$cairn" bt --json "$inputs/wide.core"
	contender gdb gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set print frame-arguments none' -ex 'thread apply all bt' "$inputs/wide" "$inputs/wide.core"
	contender eu-stack eu-stack -n 0 -i -s --core "$inputs/wide.core" -e "$inputs/wide"
	race 'a core of 40 threads with 270 frames of 800 functions'
}

row_gdb_start() {
	have gdb && [ -f "$build/scripts/cairn.gdb" ] || lack 'no GDB module' || return 1
	begin
	contender 'GDB with cairn' gdb -nx -q -batch -ex "source $build/scripts/cairn.gdb"
	contender 'GDB, the module alone' gdb -nx -q -batch -ex "jit-reader-load $build/plugin/gdb/cairn-gdb.so"
	contender GDB gdb -nx -q -batch
	race 'GDB: source cairn.gdb'
}

# A stack of 10,000 frames: of a program with .sframe alone, and of the same with .eh_frame
gdb_programs() {
	[ ! -s "$inputs/frames.no" ] || return 0
	have gdb objcopy awk || return 1
	mkdir -p "$inputs/frames.src"
	awk -v functions=400 -v files=4 -v directory="$inputs/frames.src" -f "$root/tests/debuggers/thousands.awk"
	g++ -O1 -fno-exceptions -fno-rtti -Wa,--gsframe "$inputs/frames.src"/*.cpp -o "$inputs/frames.eh" 2>/dev/null ||
		lack 'the assembler does not know --gsframe' || return 1
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$inputs/frames.eh" "$inputs/frames.no"
}

# gdb_run PROGRAM DEPTH FRAMES [OPTIONS...]: in a stack of DEPTH frames, FRAMES of them printed
gdb_run() {
	program=$1 depth=$2 frames=$3
	shift 3
	set -- gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set confirm off' "$@" -ex "break stop_here" -ex "run $depth" -ex "bt $frames" -ex kill "$program"
	contender "$who" "$@"
}

row_gdb_stack() {
	gdb_programs || return 1
	begin
	who='cairn, .sframe alone'
	gdb_run "$inputs/frames.no" 10000 20000 -ex "jit-reader-load $build/plugin/gdb/cairn-gdb.so"
	who='GDB, .eh_frame'
	gdb_run "$inputs/frames.eh" 10000 20000
	who='GDB, one frame'
	gdb_run "$inputs/frames.eh" 10000 1
	race 'GDB: a stack of 10,000 frames'
}

# Both tables: GDB's own unwinder stays in charge
row_gdb_both() {
	gdb_programs || return 1
	begin
	who='cairn, both tables'
	gdb_run "$inputs/frames.eh" 10000 20000 -ex "jit-reader-load $build/plugin/gdb/cairn-gdb.so"
	who='GDB, .eh_frame'
	gdb_run "$inputs/frames.eh" 10000 20000
	race 'GDB: a stack of 10,000 frames that both tables cover'
}

# 1,000 threads of 20 frames each: of a program with .sframe alone, and of the same with .eh_frame
row_gdb_threads() {
	have gdb objcopy || return 1
	if [ ! -s "$inputs/threads.no" ]; then
		gcc -O1 -fno-optimize-sibling-calls -Wa,--gsframe -pthread "$root/tests/bench/thread_stacks.c" \
			-o "$inputs/threads.eh" 2>/dev/null || lack 'the assembler does not know --gsframe' || return 1
		objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$inputs/threads.eh" "$inputs/threads.no"
	fi
	begin
	set -- gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set confirm off' -ex 'set print thread-events off'
	stop='break stop_here' run='run 1000 20' all='thread apply all -q bt'
	contender 'cairn, .sframe alone' "$@" -ex "jit-reader-load $build/plugin/gdb/cairn-gdb.so" \
		-ex "$stop" -ex "$run" -ex "$all" -ex kill "$inputs/threads.no"
	contender 'GDB, .eh_frame' "$@" -ex "$stop" -ex "$run" -ex "$all" -ex kill "$inputs/threads.eh"
	contender 'GDB, no stacks' "$@" -ex "$stop" -ex "$run" -ex kill "$inputs/threads.eh"
	usual=$limit limit=60 # GDB takes its time with so many threads
	race 'GDB: the stacks of 1,000 threads'
	limit=$usual
}

# The symbols of 32,000 functions, from GSYM and from DWARF, in a process that has begun
row_gdb_symbols() {
	[ -f "$build/scripts/cairn.gdb" ] || lack 'no GDB module' || return 1
	have gdb objcopy && use_input many_functions || return 1
	if [ ! -s "$input.no.gsym" ]; then
		objcopy -S "$input" "$input.no"
		"$cairn" gsym create --quiet --statements "$input" -o "$input.no.gsym" || return 1
	fi
	begin
	set -- gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set confirm off'
	start='starti 40' source="source $build/scripts/cairn.gdb"
	contender 'cairn symbols load' "$@" -ex "$source" -ex "$start" -ex 'cairn symbols load' -ex kill "$input.no"
	contender 'the same without symbols' "$@" -ex "$source" -ex "$start" -ex 'cairn status' -ex kill "$input.no"
	contender 'GDB, DWARF' "$@" -ex "$start" -ex kill "$input"
	contender 'GDB without symbols' "$@" -ex "$start" -ex kill "$input.no"
	race 'GDB: symbols of 32,000 functions'
}

# Programs of the benchmarks print nanoseconds themselves: their lines as they are.
row_memory() {
	ninja -C "$build" tests/bench/bench_sframe tests/bench/bench_unwind tests/bench/own-sources.so >/dev/null ||
		lack 'the benchmarks do not compile' || return 1
	{
		"$build/tests/bench/bench_sframe" "$build/tests/bench/own-sources.so"
		"$build/tests/bench/bench_unwind" "$build/tests/bench/own-sources.so"
	} >"$results/memory.text"
	printf 'lookups and frames in memory\ttext\t0\t0\t0\tmemory.text\n'
}

# What is printed at the end, from $work/results
print_quick() {
	awk -v bandwidth="$bandwidth" -f "$root/tests/bench/tables.awk" "$work/results"
	[ ! -s "$results/memory.text" ] || {
		printf '\n```\n'
		cat "$results/memory.text"
		printf '```\n'
	}
}

print_full() {
	print_quick
}
