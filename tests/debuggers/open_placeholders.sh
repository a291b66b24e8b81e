#!/bin/sh
# SPDX-License-Identifier: MIT
# The files of some modules are gone, or no call frame information describes their frames: stock GDB and LLDB walk the core that
# `cairn open` makes like `cairn bt` the minidump, by files that stand in for the modules.
#
#	open_placeholders.sh
set -eu
export LC_ALL=C
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"
tests=$(cd "$(dirname "$0")" && pwd)

command -v "$GDB" >/dev/null || skip 'no GDB on this machine'
lldb=$(command -v "${LLDB:-lldb-19}" || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
cd "$work"
cat >library.c <<'END'
static volatile int zero;
__attribute__((noinline)) int read_number(int *p)
{
	return p[zero];
}
__attribute__((noinline)) int descend(int depth, int *p)
{
	int sum = depth > 0 ? descend(depth - 1, p) : read_number(p);
	zero++;
	return sum + 1;
}
/* ends with no frame pointer */
__attribute__((noinline)) int lose_pointer(int *p)
{
	int number = 0;
#ifdef __x86_64__
	__asm__ volatile("push %%rbp\n\txor %%ebp, %%ebp\n\tmov (%1), %0\n\tpop %%rbp" : "=r"(number) : "r"(p));
#endif
	return number;
}
/* one address, and frames of many sizes */
__attribute__((noinline)) int grow(int depth, int *p)
{
	volatile char room[depth * 48 + 8];
	room[0] = 1;
	int sum = depth > 0 ? grow(depth - 1, p) : lose_pointer(p);
	return sum + room[0];
}
/* the same, and each frame has its frame pointer */
__attribute__((noinline)) int widen(int depth, int *p)
{
	volatile char room[depth * 48 + 8];
	room[0] = 1;
	int sum = depth > 0 ? widen(depth - 1, p) : read_number(p);
	return sum + room[0];
}
__attribute__((noinline)) int call_back(int (*function)(int), int number)
{
	int sum = function(number);
	zero++;
	return sum + 2;
}
END
cat >program.c <<'END'
#include <pthread.h>
#include <unistd.h>
int descend(int, int *);
int grow(int, int *);
int widen(int, int *);
int call_back(int (*)(int), int);
static volatile int zero;
static int grows;
static int back(int number)
{
	int sum = grows == 'g' ? grow(number, NULL) : grows == 'w' ? widen(number, NULL) : descend(number, NULL);
	zero++;
	return sum;
}
static int wait_long(int seconds)
{
	sleep((unsigned)seconds);
	return zero;
}
static void *begin(void *unused)
{
	call_back(wait_long, 1000);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	grows = argc > 1 ? argv[1][0] : 0;
	pthread_create(&thread, NULL, begin, NULL);
	usleep(200000);
	int sum = call_back(back, 3);
	zero++;
	return sum;
}
END

debug() {
	timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' \
		-ex 'set backtrace past-main on' "$@" </dev/null 2>&1
}
# pcs of the frames of the program and its library, thread by thread; the C library's have inlined calls
numbers() {
	sed -n 's/^0x0*\([0-9a-f]*\)$/\1/p'
}
cairn_pcs() {
	"$CAIRN" bt --quiet --json "$@" | grep -o '"pc":"0x[0-9a-f]*"[^}]*"module":"[^"]*\(library\|program\)' | sed 's/^"pc":"\(0x[0-9a-f]*\)".*/\1/' | numbers
}
gdb_pcs() {
	debug ${2:+"$2"} "$1" -ex 'echo \n--\n' -ex 'thread apply all -ascending -q bt' | sed '1,/^--$/d' | sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\) in .* from .*library.*/\1/p; s/^#[0-9]* *\(0x[0-9a-f]*\) in \(program\|back\|main\|begin\|wait_long\|_start\) ().*/\1/p' | numbers
}
lldb_pcs() {
	timeout 120 "$lldb" -b --no-lldbinit ${2:+-f "$2"} -c "$1" -o 'bt all' 2>&1 | sed -n 's/.*frame #[0-9]*: \(0x[0-9a-f]*\) \(library\|program\).*/\1/p' | numbers
}
# same WHAT LEAST PROGRAM OPTION...: the debuggers show of the opened core what cairn shows of the dump
same() {
	what=$1 least=$2 program=$3
	shift 3
	rm -rf again again.modules
	status=0
	"$CAIRN" open --quiet -o again "$@" dump >said 2>&1 || status=$?
	[ $status -le 1 ] || fail "$what: exit status $status: $(cat said)"
	cairn_pcs "$@" dump >expected
	[ "$(grep -c . expected)" -ge "$least" ] || fail "$what: cairn bt shows $(grep -c . expected) frames: $("$CAIRN" bt "$@" dump)"
	gdb_pcs again "$program" >got
	cmp -s expected got || { fail "$what: not the frames in GDB"; diff expected got | head; debug "$program" again -ex 'thread apply all bt' | tail -n 40; }
	cairn_pcs again >got 2>said
	[ ! -s said ] || fail "$what: cairn bt says: $(cat said)"
	cmp -s expected got || { fail "$what: not the frames in cairn bt"; diff expected got | head; }
	[ -n "$lldb" ] || return 0
	lldb_pcs again "$program" >got
	cmp -s expected got || { fail "$what: not the frames in LLDB"; diff expected got | head; }
}
core_of() {
	rm -f core dump
	debug "$1" -ex "run ${2-}" -ex 'generate-core-file core' >said || :
	[ -s core ] || { fail "no core: $(cat said)"; exit 1; }
	"$CAIRN" minidump --quiet -o dump core || fail "no minidump of $1"
}

"$CC_TARGET" -O2 -fPIC -shared "$@" library.c -o library.so && "$CC_TARGET" -O2 -pthread "$@" program.c -o program ./library.so -Wl,-rpath,"$work" ||
	skip 'the compiler cannot make it'
core_of ./program
nm -n library.so >symbols
mkdir gone
mv library.so gone/library.so
same 'a library that is gone' 12 ./program
[ -s again.modules/library.so ] || fail 'nothing stands in for the library'
debug ./program again -ex bt | grep -q ' in library_so () from .*again.modules/library.so' || fail "no name: $(debug ./program again -ex bt)"

# names and rules of a Breakpad file
id=$("$CAIRN" bt --quiet --json dump | sed -n 's/.*library.so","build_id":"\([0-9a-f]*\)".*/\1/p' | head -n 1)
if [ -n "$id" ]; then
	guid=$(echo "$id" | sed 's/^\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(.\{16\}\).*/\4\3\2\1\6\5\8\7\90/' | tr a-f A-F)
	mkdir -p "breakpad/library.so/$guid"
	{
		echo "MODULE Linux x86_64 $guid library.so"
		grep -i ' t ' symbols | while read -r address _ name; do
			case $name in read_number | descend | call_back) echo "FUNC ${address#00000000} 60 0 $name" ;; esac
		done
	} >"breakpad/library.so/$guid/library.so.sym"
	same 'a Breakpad file' 12 ./program --directory breakpad
	debug ./program again -ex bt | grep -q ' in descend () from .*library.so' || fail "no name of the Breakpad file: $(debug ./program again -ex bt)"
	# Rules of the same file: stacks come from STACK CFI alone, also of frames that have many sizes at one address; a debugger that knows no Breakpad files walks them
	readelf --debug-dump=frames-interp gone/library.so 2>/dev/null | awk -f "$tests/stack_cfi.awk" >>"breakpad/library.so/$guid/library.so.sym"
	same 'STACK CFI' 12 ./program --directory breakpad
	[ "$("$CAIRN" bt --quiet --json --directory breakpad dump | grep -o '"by":"stack-cfi"' | wc -l)" -ge 6 ] || fail "no frames by STACK CFI: $("$CAIRN" bt --directory breakpad --explain dump)"
	mv gone/library.so .
	core_of ./program widen
	mv library.so gone/
	same 'STACK CFI of many sizes' 10 ./program --directory breakpad
	! grep -q 'frames differ in size' said || fail "many sizes: $(cat said)"
	mv gone/library.so .
	core_of ./program
	mv library.so gone/
else
	fail 'the library has no build ID'
fi

mv program gone/program
same 'a program that is gone, too' 12 again.modules/program
# both given elsewhere
rm -rf again again.modules
"$CAIRN" open --quiet -o again --exe gone/program --exe gone/library.so dump >said 2>&1 || fail "two files: $(cat said)"
[ ! -e again.modules ] || fail "two files: something stands in for $(ls again.modules)"
"$CAIRN" bt --quiet again | grep -q ' in descend () from .*/gone/library.so' || fail "two files: $("$CAIRN" bt again)"
mv gone/* .
rm -rf again again.modules
"$CAIRN" open --quiet -o again dump >said 2>&1 || fail "all files: $(cat said)"
[ ! -e again.modules ] || fail "all files are there, and something stands in for them: $(ls again.modules)"

# SFrame alone
if "$CC_TARGET" -O2 -Wa,--gsframe "$@" -fno-asynchronous-unwind-tables -c library.c -o library.o 2>/dev/null &&
	"$CC_TARGET" -O2 -fPIC -Wa,--gsframe "$@" -c library.c -o library.o 2>/dev/null; then
	"$CC_TARGET" -shared library.o -o library.so && objcopy -R .eh_frame -R .eh_frame_hdr library.so 2>/dev/null
	if readelf -SW library.so | grep -q '\.sframe' && ! readelf -SW library.so | grep -q '\.eh_frame'; then
		core_of ./program
		same 'SFrame alone' 12 ./program
		[ -s again.modules/library.so ] || fail 'nothing stands in for the library with SFrame'
		tables=', SFrame'
	fi
fi

# nothing is left of files that nobody asked to keep
mkdir temporary
mv library.so gone/
TMPDIR=$work/temporary "$CAIRN" open --gdb --debugger="$GDB" dump -- -nx -batch -ex bt >said 2>&1 || :
grep -q 'core.modules/library.so' said || fail "open: $(cat said)"
[ -z "$(ls temporary)" ] || fail "open: $(ls -R temporary) is left"

# code of such a module cannot be read, and is not taken for zeros; `cairn bt` in GDB has the frame all the same
"$CAIRN" open --quiet -o unread dump >said 2>&1 || :
debug -ex 'core-file unread' -ex 'x/i $pc' >said || :
grep -q 'Cannot access memory at address' said || fail "code that is not here: $(cat said)"
[ ! -f "${CAIRN_GDB-}" ] || {
	debug -ex "source $CAIRN_GDB" ./program unread -ex 'frame 1' -ex 'cairn bt -explain' -ex frame >said || :
	grep -q '^#0 *0x[0-9a-f]* in library_so + ' said || fail "cairn bt in GDB: $(cat said)"
	tail -n 1 said | grep -q '^#1 ' || fail "cairn bt selects another frame: $(cat said)"
}

# where one rule does not serve all frames at an address, this is said
mv gone/library.so .
core_of ./program grow
mv library.so gone/
"$CAIRN" open --quiet -o again dump >said 2>&1 || :
grep -q ' frames differ in size from other frames at the same address; debuggers may fail to unwind them' said || fail "grow: $(cat said)"
[ $failed = 0 ] && echo "shown: a gone library, a gone program, a Breakpad file, STACK CFI${tables-}"
exit $failed
