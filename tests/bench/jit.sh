#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What libcairn-jit costs: while nobody is there, and the processor time of GDB and LLDB for each function when they are there from the
# start. Times of the program itself are taken away.
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

if command -v "$GDB" >/dev/null; then
	table gdb 1 1000 10000
	table gdb 64 16000 100000
fi
if command -v "$LLDB" >/dev/null; then
	table lldb 1 1000 4000
	table lldb 64 4000 16000
fi
exit 0
