#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What libcairn-jit costs: while nobody is there, the processor time of GDB and LLDB for each function when they are there from the
# start, and the time that they take to attach when 10,000 functions are there. Times of the program itself are taken away.
#
#	jit.sh BENCH_JIT

bench=$1
: "${GDB:=gdb}" "${LLDB:=lldb-19}"
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-bench-jit.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

echo 'nobody is there'
"$bench"

# run_gdb COUNT BATCH, run_lldb COUNT BATCH: processor time of the debugger into $work/time, the program's output into $work/said
run_gdb() {
	command time -o "$work/time" -f '%U %S' "$GDB" -nx -q -batch -ex run --args "$bench" "$@" >"$work/said" 2>&1 </dev/null
}

run_lldb() {
	command time -o "$work/time" -f '%U %S' "$LLDB" --no-lldbinit -b -o 'settings set plugin.jit-loader.gdb.enable on' \
		-o run -- "$bench" "$@" >"$work/said" 2>&1 </dev/null
}

# debugger_time NAME COUNT BATCH: seconds
debugger_time() {
	name=$1
	shift
	"run_$name" "$@"
	awk -v own="$(sed -n 's/.*processor time //p' "$work/said")" '{ print $1 + $2 - own }' "$work/time"
}

# table NAME BATCH COUNT...
table() {
	name=$1 batch=$2
	shift 2
	empty=$(debugger_time "$name" 0 1)
	for count; do
		debugger_time "$name" "$count" "$batch" | awk -v empty="$empty" -v name="$name" -v count="$count" -v batch="$batch" '{
			printf "%s, batches of %d, %d functions: %.1f us each\n", name, batch, count, ($1 - empty) / count * 1e6
		}'
	done
}

# run_gdb_stops COUNT, run_lldb_stops COUNT: the same, of a program that registers nothing and stops so often at a breakpoint that is ignored
run_gdb_stops() {
	command time -o "$work/time" -f '%U %S' "$GDB" -nx -q -batch -ex 'break stop_here' -ex 'ignore 1 1000000' -ex run \
		--args "$bench" "$1" 0 stops >"$work/said" 2>&1 </dev/null
}

run_lldb_stops() {
	command time -o "$work/time" -f '%U %S' "$LLDB" --no-lldbinit -b -o 'breakpoint set -n stop_here -i 1000000' -o run \
		-- "$bench" "$1" 0 stops >"$work/said" 2>&1 </dev/null
}

# What a debugger cannot do without at an event: two stops for each function that is registered alone, since objects are merged.
tell_stop() {
	empty=$(debugger_time "$1_stops" 0)
	debugger_time "$1_stops" 4000 | awk -v empty="$empty" -v name="$1" '{
		printf "%s, a stop that it ignores: %.1f us\n", name, ($1 - empty) / 4000 * 1e6
	}'
}

if command -v "$GDB" >/dev/null; then
	tell_stop gdb
	table gdb 1 1000 10000
	table gdb 64 16000 100000
fi
if command -v "$LLDB" >/dev/null; then
	tell_stop lldb
	table lldb 1 1000 4000
	table lldb 64 4000 16000
fi

# attach_gdb PID, attach_lldb PID: by the name of a function that is in the list; processor time into $work/time
attach_gdb() {
	command time -o "$work/time" -f '%U %S' "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -p "$1" -ex 'info symbol made_5000' -ex detach
}

attach_lldb() {
	command time -o "$work/time" -f '%U %S' "$LLDB" --no-lldbinit -b -o 'settings set plugin.jit-loader.gdb.enable on' -o "process attach -p $1" \
		-o 'image lookup -n made_5000' -o detach
}

# measure_attach NAME COUNT: seconds of processor time of the debugger, the smallest of three
measure_attach() {
	for _ in 1 2 3; do
		"$bench" "$2" 1 stay >"$work/ready" &
		pid=$!
		until [ -s "$work/ready" ]; do sleep 0.1; done
		"attach_$1" "$pid" >"$work/said" 2>&1 </dev/null
		kill "$pid"
		rm "$work/ready"
		[ "$2" = 1 ] || grep -q '^made_5000 in section\|1 match found' "$work/said" || echo "$1 does not know made_5000" >&2
		tail -n 1 "$work/time" | awk '{ print $1 + $2 }'
	done | sort -n | head -n 1
}

for name in gdb lldb; do
	case $name in
	gdb) command -v "$GDB" >/dev/null || continue ;;
	lldb) command -v "$LLDB" >/dev/null || continue ;;
	esac
	echo "$name attaches in $(measure_attach $name 10000) s with 10,000 functions, in $(measure_attach $name 1) s with one"
done
exit 0
