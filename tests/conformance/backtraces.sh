#!/bin/sh
# SPDX-License-Identifier: MIT
# The frames that GDB with the module must show: backtraces.sh DIR.
#
# For each line of DIR/backtraces.tsv the program, and where it exists the program without call
# frame information, is run to where the line says, and its backtrace compared.  Programs of other
# machines run under an emulator with gdb-multiarch.  What is missing on this machine is named.
set -u
LC_ALL=C
export LC_ALL
: "${CAIRN_BUILD:?}" "${GDB:=gdb}"
module=$CAIRN_BUILD/plugin/gdb/cairn-gdb.so
tab=$(printf '\t')

# debugger PROGRAM ARGUMENTS...: GDB in batch mode, silent about everything else
debugger() {
	program=$1
	shift
	timeout 60 "$gdb" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set print demangle off' \
		-ex 'set print asm-demangle off' -ex "jit-reader-load $module" "$@" \
		"$program" </dev/null 2>&1
}

# The backtraces of program $1 for the lines in $2, each with its argument and where it stops, to $3.1, $3.2 and so on.
backtraces() {
	case $1 in
	*/x86_64-*) native_backtraces "$@" ;;
	*) emulated_backtraces "$@" ;;
	esac
}

# One GDB runs the program for each line.
native_backtraces() {
	program=$1 lines=$2 out=$3
	gdb=$GDB
	set -- -ex 'handle SIGUSR1 nostop noprint pass'
	count=0
	while IFS=$tab read -r _ argument where _; do
		count=$((count + 1))
		[ "$argument" != - ] || argument=
		set -- "$@" -ex "echo \\n=== $count\\n" -ex delete
		[ "$where" = SIGSEGV ] || set -- "$@" -ex "break $where"
		set -- "$@" -ex "run $argument" -ex bt -ex kill
	done <"$lines"
	debugger "$program" -ex 'set confirm off' "$@" |
		awk -v out="$out" '/^=== / { file = out "." $2; next } file { print >file }'
}

# An emulator and a GDB for each line.
emulated_backtraces() {
	gdb=gdb-multiarch
	socket=$work/$$.socket
	count=0
	while IFS=$tab read -r _ argument where _; do
		count=$((count + 1))
		[ "$argument" != - ] || argument=
		stop="break $where"
		[ "$where" != SIGSEGV ] || stop='handle SIGUSR1 nostop noprint pass'
		# shellcheck disable=SC2086 # no argument is no word
		"qemu-$(machine "$1")" -g "$socket" "$1" $argument >/dev/null 2>&1 </dev/null &
		emulator=$!
		tries=0
		until [ -S "$socket" ] || [ $tries -gt 100 ]; do
			sleep 0.05
			tries=$((tries + 1))
		done
		debugger "$1" -ex "target remote $socket" -ex 'handle all nostop noprint pass' \
			-ex "$stop" -ex continue -ex bt -ex kill >"$3.$count"
		kill $emulator 2>/dev/null
		rm -f "$socket"
	done <"$2"
}

machine() {
	name=$(basename "$1")
	echo "${name%%-*}"
}

# Names of the frames of a backtrace, innermost first.
names() {
	sed -n -e 's/^#[0-9]* *//' -e 't keep' -e d -e ': keep' \
		-e 's/^0x0\{16\} in .*/0x0/' -e 's/^0x[0-9a-f]* in //' \
		-e 's/^<signal handler called>.*/<signal>/' -e 's/ (.*//' -e p
}

# All lines of one FILE: FILE, ARGUMENT, STOP, FRAMES.
one() {
	file=$1
	own=$work/$$
	mkdir "$own"
	awk -F '\t' -v file="$file" '$1 == file' "$work/lines" >"$own/lines"
	for program in "$folder/$file" "$folder/$file.noeh"; do
		if [ ! -f "$program" ] && [ -f "$program.xz" ]; then
			unpacked=$own/$(basename "$program")
			xz -dc "$program.xz" >"$unpacked"
			chmod +x "$unpacked"
			program=$unpacked
		fi
		[ -f "$program" ] || continue
		rm -f "$own"/out.*
		backtraces "$program" "$own/lines" "$own/out"
		judge "${program#"$folder"/}"
	done
}

# judge PROGRAM: its backtraces against the frames of the lines
judge() {
	number=0
	while IFS=$tab read -r _ argument _ frames; do
		number=$((number + 1))
		: >>"$own/out.$number"
		names <"$own/out.$number" >"$own/names"
		awk -v frames="$frames" -v name="$1 $argument" -f "$(dirname "$0")/backtraces.awk" "$own/names"
	done <"$own/lines"
}

if [ "$1" = --one ]; then
	folder=$2 work=$3
	one "$4"
	exit 0
fi

folder=$1
if ! command -v "$GDB" >/dev/null || [ ! -f "$module" ]; then
	echo "backtraces.tsv skipped: no $GDB, or no module $module"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/backtraces.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
native=$(uname -m)

# Lines that this machine can run.
grep -v '^#' "$folder/backtraces.tsv" | while IFS= read -r line; do
	file=${line%%"$tab"*}
	kind=$(machine "$file")
	if [ "$kind" = x86_64 ] && [ "$native" = x86_64 ]; then
		echo "$line"
	elif [ "$kind" != x86_64 ] && command -v "qemu-$kind" >/dev/null &&
		command -v gdb-multiarch >/dev/null; then
		echo "$line"
	else
		echo "$file" >>"$work/skipped"
	fi
done >"$work/lines"
cut -f 1 "$work/lines" | sort -u | xargs -d '\n' -n 1 -P "$(nproc)" sh "$0" --one "$folder" "$work"
[ -f "$work/skipped" ] &&
	echo "backtraces.tsv: $(wc -l <"$work/skipped") lines skipped: no emulator or no gdb-multiarch"
exit 0
