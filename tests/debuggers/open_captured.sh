#!/bin/sh
# SPDX-License-Identifier: MIT
# The backtraces of a log become a core: stock GDB and LLDB show the frames that the log has, thread by thread, with their names
# and lines, though nothing else of the program was kept.
#
#	open_captured.sh FLAGS...
set -eu
export LC_ALL=C
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"

command -v "$GDB" >/dev/null || skip 'no GDB on this machine'
lldb=$(command -v "${LLDB:-lldb-19}" || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
cd "$work"
cat >trace.c <<'END'
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int zero;

static void print_trace(int signal)
{
	void *frames[2000];
	(void)signal;
	backtrace_symbols_fd(frames, backtrace(frames, 2000), 1);
	_exit(0);
}
static inline __attribute__((always_inline)) int read_inlined(int *p)
{
	return p[zero];
}
/* the frame pointer is saved, and the CFA counts from it */
__attribute__((noinline)) int with_array(int size, int *p)
{
	char array[size + 16];
	memset(array, size, sizeof(array));
	int sum = read_inlined(p);
	return sum + array[zero];
}
__attribute__((noinline)) int recurse(int depth, int *p)
{
	int sum = depth > 0 ? recurse(depth - 1, p) : with_array(40, p);
	zero++;
	return sum + 1;
}
int main(int argc, char **argv)
{
	void *frames[1];
	void (*nowhere)(void) = NULL;
	backtrace(frames, 1);
	signal(SIGSEGV, print_trace);
	if (argc > 2)
		nowhere();
	return recurse(argc > 1 ? atoi(argv[1]) : 2, NULL) + zero;
}
END
"$CC_TARGET" -g "$@" trace.c -o trace 2>refused || skip "the compiler cannot make it: $(head -n 1 refused)"

debug() {
	timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set pagination off' -ex 'set backtrace past-main on' -ex 'set print frame-arguments presence' \
		-ex 'set print entry-values no' "$@" </dev/null 2>&1
}
# frames of the program alone, as "FUNCTION LINE"; GDB shows the innermost one when it opens the core, too
gdb_frames() {
	debug ./trace "$1" -ex 'echo \n--\n' -ex 'thread apply all -q bt' | sed '1,/^--$/d' | sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z_]*\) (.*trace\.c:\([0-9]*\)$/\2 \3/p; s/.*<signal handler called>/signal/p'
}
lldb_frames() {
	timeout 120 "$lldb" -b --no-lldbinit -f ./trace -c "$1" -o 'bt all' 2>&1 |
		sed -n 's/^.*frame #.*trace`.*\([a-z_]*\)(.*at trace\.c:\([0-9]*\).*/\2/p; s/.*__restore_rt.*/signal/p'
}
# what addr2line says of the log, but for _start: addresses as linked, of a program that is not moved those of the process
log_frames() {
	sed -n 's/^.*trace(+0x\([0-9a-f]*\)).*/\1/p; s/^\(.*trace[()]* *\)\{0,1\}\[0x\([0-9a-f]*\)\]/\2/p' "$1" | sed '$d' | while read -r va; do
		addr2line -fie ./trace "$(printf %x $((0x$va - 1)))" | awk 'NR % 2 { name = $0; next } { sub(/.*:/, ""); sub(/ .*/, ""); print name, $0 }'
	done | grep -v '?'
}

# The same of a log and of what the debuggers show.
same() {
	cmp -s "$2" "$3" && return
	fail "$1"
	diff "$2" "$3" | head -n 20
}

./trace >log || fail 'no log'
"$CAIRN" open --quiet -o core --exe ./trace log >said 2>&1 || fail "exit status $?: $(cat said)"
log_frames log >expected
grep -q libc.so log && ! grep -q 'libc.so.6: used without verification because the log does not record its build ID' said && fail "libc: $(cat said)"
gdb_frames core >got
[ "$(grep -c recurse got)" -ge 3 ] || fail "in GDB: $(cat got)"
grep -v signal got >named
same 'in GDB: not the frames of the log' expected named
[ "$(grep -c signal got)" = 1 ] || fail "in GDB: no signal: $(cat got)"
if [ -n "$lldb" ]; then
	sed 's/.* //' expected >lines
	lldb_frames core | grep -v signal >got || :
	same 'in LLDB: not the lines of the log' lines got
fi

# a list that begins where the handler returns to, as programs print that leave their own frames out
sed 1d log >late.log
"$CAIRN" open --quiet -o core --exe ./trace late.log >said 2>&1 || fail "exit status $?: $(cat said)"
log_frames late.log >expected
gdb_frames core >got
grep -v signal got >named
same 'in GDB: not the frames of the log that begins at the signal' expected named
[ "$(head -n 1 got)" = signal ] || fail "in GDB: the signal is not the first: $(cat got)"
"$CAIRN" open --quiet -o core --exe ./trace log >said 2>&1 || fail "exit status $?: $(cat said)"

# frame N, list, x/i and info symbol work
debug ./trace core -ex 'frame function recurse' -ex list -ex 'x/2i $pc' -ex 'info symbol $pc' >said || :
grep -q 'zero++' said && grep -q '=> .*recurse' said && grep -q '^recurse + ' said || fail "in a frame: $(cat said)"

# memory that nobody captured cannot be read
debug ./trace core -ex 'frame function with_array' -ex 'print array[0]' -ex 'x/x $sp - 64' >said || :
[ "$(grep -c 'Cannot access memory' said)" -ge 1 ] || fail "memory: $(cat said)"

# the frames of `cairn bt --json` and `--markup` are those of the core, also of a call through a null pointer
for arguments in 2 '1 null'; do
	rm -f whole
	debug ./trace -ex 'handle SIGSEGV stop nopass' -ex "run $arguments" -ex 'generate-core-file whole' >said || :
	[ -s whole ] || { fail "no core: $(cat said)"; continue; }
	"$CAIRN" bt --quiet --json whole >report.json 2>said || :
	"$CAIRN" open --quiet -o core report.json >said 2>&1 || fail "report of $arguments: exit status $?: $(cat said)"
	gdb_frames whole >expected
	gdb_frames core >got
	[ -s expected ] || fail "report of $arguments: no frames"
	same "report of $arguments: not the frames of the core" expected got
	"$CAIRN" bt --quiet --markup whole >markup.log 2>said || :
	"$CAIRN" open --quiet -o core --exe ./trace markup.log >said 2>&1 || fail "markup of $arguments: exit status $?: $(cat said)"
	gdb_frames core >got
	same "markup of $arguments: not the frames of the core" expected got
done

# Each frame of a report in JSON, of `cairn bt` and of `cairn crash`: in both debuggers frame N has the function and the line of the report, its
# source, its code and its symbol.
# frames of the program in a report, "FUNCTION LINE"; debuggers show calls that were inlined as frames, too
report_frames() {
	tr '{' '\n' <"$1" | sed -n 's/^"level":[0-9]*,.*"function":"\([a-z_]*\)".*"line":\([0-9]*\),.*"module":"\([^"]*\)".*/\1 \2 \3/p' |
		awk '$3 ~ /\/trace$/ && $1 != "_start" { print $1, $2 }'
}
check_each_frame() {
	"$CAIRN" open --quiet -o core "$1" >said 2>&1 || fail "$2: exit status $?: $(cat said)"
	report_frames "$1" >expected
	[ "$(wc -l <expected)" -ge 4 ] || fail "$2: frames of the report: $(cat expected)"
	# numbers of the program's frames in GDB, which shows others between them (signal handlers, the C library)
	debug ./trace core -ex 'echo \n--\n' -ex bt >said || :
	sed '1,/^--$/d' said | sed -n 's/^#\([0-9]*\) .*trace\.c:[0-9]*$/\1/p' >numbers
	set --
	while read -r number; do
		set -- "$@" -ex "echo --$number\n" -ex "frame $number" -ex list -ex 'x/5i $pc' -ex 'info symbol $pc'
	done <numbers
	debug ./trace core "$@" >said || :
	paste numbers expected | while read -r number function line; do
		sed -n "/^--$number\$/,/^--[0-9]/p" said >frame
		grep -q "^#$number .*$function (.*trace\.c:$line\$" frame && grep -q "^$line	" frame && [ "$(grep -c '^\(=>\|  \) 0x.*:	' frame)" = 5 ] &&
			grep -q '^[a-z_]* .*in section .text\|^[a-z_]* + [0-9]*$\|^[a-z_]* in section .text' frame || cat frame
	done >wrong
	[ ! -s wrong ] || fail "frames in GDB: $(head -n 20 wrong)"
	[ "$(wc -l <numbers)" = "$(wc -l <expected)" ] || fail "frames in GDB: $(cat numbers expected)"
	[ -n "$lldb" ] || return 0
	timeout 120 "$lldb" -b --no-lldbinit -f ./trace -c core -o bt 2>&1 | sed -n 's/^.*frame #\([0-9]*\): .*trace`.*trace\.c:[0-9]*.*/\1/p' | sort -nu >numbers
	set --
	while read -r number; do
		set -- "$@" -o "frame select $number" -o 'x/5i $pc' -o 'image lookup -a $pc'
	done <numbers
	timeout 120 "$lldb" -b --no-lldbinit -f ./trace -c core "$@" >said 2>&1 || :
	paste numbers expected | while read -r number function line; do
		sed -n "/^(lldb) frame select $number\$/,/^(lldb) frame select/p" said >frame
		grep -q "^frame #$number: .*trace.*[ \`]$function(.*trace\.c:$line" frame && grep -q "^-> $line" frame && [ "$(grep -c '^\(->\|  \)  0x' frame)" = 5 ] &&
			grep -q 'Summary: trace.' frame || cat frame
	done >wrong
	[ ! -s wrong ] || fail "frames in LLDB: $(head -n 20 wrong)"
}
rm -f whole
debug ./trace -ex 'break read_inlined' -ex 'run 3' -ex 'generate-core-file whole' >said || :
[ -s whole ] || fail "no core: $(cat said)"
"$CAIRN" bt --quiet --json whole >report.json 2>said || :
check_each_frame report.json 'report of cairn bt'
mkdir -m 755 reports
chmod 755 "$work" # the reader has the rights of another user
sleep 100 &
sleeper=$!
HOME=$work "$CAIRN" crash --pid $sleeper --tid $sleeper --signal 11 --reports "$work/reports" <whole >said 2>&1 || :
kill $sleeper
for each in reports/*.json; do
	if [ -s "$each" ]; then check_each_frame "$each" 'report of cairn crash'; else echo "not tested: a report of cairn crash: $(cat said)"; fi
done

# several stacks are several threads, named by what is above them
{
	echo 'first one:'
	cat log
	printf '\nsecond one:\n'
	cat log
} >two
"$CAIRN" open --quiet -o core --exe ./trace two >said 2>&1 || fail "two: exit status $?: $(cat said)"
[ "$(debug ./trace core -ex 'info threads' | grep -c 'LWP')" -ge 2 ] || fail 'two: not two threads'
"$CAIRN" bt --quiet core 2>/dev/null | grep -c '^Thread' | grep -qx 2 || fail "two: $("$CAIRN" bt core)"
TMPDIR=$work "$CAIRN" open --gdb --debugger="$GDB" --exe ./trace two -- -nx -batch -ex 'info threads' >said 2>&1 || :
grep -q 'second_one' said || fail "two: threads have no names: $(cat said)"

# a thousand frames: a small core
./trace 1000 >log
"$CAIRN" open --quiet -o core --exe ./trace log >said 2>&1 || fail "many: exit status $?: $(cat said)"
size=$(wc -c <core)
[ "$size" -le 131072 ] || fail "many: the core of 1,000 frames has $size bytes"
# the least processor time of three, in seconds
if command -v time >/dev/null; then
	for run in 1 2 3; do
		command time -q -f '%U %S' -a -o times "$CAIRN" open --quiet -o core --exe ./trace log >said 2>&1 || fail "many: exit status $?, run $run"
	done
	least=$(awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }' times)
	awk "BEGIN { exit $least > 0.1 }" || fail "many: $least s for 1,000 frames"
fi
[ "$(gdb_frames core | grep -c recurse)" = 1001 ] || fail "many: $(gdb_frames core | sort | uniq -c)"

# what is no log, and a log whose files are elsewhere
echo 'nothing here' >text
"$CAIRN" open -o core text >said 2>&1 && fail 'a text without frames is no error'
grep -q 'text: no frame has an address, and the module files needed to compute the addresses were not found; expected a minidump or a log' said || fail "text: $(cat said)"
# a program that is gone: a file stands in for it, and the stack is whole
./trace 5 >few
sed 's|^[^[(]*trace|/gone/trace|' few >other
if grep -q '^/gone/trace' other; then # static programs print no names
	status=0
	"$CAIRN" open --quiet -o core other >said 2>&1 || status=$?
	[ $status = 1 ] || fail "gone: exit status $status: $(cat said)"
	grep -c '^/gone/trace' other >expected
	debug core.modules/trace core -ex 'echo \n--\n' -ex bt >said || :
	sed '1,/^--$/d' said | grep -c '^#.* in trace ()' >got || :
	same 'gone: not the frames of the log' expected got
	[ -z "$lldb" ] || {
		timeout 120 "$lldb" -b --no-lldbinit -f core.modules/trace -c core -o bt 2>&1 | grep -c 'frame #.*trace`' >got || :
		same 'gone: not the frames of the log in LLDB' expected got
	}
fi
# addresses that are in no module lead on; those of a file without call frame information there do not
printf '#0 0x401000\n#1 0x402000\n#2 0x403000\n' >nowhere
"$CAIRN" open --quiet -o core nowhere >said 2>&1 || :
"$CAIRN" bt --quiet core | grep -c '^#[0-2]  0x000000000040[123]' >got || :
[ "$(cat got)" = 3 ] || fail "nowhere: $("$CAIRN" bt core 2>&1)"
low=$(readelf -lW trace | awk '$1 == "LOAD" { print $3; exit }')
for number in 0 1 2; do
	printf '    #%d <null> <null> (trace+0x%x)\n' $number $((low + 64 + number))
done >ends
"$CAIRN" open -o core --exe ./trace ends >said 2>&1 && fail 'a stack that ends is no error'
grep -q 'ends: 1 of 1 stacks are incomplete because call frame information is missing; add files with --exe' said ||
	fail "ends: $(cat said)"

# frames without an address, and too many of them
printf '#0 0x401000\n\nCall Trace:\n <TASK>\n f+0x6/0xc\n' >lost
"$CAIRN" open -o core lost >said 2>&1 && fail 'lost frames are no error'
grep -q 'lost: 1 frames have no address because the files needed to compute the addresses were not found; add the files with --exe' said || fail "lost: $(cat said)"
awk 'BEGIN { for (i = 0; i < 70000; i++) printf "#%d 0x401000\n", i }' >flood
"$CAIRN" open -o core flood >said 2>&1 && fail 'too many frames are no error'
grep -q 'flood: too many frames; 4464 are omitted' said || fail "flood: $(cat said)"
[ $failed = 0 ] && echo "1,000 frames in $size bytes${least:+, $least s}"
exit $failed
