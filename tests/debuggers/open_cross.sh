#!/bin/sh
# SPDX-License-Identifier: MIT
# Cores of aarch64, written by an emulator, become minidumps and cores again on another machine: a GDB for many machines and LLDB show the
# frames of `cairn bt` of the first core. The same where the program's file is gone, and by the command that starts the debugger.
#
#	open_cross.sh FLAGS...
set -eu
export LC_ALL=C
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
: "${CAIRN?path of cairn}" "${GDB_CROSS:=gdb-multiarch}"
. "$(dirname "$0")/../lib/test.sh"
triple=aarch64-linux-gnu
sysroot=/usr/$triple

for tool in "$GDB_CROSS" $triple-gcc qemu-aarch64; do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done
[ "$(uname -m)" != aarch64 ] || skip 'this machine is no other one'
lldb=$(command -v "${LLDB:-lldb-19}" || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
cd "$work"
mkdir cache temporary
export XDG_CACHE_HOME="$work/cache" HOME="$work"
$triple-gcc -g -pthread -w -Wl,--build-id=sha1 "$@" -DWITH_PLUGIN=0 "$programs/stacks.c" -o stacks 2>said ||
	skip "the compiler cannot make it: $(head -n 1 said)"

# the emulator's core of a case; this machine may write one of the emulator as well
dump_core() {
	{
		(
			rm -f qemu_*.core
			ulimit -c unlimited
			exec timeout 60 qemu-aarch64 -s 262144 -L $sysroot ./stacks "$1" >said 2>&1
		) || :
	} 2>/dev/null
	set -- qemu_*.core
	[ -s "$1" ] || skip "qemu-aarch64 writes no core: $(cat said)"
	mv "$1" core
	rm -f core.[0-9]*
}
debug() {
	timeout 100 "$GDB_CROSS" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' "$@" </dev/null 2>&1
}
# pcs of all frames but those of inlined calls, thread by thread, each on a line
cairn_pcs() {
	"$CAIRN" bt --quiet --json "$@" | tr '{' '\n' | sed -n 's/^"level":[0-9]*,"pc":"\(0x[0-9a-f]*\)".*"inlined":false.*/\1/p'
}
gdb_pcs() {
	debug -ex "core-file $1" -ex 'echo \n--\n' -ex 'thread apply all -ascending -q bt' "$2" | sed '1,/^--$/d' | sed -n 's/^#[0-9]* *0x0*\([0-9a-f][0-9a-f]*\) in .*/0x\1/p'
}
lldb_pcs() {
	timeout 100 "$lldb" -b --no-lldbinit -f "$2" -c "$1" -o 'bt all' >said 2>&1 || :
	! grep -q '\[inlined\]' said || return 1 # of these it shows where the blocks begin
	sed -n 's/^.*frame #[0-9]*: 0x0*\([0-9a-f][0-9a-f]*\) .*/0x\1/p' said
}
# same WHAT FILE PROGRAM: what debuggers and cairn show of an opened core is in the file `expected`
same() {
	gdb_pcs "$2" "$3" >got
	cmp -s expected got || { fail "$1: not the frames in GDB"; diff expected got | head -n 20; debug -ex "core-file $2" -ex bt "$3"; }
	cairn_pcs "$2" >got
	cmp -s expected got || { fail "$1: not the frames in cairn bt"; diff expected got | head -n 20; }
	[ -n "$lldb" ] && lldb_pcs "$2" "$3" >got || return 0
	cmp -s expected got || { fail "$1: not the frames in LLDB"; diff expected got | head -n 20; cat said; }
}

frames=0
for case in inlined recurse threads; do
	dump_core $case
	"$CAIRN" minidump --quiet --sysroot=$sysroot -o dump core ./stacks >said 2>&1 || fail "$case: no minidump: $(cat said)"
	cairn_pcs --sysroot=$sysroot core ./stacks >expected 2>/dev/null || :
	[ "$(wc -l <expected)" -ge 3 ] || fail "$case: frames of the core: $(cat expected)"
	"$CAIRN" open --quiet --sysroot=$sysroot --exe ./stacks -o again dump >said 2>&1 || fail "$case: exit status $?: $(cat said)"
	same "$case" again ./stacks
	frames=$((frames + $(wc -l <expected)))
done

# The program is gone: a file stands in for it, by whose rules the frames of the program have their callers. Behind them the stack pointer is not known,
# of which rules of the C library count.
mv stacks gone
"$CAIRN" bt --quiet --json --sysroot=$sysroot dump 2>/dev/null | tr '{' '\n' | sed -n 's/^"level":[0-9]*,"pc":"\(0x[0-9a-f]*\)".*"module":"\([^"]*\)".*/\1 \2/p' |
	awk '$2 ~ /\/stacks$/ { inside = 1 } { print $1 } inside && $2 !~ /\/stacks$/ { exit }' >expected || :
[ "$(wc -l <expected)" -ge 5 ] || fail "gone: frames of the minidump: $(cat expected)"
status=0
"$CAIRN" open --quiet --sysroot=$sysroot -o again dump >said 2>&1 || status=$?
[ $status = 1 ] && [ -s again.modules/stacks ] || fail "gone: exit status $status: $(cat said)"
for kind in gdb cairn lldb; do
	case $kind in
	gdb) gdb_pcs again again.modules/stacks ;;
	cairn) cairn_pcs again ;;
	lldb) [ -z "$lldb" ] || lldb_pcs again again.modules/stacks ;;
	esac | head -n "$(wc -l <expected)" >got
	[ $kind = lldb ] && [ -z "$lldb" ] || cmp -s expected got || { fail "gone: not the frames in $kind"; diff expected got; }
done
# each frame of it has the module's name, those in the file's first page, too
case " $* " in *' -static '*) ! debug -ex 'core-file again' -ex bt again.modules/stacks | grep '^#.* ?? ()' || fail 'gone: frames without a name' ;; esac
mv gone stacks

# the command starts it, with the program
TMPDIR=$work/temporary "$CAIRN" open --debugger="$GDB_CROSS" --sysroot=$sysroot --exe ./stacks dump -- -nx -batch -ex 'frame function main' -ex 'x/i $pc' >said 2>&1 ||
	fail "open: exit status $?: $(cat said)"
grep -q '^=> 0x[0-9a-f]* <main+[0-9]*>:' said || fail "open: $(cat said)"
[ -z "$(ls temporary)" ] || fail "open: $(ls temporary) is left"
[ $failed = 0 ] && echo "$frames frames equal"
exit $failed
