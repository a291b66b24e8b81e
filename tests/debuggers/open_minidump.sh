#!/bin/sh
# SPDX-License-Identifier: MIT
# A core is made a minidump, and that a core again: stock GDB, LLDB and cairn bt show the frames of the first core, thread by
# thread. LLDB shows them of the minidump, too.
#
#	open_minidump.sh FLAGS...
set -eu
export LC_ALL=C
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"

command -v "$GDB" >/dev/null || skip 'no GDB on this machine'
lldb=$(command -v lldb-19 || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
"$CC_TARGET" -g -pthread "$@" "$programs/stacks.c" -o "$work/stacks" || skip "the compiler cannot make it: $*"

# of programs a stack overflows soon
debug() (
	ulimit -s 256
	exec timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set pagination off' -ex 'set confirm off' "$@" </dev/null 2>&1
)
gdb_frames() {
	debug "$work/stacks" "$1" -ex 'thread apply all -q bt' | grep '^#'
}
# LLDB keeps its index of the debug information, and has it of the C library from the copies that GDB takes it from
lldb_frames() {
	timeout 120 "$lldb" -b --no-lldbinit ${DEBUG_FILES:+-O "settings set target.debug-file-search-paths $DEBUG_FILES.files"} \
		-O 'settings set symbols.enable-lldb-index-cache true' -O "settings set symbols.lldb-index-cache-path $work/index" -f "$work/stacks" -c "$1" -o 'bt all' 2>&1 | grep 'frame #' | sed 's/^[ *]*//'
}
cairn_frames() {
	"$CAIRN" bt ${DEBUG_FILES:+--debug-file-directory "$DEBUG_FILES.files"} "$1" | grep '^#'
}

# same WHAT FUNCTION FILE: FUNCTION shows of the file what it shows of the core
same() {
	$2 "$work/core" >"$work/expected" || :
	$2 "$3" >"$work/got" || :
	[ -s "$work/expected" ] || fail "$1: nothing is shown of the core"
	cmp -s "$work/expected" "$work/got" && return
	fail "$1: not the frames of the core"
	diff "$work/expected" "$work/got" | head -n 20
}

for name in inlined recurse overflow null signal altstack threads asserted vdso; do
	pass=
	case $name in signal | alt*) pass=yes ;; esac
	rm -f "$work/core" "$work/again"
	debug ${pass:+-ex 'handle SIGSEGV nostop noprint pass'} -ex "run $name" -ex "generate-core-file $work/core" \
		"$work/stacks" >"$work/said" || :
	[ -s "$work/core" ] || { fail "$name: no core: $(cat "$work/said")"; continue; }
	"$CAIRN" minidump --quiet -o "$work/dump" "$work/core" || fail "$name: exit status $?"
	"$CAIRN" open --quiet -o "$work/again" "$work/dump" || fail "$name: exit status $? of open"
	same "$name in GDB" gdb_frames "$work/again"
	same "$name in cairn" cairn_frames "$work/again"
	[ -n "$lldb" ] || continue
	same "$name in LLDB" lldb_frames "$work/again"
	[ $name != vdso ] || continue # LLDB reads no vDSO of a minidump
	same "$name as a minidump in LLDB" lldb_frames "$work/dump"
done

# Without -o a debugger is started, and nothing is left when it ends.
mkdir "$work/temporary"
TMPDIR=$work/temporary "$CAIRN" open --gdb --debugger="$GDB" "$work/dump" -- -nx -batch -ex 'print 40 + 2' -ex bt >"$work/said" 2>&1 ||
	fail "open: exit status $?"
grep -q '^\$1 = 42' "$work/said" && grep -q '^#0 ' "$work/said" || fail "open: $(cat "$work/said")"
[ -z "$(ls "$work/temporary")" ] || fail "open: $(ls "$work/temporary") is left"
TMPDIR=$work/temporary "$CAIRN" open --debugger=/none "$work/dump" >"$work/said" 2>&1 && fail 'a debugger that is not there is no error'
grep -q 'cannot start it: No such file or directory' "$work/said" || fail "no debugger: $(cat "$work/said")"
[ -z "$(ls "$work/temporary")" ] || fail "no debugger: $(ls "$work/temporary") is left"

# A minidump that is cut gives what is there, or says why there is nothing.
size=$(wc -c <"$work/dump")
cut=0
while [ $cut -lt "$size" ]; do
	head -c $cut "$work/dump" >"$work/part"
	status=0
	(ulimit -t 10 && exec "$CAIRN" open --quiet -o "$work/of-part" "$work/part") >"$work/said" 2>&1 || status=$?
	case $status in
	1 | 3) [ -s "$work/said" ] || fail "cut at $cut: nothing is said" ;;
	*) fail "cut at $cut: exit status $status: $(cat "$work/said")" ;;
	esac
	cut=$((cut + size / 13 + 1))
done
exit $failed
