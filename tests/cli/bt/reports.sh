#!/bin/sh
# SPDX-License-Identifier: MIT
# A report in JSON is printed as the text of its core: reports.sh CAIRN ODD_CORE...
# `cairn bt --json` of each core and minidump, and a report as `cairn crash` writes it; threads that are chosen; colours.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
fixtures=$(cd "$2" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export XDG_CACHE_HOME="$work/cache"
unset NO_COLOR DEBUGINFOD_URLS
sh "$fixtures/bt/core.sh" >core || exit 2

compared=0
for input in core "$fixtures"/minidump/*.dmp; do
	for options in '' '-n 1' --crashed; do
		# shellcheck disable=SC2086 # words
		"$cairn" bt $options "$input" >text 2>/dev/null
		"$cairn" bt --json "$input" >report.json 2>/dev/null
		# shellcheck disable=SC2086
		"$cairn" bt $options report.json >printed 2>errors
		cmp -s text printed || fail "$input $options: $(diff text printed)"
		[ ! -s errors ] || fail "$input $options: $(cat errors)"
		compared=$((compared + 1))
	done
done
[ $compared -ge 12 ] || fail "only $compared were compared"

# as `cairn crash` has it: one object, with the threads in it, also when somebody made it pretty
"$cairn" bt --json core >report.json
{
	printf '{"crash_report":1,"cairn":"0.2.0","pid":1234,\n"signal":"SIGSEGV","threads":['
	paste -s -d , report.json
	printf '],"complete":false}\n'
} >crash.json
"$cairn" bt core >text 2>/dev/null
"$cairn" bt crash.json >printed
status=$?
[ $status = 1 ] || fail "crash.json: exit status $status, although a stack is not whole"
cmp -s text printed || fail "crash.json: $(diff text printed)"
"$cairn" bt - <crash.json | cmp -s text - || fail 'from standard input'
"$cairn" bt --json crash.json | cmp -s report.json - || fail '--json of a report'

# threads, by number and by ID, of the core and of its report
for input in core crash.json; do
	for thread in 2 1235; do
		"$cairn" bt --thread $thread $input >printed 2>/dev/null
		[ "$(grep '^Thread' printed)" = 'Thread 2 (LWP 1235):' ] || fail "--thread $thread $input: $(cat printed)"
	done
	"$cairn" bt --thread 77 $input >printed 2>errors
	[ $? = 1 ] || fail "--thread 77 $input: exit status"
	grep -q "^cairn: $input: no thread 77 (number of threads: 2); select a thread by number or ID (LWP)\$" errors || fail "--thread 77: $(cat errors)"
	[ "$(wc -l <errors)" = 1 ] || fail "more is said: $(cat errors)"
	[ "$("$cairn" bt --crashed --all $input 2>/dev/null | grep -c '^Thread')" = 2 ] || fail "--all $input"
done

# colours: where they are wanted, and nowhere else
escape=$(printf '\033')
plain() {
	sed "s/$escape\[[0-9]*m//g"
}
for input in core crash.json; do
	"$cairn" bt --color always $input 2>/dev/null >colored
	grep -q "${escape}\[34m0x0000000000400205${escape}\[m in ?? () from ${escape}\[32m/opt/server${escape}\[m+0x205" colored || fail "$input: no colours"
	plain <colored | cmp -s text - || fail "$input: colours change the text"
	"$cairn" bt $input 2>/dev/null | grep -q "$escape" && fail "$input: colours in a pipe"
	"$cairn" bt --color never $input 2>/dev/null | grep -q "$escape" && fail "$input: colours although there are to be none"
done
library=$fixtures/minidump/amd64.dmp
"$cairn" bt --color always "$library" 2>/dev/null | grep -q "^${escape}\[2m#.*/lib/libx.so.*${escape}\[m\$" || fail 'a frame of a library is not dimmed'
if command -v script >/dev/null; then
	on_terminal() {
		TERM=$1 NO_COLOR=$2 script -qec "$cairn bt core 2>/dev/null" /dev/null </dev/null | grep -c "$escape\[34m"
	}
	[ "$(on_terminal xterm '')" -gt 2 ] || fail 'no colours on a terminal'
	[ "$(on_terminal dumb '')" = 0 ] || fail 'colours on a dumb terminal'
	[ "$(on_terminal xterm 1)" = 0 ] || fail 'colours although NO_COLOR is set'
fi

# what is no report, or asks for what a report does not have
rejected() {
	wanted=$1 status=$2
	shift 2
	"$cairn" bt "$@" >printed 2>errors </dev/null
	found=$?
	[ $found = "$status" ] || fail "bt $*: exit status $found"
	grep -q -e "$wanted" errors || fail "bt $*: $(cat errors)"
}
echo '{"a":1}' >other.json
echo '{"a":1' >cut.json
rejected "contains no stacks; expected a report of 'cairn crash', 'cairn bt --json' or Swift" 3 other.json
rejected "cut.json: the text ends inside a JSON value at byte 7 (0x7); expected a report of 'cairn crash'" 3 cut.json
for option in --folded --markup --dedup --explain --registers --list-modules --tasks; do
	rejected "crash.json: $option is not supported for JSON reports; use the core instead" 2 $option crash.json
done
rejected '--color must be auto, always or never' 2 --color blue core
exit $failed
