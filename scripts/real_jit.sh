# SPDX-License-Identifier: MIT
# Stacks through the code of a real JIT compiler, as it is and with the lines that it needs for libcairn-jit: sourced by luajit.sh and pcre2.sh.
#
# DIR and BUILD are their arguments. They set for show_stacks(): the function at which to stop (`stop`), what the code is called and
# which line it has, as expressions (`made`, and `line`, which may be empty).
set -eu
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${BUILD:-$top/build}" && pwd)
mkdir -p "$DIR"
folder=$(cd "$DIR" && pwd)
. "$top/scripts/root.sh"
: "${GDB:=gdb}" "${LLDB:=lldb-19}"
for tool in gcc make dpkg-source "$GDB" "$LLDB" perf; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
failed=0

# fetch PACKAGE: its source, in the directory
fetch() {
	fetch_source "$folder" "$1" || {
		tail -n 3 "$folder/fetch.log"
		echo 'skipped: the source package cannot be had'
		exit 77
	}
}

# has WORDS FILE: "yes" or "no"
has() {
	if [ -z "$1" ] || grep -qE "$1" "$2"; then echo yes; else echo no; fi
}

# show WHICH TOOL FILE: the lines of the stack that say something, and whether the code, its line and main are in it
show() {
	grep -E '^ *(\* )?(#[0-9]+ |frame #[0-9]+)|^[[:space:]]+[0-9a-f]+ ' "$3" >"$3.stack" || :
	grep -v 'kernel.kallsyms' "$3.stack" | head -n 8 | cut -c1-110 | sed 's/^/    /'
	lines=$line
	[ "$2" != perf ] || lines= # it has none in its script
	found="$(has "$made" "$3.stack") $(has "$lines" "$3.stack") $(has '[ `]main\b' "$3.stack")"
	echo "$1, $2: the code has its name, its line, and the stack reaches main: $found"
	[ "$1" = before ] || [ "$found" = 'yes yes yes' ] || failed=1
}

# start COMMAND...: a process that is in compiled code, its number in `pid`
start() {
	"$@" >"$folder/ready" &
	pid=$!
	until [ -s "$folder/ready" ]; do sleep 0.1; done
	sleep 0.5
	rm "$folder/ready"
}

# show_stacks WHICH COUNT PROGRAM ARGUMENT...: in all tools; with COUNT as the last argument the program ends after some seconds
show_stacks() {
	which=$1 count=$2
	shift 2
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex 'break main' -ex run -ex "break $stop" -ex 'ignore 2 500' \
		-ex continue -ex bt -ex "generate-core-file $folder/core" -ex kill --args "$@" >"$folder/gdb" 2>&1 </dev/null || :
	show "$which" GDB "$folder/gdb"
	"$build/core/cli/cairn" bt "$folder/core" >"$folder/core.bt" 2>&1 || :
	show "$which" 'cairn bt of a core' "$folder/core.bt"
	start "$@"
	"$LLDB" --no-lldbinit -b -o 'settings set plugin.jit-loader.gdb.enable on' -o "process attach -p $pid" -o "breakpoint set -n $stop" -o continue -o bt \
		-o 'breakpoint delete -f' -o detach >"$folder/lldb" 2>&1 </dev/null || :
	show "$which" LLDB "$folder/lldb"
	"$build/core/cli/cairn" bt --pid $pid >"$folder/bt" 2>&1 || :
	show "$which" 'cairn bt of a process' "$folder/bt"
	kill $pid
	(cd "$folder" && CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY=$folder perf record -N -q -k 1 -e cpu-clock -F 200 --call-graph dwarf,4096 -o perf.data \
		"$@" "$count" >perf.said 2>&1 && perf inject --jit -i perf.data -o perf.jit >>perf.said 2>&1 &&
		perf script -i perf.jit >perf.all 2>>perf.said) || :
	# one stack in which the function was called
	awk -v stop="$stop" 'BEGIN { RS = "" } $0 ~ stop { print; exit }' "$folder/perf.all" >"$folder/perf.stack"
	show "$which" perf "$folder/perf.stack"
}
