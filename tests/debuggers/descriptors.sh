#!/bin/sh
# SPDX-License-Identifier: MIT
# The descriptors of the command channel: numbers that somebody uses are left alone, without four
# free ones there are no commands but frames, and the program being debugged inherits none of them.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy bash

build sample.c sample -g -O1 -pthread
cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
shell ls -l /proc/\$PPID/fd | sed -n 's/.* \\([0-9]* -> .*\\)/gdb \\1/p'
END
cat >>"$tmp/script" <<'END'
pipe info inferiors | sed -n 's/.* process \([0-9]*\) .*/ls -l \/proc\/\1\/fd/p' | sh | sed -n 's/.* \([0-9]* -> .*\)/inferior \1/p'
bt 3
cairn bt 1
END

# session REDIRECTIONS: GDB started by a shell that has taken some numbers.
session() {
	echo 'kept' >"$tmp/taken"
	GDB=$GDB CAIRN_GDB=$CAIRN_GDB bash -c "exec $1 </dev/null; exec timeout 120 \"\$GDB\" -nx -q \
-batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
-x '$tmp/script' '$tmp/no/sample'" >"$tmp/out" 2>&1 || :
	[ "$(cat "$tmp/taken")" = kept ] || fail "$1: somebody's file was written to"
}

expect() {
	grep -q -- "$1" "$tmp/out" || {
		cat "$tmp/out"
		fail "no \"$1\" $2"
	}
}

# frames in any case; the channel's file at a number, and not in the program
check() {
	expect '^#2 .* recurse' "$1"
	expect '^inferior 1 -> ' "$1"
	if grep '^inferior .*/memfd:cairn\|^inferior .* -> /proc/[0-9]*/fd' "$tmp/out"; then fail "$1: the program has our descriptor"; fi
}

session ''
check 'nothing taken'
expect '^gdb 183 -> /memfd:cairn' 'nothing taken'
expect '^gdb 184 -> /memfd:cairn' 'nothing taken'
expect '^gdb 181 -> /proc/[0-9]*/fd' 'nothing taken'
! grep -q '^warning.*fd/181' "$tmp/out" || fail 'nothing taken: a warning'
expect '^gdb 182 -> /memfd:cairn' 'nothing taken'
expect '^#0   0x' 'nothing taken'

session "183<>$tmp/taken"
check '183 taken'
expect '^gdb 183 -> .*/taken' '183 taken'
expect '^gdb 174 -> /memfd:cairn' '183 taken'
expect '^#0   0x' '183 taken'

session "182<>$tmp/taken"
check '182 taken'
expect '^gdb 174 -> /memfd:cairn' '182 taken'
expect '^#0   0x' '182 taken'

# somebody's directory, or a file where the directory would be
for taken in "$tmp" "$tmp/taken"; do
	session "181<$taken"
	check '181 taken'
	expect "^gdb 181 -> $taken\$" '181 taken'
	expect '^gdb 174 -> /memfd:cairn' '181 taken'
	expect '^#0   0x' '181 taken'
done

session "184<>$tmp/taken 173<>$tmp/taken"
check '184 and 173 taken'
expect '^gdb 164 -> /memfd:cairn' '184 and 173 taken'
expect '^#0   0x' '184 and 173 taken'

session "183<>$tmp/taken 174<>$tmp/taken 163<>$tmp/taken"
check 'all above 64 taken'
expect '^gdb 54 -> /memfd:cairn' 'all above 64 taken'
expect '^#0   0x' 'all above 64 taken'

# free numbers that lie above the limit of the process are none
for limit in 184 183 170 64; do
	session "9<>$tmp/taken; ulimit -n $limit"
	check "ulimit -n $limit"
	expect '^#0   0x' "ulimit -n $limit"
done

session "183<>$tmp/taken 174<>$tmp/taken 163<>$tmp/taken 53<>$tmp/taken"
check 'all taken'
[ "$(grep -c '^cairn: ' "$tmp/out")" = 1 ] || fail 'all taken: not one message'
expect '^cairn: none of the descriptors .* are free together' 'all taken'
expect 'Undefined command: "cairn"' 'all taken'
echo 'descriptors are taken with care'
