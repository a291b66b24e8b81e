#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Debuggers attach to a program that adds and removes functions as fast as it can.  Each time they stop a few times below a function that is there: it
# has the name that it has now, with its line; nothing is lost, and nobody complains.
#
#	race.sh RACE TIMES gdb|lldb

program=$1 times=$2 debugger=$3
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/start.sh"
: "${GDB:=gdb}" "${LLDB:=lldb-19}"
stops=5
case $debugger in
gdb) tool=$GDB ;;
lldb) tool=$LLDB ;;
esac
command -v "$tool" >/dev/null || skip "no $tool"
[ "$(uname -m)" = x86_64 ] || skip 'the functions are those of amd64'

# attach_gdb, attach_lldb: what is said at $stops stops into $work/said
attach_gdb() {
	set --
	for _ in $(seq $stops); do set -- "$@" -ex continue -ex 'bt 2'; done
	timeout 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set width 0' -p "$pid" -ex 'break check' "$@" -ex 'delete' -ex detach \
		>"$work/said" 2>&1 </dev/null
}

attach_lldb() {
	set --
	for _ in $(seq $stops); do set -- "$@" -o continue -o 'bt 2'; done
	timeout 100 "$LLDB" --no-lldbinit -b -o 'settings set plugin.jit-loader.gdb.enable on' -o "process attach -p $pid" \
		-o 'breakpoint set -n check' "$@" -o 'breakpoint delete -f' -o detach >"$work/said" 2>&1 </dev/null
}

# At each stop the number is that of the caller's name, whose line is 12.
count_stops() {
	tr '\n' ' ' <"$work/said" | grep -oE 'check \(number=[0-9]+\)|check\(number=[0-9]+\)|[ `]made_[0-9]+ ?(\(\))? at (/made/)?up\.js:12' |
		awk '/check/ { gsub(/[^0-9]/, ""); number = $0; next }
		{ match($0, /made_[0-9]+/); if (number != "" && substr($0, RSTART + 5, RLENGTH - 5) == number) good++; number = "" }
		END { print good + 0 }'
}

start "$program"
lost=0 errors=0
for i in $(seq "$times"); do
	"attach_$debugger"
	! grep -qi 'ptrace.*not permitted\|could not attach\|attach failed' "$work/said" || {
		kill "$pid"
		skip 'processes may not be traced here'
	}
	good=$(count_stops)
	[ "$good" -eq $stops ] || {
		lost=$((lost + stops - good))
		tail -n 40 "$work/said"
	}
	! grep -iE 'error:|warning:|unable|corrupt|internal-error|cannot|malformed|ignoring it' "$work/said" || errors=$((errors + 1))
	kill -0 "$pid" 2>/dev/null || {
		fail "the program ended in attach $i"
		break
	}
done
kill "$pid" 2>/dev/null
echo "$debugger: $times attaches, $((times * stops)) stops: $lost without the function's name, $errors attaches with complaints"
[ $((lost + errors)) -eq 0 ] || failed=1
exit "$failed"
