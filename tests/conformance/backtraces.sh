#!/bin/sh
# SPDX-License-Identifier: MIT
# The frames that GDB with the module must show: backtraces.sh FOLDER.
#
# For each line of FOLDER/backtraces.tsv the program, and where it exists the program without call
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

# The backtrace of program $1 with argument $2, stopped in $3.
backtrace() {
	argument=$2
	[ "$argument" = - ] && argument=
	stop="break $3"
	[ "$3" = SIGSEGV ] && stop='handle SIGUSR1 nostop noprint pass'
	case $1 in
	*/x86_64-*)
		gdb=$GDB
		debugger "$1" -ex "$stop" -ex 'handle SIGUSR1 nostop noprint pass' \
			-ex "run $argument" -ex bt
		;;
	*)
		gdb=gdb-multiarch
		socket=$work/$$.socket
		# shellcheck disable=SC2086 # no argument is no word
		"qemu-$(machine "$1")" -g "$socket" "$1" $argument >/dev/null 2>&1 &
		emulator=$!
		tries=0
		until [ -S "$socket" ] || [ $tries -gt 100 ]; do
			sleep 0.05
			tries=$((tries + 1))
		done
		debugger "$1" -ex "target remote $socket" -ex 'handle all nostop noprint pass' \
			-ex "$stop" -ex continue -ex bt -ex kill
		kill $emulator 2>/dev/null
		rm -f "$socket"
		;;
	esac
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

# One line: FILE, ARGUMENT, STOP, FRAMES.
one() {
	line=$1
	file=$(echo "$line" | cut -f 1)
	argument=$(echo "$line" | cut -f 2)
	where=$(echo "$line" | cut -f 3)
	frames=$(echo "$line" | cut -f 4)
	for program in "$folder/$file" "$folder/$file.noeh"; do
		if [ ! -f "$program" ] && [ -f "$program.xz" ]; then
			mkdir -p "$work/$$"
			unpacked=$work/$$/$(basename "$program")
			xz -dc "$program.xz" >"$unpacked"
			chmod +x "$unpacked"
			program=$unpacked
		fi
		[ -f "$program" ] || continue
		backtrace "$program" "$argument" "$where" >"$work/$$.out"
		names <"$work/$$.out" >"$work/$$.names"
		awk -v frames="$frames" -v name="${program#"$folder"/} $argument" \
			-f "$(dirname "$0")/backtraces.awk" "$work/$$.names"
	done
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
xargs -d '\n' -n 1 -P "$(nproc)" sh "$0" --one "$folder" "$work" <"$work/lines"
[ -f "$work/skipped" ] &&
	echo "backtraces.tsv: $(wc -l <"$work/skipped") lines skipped: no emulator or no gdb-multiarch"
exit 0
