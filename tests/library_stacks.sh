#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Has a program with libcairn the stacks that cairn bt prints: of a core, of a core that is cut, of a process?
# And does the profiler of docs/examples print them, in at most 60 lines of source?
#
#	library_stacks.sh CAIRN LIBRARY_STACKS PROFILER LIVE_THREADS LARGE_CORE
cairn=$1
stacks=$2
profiler=$3
threads=$4
large_core=$5
source=$(cd "$(dirname "$0")/.." && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/library.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0

fail() {
	echo "not as it should be: $1"
	failed=1
}

addresses() {
	grep -o '"pc":"0x[0-9a-f]*"'
}

# compare CORE: the pcs of all frames
compare() {
	"$stacks" "$1" >"$work/said" || fail "$1: $(tail -n 1 "$work/said")"
	"$cairn" bt --json - <"$1" 2>/dev/null | addresses >"$work/expected"
	addresses <"$work/said" | cmp - "$work/expected" || fail "$1: other frames than cairn bt"
}

"$large_core" deep sparse "$work/core" || exit 2
compare "$work/core"
[ -s "$work/expected" ] || fail "no frames at all"
grep -q '"tid":1000,.*"crashed":true,' "$work/said" || fail "the crashed thread is not marked"
grep -q '"tid":1001,.*"crashed":false,"stack_cut":true,' "$work/said" || fail "a stack that was cut is not marked"
# without the program the first caller is a guess
grep -q '"complete":false,"end":"outermost","why":"outermost frame"}$' "$work/said" || fail "no stack ends at its outermost frame"
grep -qx 'problems 0' "$work/said" || fail "problems in a good core"
# as a stream that somebody unpacks
sed 's/^{"core":"[^"]*"/{"core":"-"/' "$work/said" >"$work/of-file"
gzip -c "$work/core" | gzip -dc | "$stacks" - >"$work/said" || fail "a pipe: $(tail -n 1 "$work/said")"
cmp -s "$work/of-file" "$work/said" || fail "a pipe gives other stacks than the file"
gzip -c "$work/core" | "$stacks" - >"$work/said" && fail "what is packed is taken as a core"
head -c 1500 "$work/core" >"$work/cut"
compare "$work/cut"
grep -q '^problems [1-9]' "$work/said" || fail "a core that is cut has no problem"
echo 'not a core at all, but a text that is long enough for a header of one' >"$work/text"
"$stacks" "$work/text" >"$work/said" && fail "a text is taken as a core"
grep -q '^malformed: ' "$work/said" || fail "a text is not malformed: $(cat "$work/said")"
"$stacks" "$work/none" | grep -q "^unreadable: $work/none: cannot be opened: No such file" || fail "a file that is not there"

"$threads" 20 >"$work/ready" &
pid=$!
tries=0
until grep -q ready "$work/ready"; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { echo 'the program did not start'; exit 1; }
done
"$stacks" --pid $pid >"$work/said"
if grep -q 'cannot be traced' "$work/said"; then
	echo 'skipped: processes may not be traced here'
	exit 77
fi
[ "$(grep -c '"complete":true' "$work/said")" = 20 ] || fail "20 complete stacks of a process"
"$profiler" $pid 3 >"$work/folded" || fail "the profiler: $(tail -n 1 "$work/folded")"
[ "$(wc -l <"$work/folded")" = 60 ] || fail "three samples of 20 threads"
[ "$(grep -c '\(;use_stack[^;]*\)\{4\};wait_here;.* 1$' "$work/folded")" = 57 ] || fail "use_stack in each thread but one"
[ "$(grep -c ';main;' "$work/folded")" = 3 ] || fail "main in one thread"

# Functions that only the debug file of the C library names; those who have none have a test less.
id=$("$cairn" bt --list-modules --json --pid $pid | sed -n 's/.*libc\.so\.6","build_id":"\(..\)\([0-9a-f]*\)".*/\1\/\2/p' | head -n 1)
if [ -n "$id" ] && [ -f "/usr/lib/debug/.build-id/$id.debug" ]; then
	[ "$(grep -c '__libc_start_call_main;main;' "$work/folded")" = 3 ] || fail "names of a separate debug file"
else
	echo 'the C library has no debug file here'
fi
[ "$(wc -l <"$source/docs/examples/profiler.c")" -le 60 ] || fail "the example has more than 60 lines"
"$stacks" --pid 999999999 | grep -q '^not-found: ' || fail "a process that is not there"
exit $failed
