#!/bin/sh
# SPDX-License-Identifier: MIT
#
# LLDB, at every instruction of code that libcairn-jit has registered: the caller's pc and the registers that it keeps are what they were at the
# function's entry. It is told of each function.
#
#	rules_lldb.sh RULES

program=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/test.sh"
. "$here/start.sh"
: "${LLDB:=lldb-19}"
command -v "$LLDB" >/dev/null || skip "no $LLDB"
[ "$(uname -m)" = x86_64 ] || skip 'registers are those of amd64'

{
	echo 'settings set plugin.jit-loader.gdb.enable on'
	echo 'settings set stop-disassembly-display never'
	echo 'settings set stop-line-count-before 0'
	echo 'settings set stop-line-count-after 0'
	echo 'breakpoint set -n ready'
	echo 'run'
	for i in 0 1 2 3 4 5; do echo "breakpoint set -a '(unsigned long)made[$i]'"; done
	echo continue
	i=0
	while [ "$i" -lt 520 ]; do
		echo 'thread backtrace -c 2'
		echo 'frame select 1'
		echo 'register read rip rbx rbp r12 r13 r14 r15'
		echo 'frame select 0'
		echo 'thread step-inst'
		i=$((i + 1))
	done
	echo kill
} >"$work/commands"
"$LLDB" --no-lldbinit -b -s "$work/commands" "$program" >"$work/said" 2>&1 </dev/null

awk '
# what is called from made code is stepped through, too
/^\(lldb\) thread backtrace/ { inside = 1; name = ""; registers = ""; next }
inside && /frame #0: / { callee = /`callee/; name = match($0, /`made_[a-z]*/) ? substr($0, RSTART + 1, RLENGTH - 1) : ""; next }
/^\(lldb\) register read/ { reading = 1; next }
reading && / = 0x/ { registers = registers " " $1 $3; next }
/^\(lldb\) frame select 0/ {
	reading = inside = 0
	if (name == "") { if (!callee) before = ""; next }
	if (before == "") { hits++; expected = registers }
	count++
	if (registers != expected || registers == "") { wrong++; print "WRONG in " name ":" registers ", not" expected }
	before = name
}
END { print wrong + 0 " wrong of " count " in " hits }' "$work/said" >"$work/result"
grep -q '^0 wrong of 137 in 12$' "$work/result" || {
	tail -n 20 "$work/result"
	fail 'a caller is wrong'
}
for name in leaf pointer fixed shim region aligned pushed; do
	grep -q "made_$name at up.js:1[02]" "$work/said" || fail "made_$name has no line"
done
! grep -i 'error:\|warning:' "$work/said" || fail 'LLDB complains'

# it comes when the list is whole: one object that has grown
start "$program" wait
"$LLDB" --no-lldbinit -b -o 'settings set plugin.jit-loader.gdb.enable on' -o "process attach -p $pid" -o bt -o detach \
	>"$work/said" 2>&1 </dev/null
kill "$pid"
for name in pushed aligned region fixed pointer; do
	grep -q "frame #.*\`made_$name at up.js:12" "$work/said" || fail "attached: made_$name is not in the stack"
done
grep -q 'frame #.*`main' "$work/said" || fail 'attached: the stack has no end'
! grep -i 'error:\|warning:\|bug report' "$work/said" || fail 'LLDB complains when it attaches'
exit "$failed"
