#!/bin/sh
# SPDX-License-Identifier: MIT
# One stack in each form in which programs, run-time libraries and services print it: in the core that `cairn open` makes stock GDB and LLDB have
# in frame N its function and line, its source, its code and its symbol.
#
#	open_forms.sh FLAGS...
set -eu
export LC_ALL=C
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"
. "$(dirname "$0")/../lib/test.sh"

command -v "$GDB" >/dev/null || skip 'no GDB on this machine'
case $(uname -m) in
x86_64) ;;
*) skip 'captures of logs are of amd64' ;;
esac
lldb=$(command -v "${LLDB:-lldb-19}" || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
cd "$work"
export XDG_CACHE_HOME="$work/cache" HOME="$work"
cat >trace.c <<'END_OF_C'
static volatile int zero;
__attribute__((noinline)) int inner(int *p) { return p[zero] + 1; }
__attribute__((noinline)) int middle(int *p)
{
	int sum = inner(p);
	zero++;
	return sum + 2;
}
__attribute__((noinline)) int outer(int depth, int *p)
{
	int sum = depth > 0 ? outer(depth - 1, p) : middle(p);
	zero++;
	return sum + 1;
}
int main(void)
{
	int sum = outer(2, 0);
	return sum + zero;
}
END_OF_C
"$CC_TARGET" -g -Wl,--build-id=sha1 "$@" trace.c -o trace 2>refused || skip "the compiler cannot make it: $(head -n 1 refused)"
debug() {
	timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set width 0' "$@" </dev/null 2>&1
}
debug ./trace -ex run -ex 'generate-core-file whole' >said || :
[ -s whole ] || fail "no core: $(cat said)"
"$CAIRN" bt --quiet --json whole >report.json 2>said || :
tr '{' '\n' <report.json | sed -n 's/^"level":[0-9]*,"pc":"\([^"]*\)","function":"\([a-z]*\)".*"line":\([0-9]*\),.*"va":"\([^"]*\)".*"module":"[^"]*\/trace".*"module_offset":"\([^"]*\)","cfa":"\([^"]*\)".*/\1 \4 \5 \2 \3 \6/p' |
	sed '/ _start /d' >frames
cut -d' ' -f4,5 frames >expected
nm trace >symbols
[ "$(wc -l <expected)" = 6 ] || { fail "frames of the core: $(cat report.json)"; exit 1; }
read -r crash va offset _ <frames
base=$(printf '0x%x' $((crash - offset)))
sp=$(debug ./trace whole -ex 'printf "sp %#lx\n", $sp' | sed -n 's/^sp //p')

# write FORMAT WORD...: a line for each frame; in it {n} its number, {r} where it goes on, {c} a byte of its call (the pc of the innermost frame), each with
# v as linked, {o} its offset in the module, {d} in its function {f}, {l} its line, {s} and {e} where its frame begins and ends
write() {
	number=0 before=$sp
	while read -r pc va offset function line cfa; do
		call=$((number > 0)) start=$(sed -n "s/^\([0-9a-f]*\) . $function\$/0x\1/p" symbols)
		sed -e "s/{d}/$(printf '0x%x' $((va - start)))/g" -e "s/{n}/$number/g; s/{r}/$pc/g; s/{rv}/$va/g; s/{o}/$offset/g; s/{f}/$function/g; s/{l}/$line/g" -e "s/{c}/$(printf '0x%x' $((pc - call)))/g" \
			-e "s/{cv}/$(printf '0x%x' $((va - call)))/g; s/{e}/$cfa/g; s/{s}/$before/g" <<EOF
$1
EOF
		number=$((number + 1)) before=$cfa
	done <frames
}
# the same line of all frames, joined by commas
write_list() {
	write "$1" | paste -sd , -
}

# check_debugger NAME WHAT: each frame of what was printed, "=== N" and then that of frame N
check_debugger() {
	number=0
	while read -r function line; do
		sed -n "/^=== $number\$/,/^=== /p" said >frame
		case $1 in
		GDB) grep -q "^#$number .*$function (.*$source:$line\$" frame && grep -q "^$line	" frame && [ "$(grep -c '^\(=>\|  \) 0x.*:	' frame)" = 5 ] && grep -q "^$function \(+ [0-9]* \)\{0,1\}in section .text" frame ;;
		LLDB) grep -q "^frame #$number: .*$name\`$function\((\| at \).*$source:$line" frame && grep -q "^-> $line" frame && [ "$(grep -c '^\(->\|  \)  0x' frame)" = 5 ] && grep -q "Summary: $name\`$function" frame ;;
		esac || { fail "$2: frame $number in $1"; cat frame; }
		number=$((number + 1))
	done <expected
}
ask_gdb() {
	set -- "./$name" core
	for number in $numbers; do
		set -- "$@" -ex "echo \\n=== $number\\n" -ex "frame $number" -ex list -ex 'x/5i $pc' -ex 'info symbol $pc'
	done
	debug "$@" >said || :
}
ask_lldb() {
	for number in $numbers; do
		printf 'frame select %s\nx/5i $pc\nimage lookup -a $pc\n' $number
	done >questions
	timeout 120 "$lldb" -b --no-lldbinit -f "./$name" -c core -s questions 2>&1 | sed 's/^(lldb) frame select \([0-9]*\)$/=== \1/' >said || :
}
ran='' name=trace source='trace\.c' numbers='0 1 2 3 4 5'
# check WHAT FILE OPTION...
check() {
	what=$1 file=$2
	shift 2
	rm -rf core core.modules
	"$CAIRN" open --quiet -o core "$@" "$file" >opened 2>&1 || [ $? = 1 ] || { fail "$what: no core: $(cat opened "$file")"; return 0; }
	ask_gdb
	check_debugger GDB "$what"
	if [ -n "$lldb" ]; then
		ask_lldb
		check_debugger LLDB "$what"
	fi
	ran="$ran $what"
}

head="==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc $crash bp 0x7ffd0 sp 0x7ffd0 T0)"
{
	echo "$head"
	write "    #{n} {c} in {f} $work/trace.c:{l}:9"
} >log
check AddressSanitizer log --exe "./trace@$base"
{
	echo "$head"
	write "    #{n} {c}  ($work/trace+{cv}) (BuildId: $(readelf -n trace | sed -n 's/.*Build ID: //p'))"
} >log
check AddressSanitizer-plain log
{
	echo 'trace.c:2:53: runtime error: load of null pointer of type int'
	write "    #{n} {c} in {f} ($work/trace+{cv})"
} >log
check UndefinedBehaviorSanitizer log
{
	echo 'WARNING: ThreadSanitizer: data race (pid=7)'
	echo '  Read of size 4 at 0x0001 by main thread:'
	write '    #{n} {f} trace.c:{l} (trace+{cv})'
} >log
check ThreadSanitizer log --exe ./trace
{
	echo 'Nov 26 10:00:00 host systemd-coredump[9]: Process 7 (trace) of user 0 dumped core.'
	echo "Module trace with build-id $(readelf -n trace | sed -n 's/.*Build ID: //p')"
	echo 'Stack trace of thread 7:'
	write '#{n}  {r} {f} (trace + {o})'
} >log
check systemd-coredump log --exe ./trace
write '#{n}  {r} in {f} (p=0x0) at trace.c:{l}' >log
check GDB log --exe "./trace@$base"
write '#{n}  {r} {f}' >log
check eu-stack log --exe "./trace@$base"
write "$work/trace(+{rv})[{r}]" >log
check glibc log
write "$work/trace({r}) [{r}]" >log
check Ruby log --exe "./trace@$base"
write 'trace: idle *:7790({f}+{d})[{r}]' >log
check title log --exe ./trace
write '(EE) {n}: trace ({f}+{d}) [{r}]' >log
check X-server log --exe ./trace
write ' {n}: ({f}+{d}) [{r}]' >log
check Ceph log --exe ./trace
{
	echo '*** Aborted at 1795778343 (unix time) try "date -d @1795778343" if you are using GNU date ***'
	echo "PC: @     $crash (unknown)"
	echo "*** SIGSEGV (@0x0) received by PID 7 (TID 0x7f0000001000) from PID 0; stack trace: ***"
	write '    @     {r} {f}'
} >log
check glog log --exe ./trace
{
	echo "*** SIGSEGV received at time=1795778471 on cpu 0 ***"
	echo "PC: @     $crash  (unknown)  inner"
	write '    @     {r}         32  {f}'
} >log
check Abseil log --exe ./trace
{
	echo '*** Aborted at 1795778343 (Unix time, try '"'date -d @1795778343'"') ***'
	echo '*** Signal 11 (SIGSEGV) (0x0) received by PID 7 (pthread TID 0x7f00) (linux TID 7) (maybe from PID 0, UID 0) (code: address not mapped to object), stack trace: ***'
	write "    @ {r} {f}~                       $work/trace.c:{l}~                       -> $work/trace.c" | tr '~' '\n' | sed 's/@ 0x/@ 000000000000000/; s/@ 0*\([0-9a-f]\{16\} \)/@ \1/'
} >log
check folly log --exe ./trace
{
	printf '[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=%s]\n\ngoroutine 1 [running]:\n' "$crash"
	write 'main.{f}(0x0)@	/src/trace.go:{l} +0x30 fp={e} sp={s} pc={r}' | tr '@' '\n'
} >log
case " $* " in
*' -O0 '*) ;; # what Go tells are the distances of stack pointers: its functions do not count from frame pointers
*) check Go log --exe "./trace@$base" ;;
esac
{
	echo 'stack backtrace:'
	write '   {n}:     {r} - trace::{f}@             at /src/trace.rs:{l}:36' | tr '@' '\n'
} >log
check Rust log --exe "./trace@$base"
printf '{"threads":[{"name":"main","crashed":true,"frames":[%s]}],"images":[{"name":"trace","path":"%s/trace","baseAddress":"%s","endOfText":"0x%x"}]}\n' \
	"$(write_list '{"kind":"returnAddress","address":"{r}"}' | sed 's/returnAddress/programCounter/')" "$work" "$base" $((base + 65536)) >log
check Swift log
{
	write 'r{r}' | sed 's/0x//; 1s/^r/p/'
} | "$CAIRN" cbf encode - >trace.hex 2>said || fail "no CBF: $(cat said)"
"$CAIRN" cbf decode --json trace.hex >log
check CBF log --exe "./trace@$base"
"$CAIRN" bt --quiet --markup whole >log 2>said || :
check markup log --exe ./trace
check report report.json

# The kernel's own: functions with offsets and sizes, of a file that looks like a kernel and has a .debug_frame alone.
cat >kernel.c <<'END_OF_C'
int zero;
static __attribute__((noinline)) int twice(int *p) { return *p + zero; }
__attribute__((noinline)) int one_thing(int *p) { int r = twice(p); zero++; return r; }
__attribute__((noinline)) int start_all(void) { int r = one_thing(&zero); zero++; return r; }
void startup(void) { start_all(); for (;;) ; }
int last(int *p) { return p[0] * 3 + p[1] * 5 + p[2] * 7; }
END_OF_C
if "$CC_TARGET" -g -O2 -mcmodel=kernel -fno-pie -no-pie -ffreestanding -nostdlib -static -fno-asynchronous-unwind-tables -fno-inline -Wl,-e,startup \
	-Wl,-Ttext-segment=0xffffffff81000000 -Wl,--build-id=sha1 kernel.c -o vmlinux 2>said && readelf -S vmlinux | grep -q '\.debug_frame'; then
	# "+OFFSET/SIZE" of the byte behind the call of a function
	place() {
		behind=$(objdump -d --no-show-raw-insn vmlinux | awk -v f="<$1>:" '$2 == f { on = 1; next } on && called { sub(/:/, "", $1); print substr($1, 9); exit } on && /call/ { called = 1 }')
		nm -S vmlinux | awk -v f="$1" '$4 == f { print substr($1, 9), $2; exit }' | { read -r start size && printf '+0x%x/0x%x' $((0x$behind - 0x$start)) "0x$size"; }
	}
	{
		printf '[   12.345678] BUG: unable to handle page fault\n[   12.345682] Call Trace:\n[   12.345683]  <TASK>\n'
		for function in one_thing start_all startup; do
			printf '[   12.345685]  %s%s\n' $function "$(place $function)"
		done
		printf '[   12.345688]  </TASK>\n'
	} >log
	printf 'one_thing 3\nstart_all 4\nstartup 5\n' >expected
	name=vmlinux source='kernel\.c' numbers='0 1 2'
	check kernel log --exe vmlinux
fi
[ $failed = 0 ] && echo "opened:$ran"
exit $failed
