#!/bin/sh
# SPDX-License-Identifier: MIT
# A capture is opened beside a live process, and removed: the frames of the capture are those of the log, and the process goes on as it
# does without all that. No file is left, also of a debugger that ends without `cairn close` or is killed.
#
#	open_beside.sh gdb|lldb
debugger=$1
shift
MODULE=${MODULE:-$LLDB_PLUGIN} # lib.sh skips when neither is there
. "$(dirname "$0")/lib.sh"
: "${CAIRN:?path of cairn}" "${LLDB:=lldb-19}"
need "$CC_TARGET" addr2line
case $(uname -m) in
x86_64) ;;
*) skip 'captures of logs are of amd64' ;;
esac

cd "$tmp"
mkdir temporary
cat >live.c <<'EOF'
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int zero;
char log_ring[8192], nothing[8];

__attribute__((noinline)) int record(int n)
{
	void *frames[64];
	int count = backtrace(frames, 64);
	char **names = backtrace_symbols(frames, count);
	for (int i = 0; i < count; i++) {
		strcat(log_ring, names[i]);
		strcat(log_ring, "\n");
	}
	free(names);
	zero++;
	return n;
}
__attribute__((noinline)) int middle(int n)
{
	int r = record(n + 1);
	zero++;
	return r + 1;
}
__attribute__((noinline)) int later(int n)
{
	zero += n;
	zero *= 2;
	zero -= 3;
	return zero;
}
__attribute__((noinline)) int around(int n)
{
	int r = later(n);
	zero += r;
	return later(r) + zero;
}
int main(int argc, char **argv)
{
	int r = middle(argc);
	if (argc > 1) {
		FILE *file = fopen(argv[1], "w");
		fputs(log_ring, file);
		fputs(nothing, file);
		fclose(file);
	}
	return around(r) == -1;
}
EOF
"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 live.c -o live
./live log
export TMPDIR="$tmp/temporary"

# what addr2line says of the program's frames in the log, "FUNCTION LINE"
sed -n 's/^.*live(+0x\([0-9a-f]*\)).*/\1/p' log | sed '$d' | while read -r va; do
	addr2line -fe ./live "$(printf %x $((0x$va - 1)))" | awk 'NR == 1 { name = $0; next } { sub(/.*:/, ""); sub(/ .*/, ""); print name, $0 }'
done >frames
[ "$(wc -l <frames)" = 3 ] || fail "the log: $(cat frames)"

# Commands of one debugger: begin, a capture of memory or of a file, back and on, and removed.
case $debugger in
gdb)
	need "$GDB"
	: "${CAIRN_GDB:?path of cairn.gdb}"
	run() {
		within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set width 0' \
			-iex 'set pagination off' -iex 'set exec-wrapper env -i' -ex "source $CAIRN_GDB" -ex 'break later' -ex 'run log' \
			-ex 'echo --begin\n' "$@" ./live </dev/null 2>&1 | sed '1,/^--begin$/d'
	}
	flag=-ex
	live='inferior 1' capture='inferior 2'
	registers='info registers rip rsp rbp rbx rax'
	# frames of the program as "FUNCTION LINE"
	frames_of() { sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([a-z_]*\) (.*live\.c:\([0-9]*\)$/\2 \3/p'; }
	echo_line() { printf 'echo %s\\n' "$1"; }
	;;
lldb)
	need "$LLDB"
	[ -n "$LLDB_PLUGIN" ] || skip 'no plugin for LLDB'
	run() {
		{
			echo "plugin load $LLDB_PLUGIN"
			echo 'breakpoint set -n later'
			echo run
			echo 'version --begin' # an error, whose text is printed
			for word; do
				[ "$word" = -o ] || printf '%s\n' "$word"
			done
		} >script
		within 120 "$LLDB" -x -b -O 'settings set target.inherit-env false' -O 'settings set interpreter.stop-command-source-on-error false' \
			-s script -- ./live log </dev/null 2>&1 | sed '1,/version --begin/d'
	}
	flag=-o
	live='target select 0' capture='target select 1'
	registers='register read rip rsp rbp rbx rax'
	frames_of() { sed -n 's/^.*frame #[0-9]*: .*live`\([a-z_]*\)(.*at live\.c:\([0-9]*\).*/\1 \2/p'; }
	echo_line() { echo "version $1"; }
	;;
esac

# what the process shows: where it is, and what it does next
steps() {
	for command in bt "$registers" next bt "$registers" next finish bt next "$registers" bt; do
		set -- "$@" $flag "$command"
	done
	"$@"
}
# without what differs between runs and between one inferior and several, and the mark that newer LLDBs put under the word of echo_line()
settle_steps() {
	sed -e '/^ *^~*$/d' -e 's/^Thread 1\.1 .* hit \(Breakpoint [0-9]*\)\.[0-9]*,/\1,/' -e 's/LWP [0-9]*/LWP N/' -e 's/process [0-9]*/process N/' \
		-e 's/^Process [0-9]*/Process N/'
}
left() {
	find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'cairn-open.*'
}

# The process alone; then the same after a capture was opened, and with another one that is removed meanwhile.
steps run | settle_steps >alone
grep -q around alone || fail "the process alone: $(cat alone)"
grep -q later alone || fail "the process alone: $(cat alone)"
for open in 'cairn open -string log_ring' 'cairn open log_ring 2048' "cairn open $tmp/log" 'cairn open -file log'; do
	run $flag "$open" $flag bt $flag "$(echo_line --back)" $flag "$live" $flag 'cairn close' >said || :
	frames_of <said | head -n 3 >got
	cmp -s frames got || fail "$open: not the frames of the log: $(cat said)"
	left | grep . && fail "$open: files are left"
done
steps run $flag 'cairn open -string log_ring' $flag bt $flag "$live" $flag "$(echo_line --back)" >said
sed '1,/--back/d' said | settle_steps >beside
diff alone beside >difference || fail "beside a capture the process does not go on as it does alone: $(cat difference)"
left | grep . && fail 'files are left when the debugger ends'
steps run $flag 'cairn open -string log_ring' $flag "cairn open $tmp/log" $flag 'cairn close 1' $flag 'cairn close 2' $flag 'cairn close 3' $flag 'cairn close' \
	$flag "$(echo_line --back)" >said
sed '1,/--back/d' said | settle_steps >closed
diff alone closed >difference || fail "after captures were closed the process does not go on as it does alone: $(cat said)"
left | grep . && fail 'files are left after cairn close'

# files that are elsewhere
sed 's|^[^(]*live(|/gone/live(|' log >gone.log
grep -q '^/gone/live(' gone.log || fail "the log: $(cat gone.log)"
run $flag "cairn open -exe=$tmp/live gone.log" $flag bt >said || :
frames_of <said | head -n 3 >got
cmp -s frames got || fail "-exe: not the frames of the log: $(cat said)"
run $flag "cairn open -exe=$tmp/live@0x10000 gone.log" $flag bt >said || :
frames_of <said | head -n 3 >got
cmp -s frames got && fail '-exe: a wrong base changes nothing'
set --
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do set -- "$@" "-exe=live$i"; done
run $flag "cairn open $* log" $flag "cairn open -exe=$tmp/missing log" >said || :
grep -q -- '-exe accepts at most 16 files' said && grep -q 'missing: cannot be opened: No such file' said || fail "-exe: $(cat said)"

# a frame has its function, source and code
case $debugger in
gdb)
	run -ex 'cairn open -string log_ring' -ex 'frame 1' -ex list -ex 'x/2i $pc' -ex 'info symbol $pc' -ex 'info threads' >said
	# what no frame has saved nobody knows, but for the innermost frame, of which a core has all
	run -ex 'info registers rbx' -ex 'cairn open -string log_ring' -ex 'up' -ex 'print $rbx' -ex 'print $r12' -ex 'frame 0' -ex 'print $rbx' -ex 'inferior 1' -ex 'info registers rbx' >other
	[ "$(grep -c '^\$[12] = <not saved>$' other)" = 2 ] && grep -q '^\$3 = 0$' other || fail "registers: $(cat other)"
	[ "$(grep '^rbx' other | sort -u | wc -l)" = 1 ] || fail "registers of the process: $(cat other)"
	grep -q 'r + 1' said && grep -q '=> .*middle' said && grep -q '^middle + ' said || fail "in a frame: $(cat said)"
	;;
lldb)
	run -o 'cairn open -string log_ring' -o 'frame select 1' -o 'x/2i $pc' -o 'image lookup -a $pc' >said
	grep -q 'r + 1' said && grep -q '^->  0x' said && grep -q 'live`middle + ' said || fail "in a frame: $(cat said)"
	;;
esac

# a backtrace that a Swift program keeps: what find-cbf lists and a Backtrace value are entered by one command, and their frames are those that
# `cairn cbf` shows
"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 "$programs/traces.c" -o traces
swift() {
	case $debugger in
	gdb)
		within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set width 0' -iex 'set exec-wrapper env -i' \
			-ex "source $CAIRN_GDB" -ex 'break stop_here' -ex run -ex 'cairn find-cbf' "$@" ./traces </dev/null 2>&1
		;;
	lldb)
		{
			echo "plugin load $LLDB_PLUGIN"
			printf '%s\n' 'breakpoint set -n stop_here' run 'cairn find-cbf'
			for word; do
				[ "$word" = -o ] || printf '%s\n' "$word"
			done
		} >script
		within 120 "$LLDB" -x -b -O 'settings set target.inherit-env false' -O 'settings set interpreter.stop-command-source-on-error false' \
			-s script ./traces </dev/null 2>&1
		;;
	esac
}
swift >said || :
array=$(sed -n 's/^\(0x[0-9a-f]*\)  [0-9]* frames  .*/\1/p' said | head -n 1)
[ -n "$array" ] || fail "no array: $(cat said)"
case $debugger in
gdb) up=up ;;
lldb) up='frame select 1' ;;
esac
swift $flag "cairn cbf -array $array" >said || :
# each as often as it occurs; omitted ones have no addresses; of an async frame debuggers get the first byte plus 1
sed -n -e 's/^\(#[0-9]* *0x[0-9a-f]* \)\(x[0-9]* \)\{0,1\}in/\1[pc] \2in/' \
	-e 's/^#[0-9]* *\(0x[0-9a-f]*\) \[\([a-z]*\)\] \(x\([0-9]*\) \)\{0,1\}in .*/\1 \2 \4/p' said |
	while read -r address kind times; do
		[ "$kind" != async ] || address=$(printf '0x%016x' $((address + 1)))
		for _ in $(seq "${times:-1}"); do
			echo "$address"
		done
	done >recorded
[ "$(wc -l <recorded)" -ge 4 ] || fail "cbf: $(cat said)"
places_of() { sed -n -e 's/^#[0-9]* *\(0x[0-9a-f]*\) in .*/\1/p' -e 's/^.*frame #[0-9]*: \(0x[0-9a-f]*\) .*/\1/p'; }
swift $flag "cairn open -array $array" $flag "$(echo_line --opened)" $flag bt >said || :
sed '1,/--opened/d' said | places_of >got
cmp -s recorded got || fail "-array: $(cat recorded said)"
swift $flag "$up" $flag 'cairn cbf -backtrace &local' >said || :
grep -q '^#0 ' said || fail "-backtrace: $(cat said)"
swift $flag "$up" $flag 'cairn open -backtrace &local' $flag "$(echo_line --opened)" $flag bt >said || :
sed '1,/--opened/d' said | places_of >got
[ -s got ] || fail "-backtrace: $(cat said)"
left | grep . && fail 'files of a Swift backtrace are left'

# killed: the files are left, and the next one that opens a capture removes them
cat >kill.sh <<EOF
#!/bin/sh
ls "$TMPDIR" >"$tmp/while"
kill -9 "\$(cat "$tmp/pid")"
EOF
chmod +x kill.sh
case $debugger in
gdb)
	run -ex "cairn open $tmp/log" -ex "shell echo \$PPID >$tmp/pid; $tmp/kill.sh" >said 2>&1 || :
	;;
lldb)
	{
		echo "plugin load $LLDB_PLUGIN"
		echo "cairn open $tmp/log"
		echo 'platform shell sleep 100'
	} >script
	"$LLDB" -x -b -s script </dev/null >said 2>&1 &
	echo $! >pid
	tries=0
	while [ -z "$(left)" ] || ! ls "$(left)"/core >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || fail "no files: $(cat said)"
		sleep 0.1
	done
	sleep 0.5
	./kill.sh
	wait || :
	;;
esac
grep -q '^cairn-open\.' while || fail "no folder: $(cat said)"
left | grep -q . || fail 'nothing is left of a killed debugger: then this tests nothing'
[ "$(stat -c %a "$(left)")" = 700 ] || fail 'the folder is open to others'
run $flag "cairn open $tmp/log" $flag "$(echo_line --opened)" >said || :
left | grep . && fail 'what a killed debugger has left stays'

# What is hostile, or not there: in words, and the process is as it was.
printf '{"frames":[{"kind":"ra","address":"0x401000","times":1000000000}]}' >repeated
printf '#0 0x401000 in \033[2J\n#1 0x402000 in $(id) `id` ;shell id\n#2 0x403000 in $arg0\n' >controls
awk 'BEGIN { for (i = 0; i < 300; i++) printf "#%d  0x%x in f (/no/such/$arg0 %d\\\nlib.so+0x1000)\n", i, 4198400 + i, i }' >overlap
head -c 5000 /dev/urandom >noise
{ printf 'MDMP'; head -c 3000 /dev/zero; } >zeros.dmp
mkfifo pipe
for input in repeated controls overlap noise zeros.dmp pipe missing .; do
	run $flag "cairn open $tmp/$input" $flag bt $flag "$live" $flag next $flag bt $flag 'cairn close' >said 2>&1 || fail "$input: $(tail -n 5 said)"
	grep -q 'live.c:[0-9]*' said || fail "$input: the process is not there: $(cat said)"
	grep -q 'uid=' said && fail "$input: a command was run: $(cat said)"
	left | grep . && fail "$input: files are left"
done
run $flag "cairn open $tmp/noise" $flag "cairn open $tmp/pipe" $flag "cairn open $tmp/missing" $flag 'cairn open' $flag 'cairn close' $flag 'cairn open -array 8' $flag 'cairn open -backtrace log_ring' \
	$flag 'cairn open log_ring 2 - 2' $flag 'cairn open -string nothing' $flag "cairn open $tmp/log" $flag 'cairn close 99' >said || :
for wanted in 'no frame has an address, and the module files needed to compute the addresses were not found' 'cannot be opened: No such file' 'pipe: is not a regular file' 'the text is empty' \
	'FILE is missing; usage: cairn open FILE, or cairn open EXPRESSION LENGTH' 'no capture is open' 'no Swift backtrace at this address: not an array listed by find-cbf' \
	'not a Backtrace value' 'LENGTH must be greater than 0' 'no such capture; the newest capture is '; do
	grep -qF "$wanted" said || fail "not printed: $wanted: $(cat said)"
done
TMPDIR=$tmp/missing run $flag "cairn open $tmp/log" >said || :
grep -q 'missing: cannot create a temporary directory' said || fail "no folder: $(cat said)"
set --
for i in 1 2 3 4 5 6 7 8; do
	for k in 1 2 3 4 5 6 7 8; do
		set -- "$@" $flag "cairn open $tmp/log"
	done
done
run "$@" $flag "cairn open $tmp/log" $flag "$live" $flag bt >said || :
grep -q '64 captures are already open; close one with "cairn close"' said || fail "many: $(cat said)"
grep -q 'around' said || fail "many: the process is not there: $(tail -n 5 said)"
left | grep . && fail 'many: files are left'

[ "$debugger" = gdb ] || exit 0

# in the machine interface, too
cat >script <<EOF
1-interpreter-exec console "source $CAIRN_GDB"
2-gdb-set inferior-tty /dev/null
3-break-insert later
4-exec-run
EOF
cat >after <<EOF
5-interpreter-exec console "cairn open -string log_ring"
6-stack-list-frames
7-interpreter-exec console "inferior 1"
8-exec-next
EOF
cat >last <<EOF
9-stack-list-frames
10-interpreter-exec console "cairn close"
11-list-thread-groups
12-gdb-exit
EOF
{
	cat script
	await_stops 1 "$tmp/out"
	cat after
	await_stops 2 "$tmp/out"
	cat last
} | within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' -iex 'set auto-load no' ./live >out 2>errors
grep '^6^done' out | grep -q 'func="record".*func="middle".*func="main"' || fail "MI: $(cat out)"
grep '^9^done' out | grep -q 'func="later".*func="around".*func="main"' || fail "MI: $(cat out)"
grep '^11^done' out | grep -q 'id="i1"' || fail "MI: $(cat out)"
grep '^11^done' out | grep -q 'id="i2"' && fail "MI: the inferior is still there: $(cat out)"
left | grep . && fail 'MI: files are left'

# auto-symbols has hooks, which are not for captures; nor are the user's own
run -ex 'define hookpost-core-file' -ex 'echo mine\n' -ex 'end' >/dev/null || :
printf 'define hookpost-core-file\necho mine\\n\nend\ndefine hookpost-file\necho mine\\n\nend\n' >hooks
run -ex 'source hooks' -ex 'set cairn auto-symbols on' -ex 'cairn open -string log_ring' -ex bt -ex 'print $cairn_ok' -ex 'cairn close' -ex 'print $cairn_ok' >said
frames_of <said | head -n 3 >got
cmp -s frames got || fail "with auto-symbols: $(cat said)"
[ "$(grep -c '^\$[12] = 1$' said)" = 2 ] || fail "with auto-symbols: $(cat said)"
grep -q mine said && fail "a hook ran: $(cat said)"

# one that the user has removed, or uses for something else, is left alone
run -ex "cairn open $tmp/log" -ex 'detach' -ex 'inferior 1' -ex 'remove-inferiors 2' -ex 'cairn close' -ex 'print $cairn_ok' -ex 'info inferiors' >said
grep -q '^\$1 = 1$' said || fail "removed by the user: $(cat said)"
run -ex "cairn open $tmp/log" -ex 'detach' -ex 'file ./live' -ex 'cairn close 2' -ex 'print $cairn_ok' -ex 'info inferiors' >said
grep -q '^\$1 = 1$' said && grep -q '^[* ] 2 .*/live' said || fail "used by the user: $(cat said)"
left | grep . && fail 'files are left that the user let go of'
echo 'captures beside a process: as wanted'
