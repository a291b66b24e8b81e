#!/bin/sh
# SPDX-License-Identifier: MIT
# GDB's own commands on an ordinary program say the same with cairn and without, byte for byte: with
# the module alone, and with its commands.  What is not equal is a list in docs/gdb.md.
# Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET"
[ "$(uname -m)" = x86_64 ] || skip "the registers are those of x86-64"

"$CC_TARGET" -g -pthread "$@" "$programs/sample.c" -o "$tmp/sample"
cat >"$tmp/family.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int sink;
int __attribute__((noinline)) leaf(int depth) { return sink += depth; }
int __attribute__((noinline)) recurse(int depth) { return depth ? recurse(depth - 1) + leaf(depth) : leaf(9); }
int main(int argc, char **argv)
{
	int status = 0;
	pid_t child = argc > 1 ? fork() : 0;
	if (child > 0)
		waitpid(child, &status, 0);
	sink += recurse(5 + argc) + (argv[0] == NULL);
	if (argc > 1 && child == 0)
		_exit(3);
	return status == 3 << 8 ? 0 : sink & 1;
}
END
"$CC_TARGET" -g "$@" "$tmp/family.c" -o "$tmp/family"

# Two threads that wait where they are, and one that stops.
cat >"$tmp/threads.c" <<'END'
#include <pthread.h>
#include <unistd.h>
volatile int ready;
void __attribute__((noinline)) stop_here(void) { ready++; }
void __attribute__((noinline)) spin(void)
{
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	__asm__ volatile("1: jmp 1b");
}
static void *wait(void *unused) { spin(); return unused; }
static void *stop(void *unused)
{
	while (ready < 2)
		usleep(1000);
	usleep(300000);
	stop_here();
	return unused;
}
int main(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, wait, NULL);
	while (ready < 1)
		usleep(1000);
	pthread_create(&thread[1], NULL, stop, NULL);
	spin();
	return 0;
}
END
"$CC_TARGET" -g -pthread "$@" "$tmp/threads.c" -o "$tmp/threads"

# One section for each group of commands: its name, its program, its commands.
cat >"$tmp/commands" <<'END'
== frames sample
break stop_here
run recurse
bt
bt full
bt -3
info frame
up
info frame
info locals
info registers
up
info registers rip rsp rbp rbx r12 r13 r14 r15
print $rbx = 5
down
frame function main
info frame
frame apply all -q info frame
info symbol $pc
info line
x/3i $pc
maint print dummy-frames
print $_exitcode
== stepping sample
break recurse
run recurse
finish
stepi
stepi
nexti
bt
step
next
until
advance stop_here
bt
tbreak recurse
continue
return
bt
up
frame
finish
info breakpoints
kill
== values sample
break stop_here
run inline
bt full
up
info args
print $_siginfo
print stop_here()
bt
finish
watch sink
continue
bt
info watchpoints
== signals sample
handle SIGSEGV nostop noprint pass
break stop_here
run signal
bt
frame apply all -q info frame
finish
bt
== libraries sample
break stop_here
run qsort
bt
frame apply all -q info registers rip rsp rbp rbx r12 r13 r14 r15
up 3
info frame
finish
bt
info sharedlibrary
info proc mappings
info files
== threads threads
break stop_here
run
thread apply all bt
info threads
thread 1
bt 3
thread 2
thread apply all info frame
thread apply 1 up
kill
== abort sample
run abort
bt
info frame
up 2
info registers rip rsp
== fork family
set detach-on-fork off
set follow-fork-mode child
break leaf
run fork
bt
info inferiors
inferior 1
bt
info frame
kill inferiors 2
== fork-parent family
set follow-fork-mode parent
catch fork
break leaf
run fork
bt
continue
bt
continue
== checkpoint family
break leaf
run
checkpoint
bt
info frame
info checkpoints
restart 1
bt
info frame
restart 0
bt
delete checkpoint 1
info checkpoints
== reverse family
break recurse
run
delete
record full
break leaf
continue
bt
reverse-stepi
bt
reverse-finish
bt
info frame
reverse-continue
bt
stepi
info registers rip rsp
record stop
== two family
break leaf
run
add-inferior -no-connection
inferior 2
file
inferior 1
bt
info inferiors
remove-inferiors 2
run
bt
== catch family
catch syscall exit_group
run
bt
info frame
up
== asm family
starti
info registers rip
stepi
stepi
x/i $pc
advance main
bt
display/i $pc
ni
ni
info display
END

# section NAME: its program and commands
section() {
	sed -n "/^== $1 /,/^== /p" "$tmp/commands" | sed '1d; /^== /d' >"$tmp/lines"
	program=$(sed -n "s/^== $1 //p" "$tmp/commands")
	set --
	while read -r line; do
		set -- "$@" -ex 'echo > ' -ex "echo $(printf %s "$line" | sed 's/\\/&&/g')\\n" -ex "$line"
	done <"$tmp/lines"
	talk "$tmp/$program" "$@"
}

# talk ARGUMENTS...: with what $load says
talk() {
	timeout -k 5 $limit "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set width 0' -iex 'set confirm off' -ex 'set exec-wrapper env -i' \
		-ex "$load" "$@" </dev/null 2>&1 |
		sed 's/LWP [0-9]*/LWP N/g; s/^  Id   Target Id  *Frame/Id Target Frame/; /^[* ] [0-9]/s/  */ /g; s/process [0-9]* */process N /g; s/[0-9]\{3,\}\.[0-9]*/PID/g'
}

# What the kernel numbers anew in each run.
settle_run() {
	sed -E 's/(si_pid|_pid|tid|expected|child|pid) ?= ?[0-9]+/\1 = N/g; s/Attaching to program: (.*), .*/Attaching \1/; s/pid [0-9]+/pid N/g'
}

# equal NAME LINES: what was said with the module, and with the commands, is what is said without.
equal() {
	[ "$(wc -l <"$tmp/$1.without")" -ge "$2" ] || {
		cat "$tmp/$1.without"
		fail "$1: GDB says too little"
	}
	for how in module commands; do
		diff -u "$tmp/$1.without" "$tmp/$1.$how" >"$tmp/diff" || {
			head -n 40 "$tmp/diff"
			fail "$1 with the $how"
		}
	done
	lines=$((lines + $(wc -l <"$tmp/$1.without")))
}

# each_way COMMAND...: its output in $tmp/$name.HOW, for each way to load
each_way() {
	for how in without module commands; do
		case $how in
		without) load=echo ;;
		module) load="jit-reader-load $MODULE" ;;
		commands) load="source $CAIRN_GDB" ;;
		esac
		"$@" | settle_run >"$tmp/$name.$how"
	done
}

lines=0
names=$(sed -n 's/^== \([^ ]*\) .*/\1/p' "$tmp/commands")
# on some kernels GDB itself dies of its checkpoints
load=echo limit=20
(section checkpoint) >"$tmp/said" 2>/dev/null || :
grep -q '^>info checkpoints' "$tmp/said" && grep -q '^No checkpoints' "$tmp/said" || {
	echo 'checkpoints do not work in this GDB here: left out'
	names=$(echo "$names" | grep -v checkpoint)
}
limit=120
for name in $names; do
	each_way section "$name"
	equal "$name" 8
done

# a core
name=core load=echo
talk "$tmp/sample" -ex 'break stop_here' -ex 'run qsort' -ex "generate-core-file $tmp/core" >/dev/null
core() {
	talk "$tmp/sample" -ex "core-file $tmp/core" -ex 'bt full' -ex 'info frame' -ex 'up 4' \
		-ex 'info registers' -ex 'frame apply all -q info frame' -ex 'info threads' -ex 'info auxv'
}
each_way core
equal core 60

# attach, to the same process each time
name=attach
env -i "$tmp/sample" wait >"$tmp/waiting" &
pid=$!
tries=0
until grep -qs waiting "$tmp/waiting" || [ $tries -gt 300 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
attach() {
	talk "$tmp/sample" -ex "attach $pid" -ex 'bt full' -ex 'info frame' -ex 'up 2' -ex 'info locals' \
		-ex 'info registers' -ex 'frame apply all -q info frame' -ex detach
}
each_way attach
kill $pid
wait $pid 2>/dev/null || :
equal attach 40

# a remote target
name=remote
remote() {
	talk "$tmp/sample" -ex 'set sysroot /' -ex "target remote | env -i $(command -v gdbserver) --once - $tmp/sample qsort" \
		-ex 'break stop_here' -ex continue -ex 'bt full' -ex 'frame apply all -q info frame' \
		-ex finish -ex stepi -ex bt -ex 'info registers' -ex kill
}
if command -v gdbserver >/dev/null; then
	each_way remote
	equal remote 60
fi

# the machine interface
name=mi
cat >"$tmp/mi" <<'END'
-gdb-set confirm off
-gdb-set mi-async off
-gdb-set exec-wrapper env -i
-break-insert stop_here
-exec-arguments recurse
-exec-run
-stack-list-frames
-stack-list-variables --all-values
-stack-info-frame
-stack-select-frame 2
-data-list-register-values --thread 1 --frame 2 x 6 7 16
-exec-finish
-exec-step-instruction
-stack-info-depth
-stack-list-arguments 1
-thread-info
-interpreter-exec console "bt full"
-gdb-exit
END
machine() {
	: >"$tmp/machine"
	{
		echo "-interpreter-exec console \"$load\""
		stops=0
		while read -r line; do
			echo "$line"
			case $line in -exec-[!a]*)
				stops=$((stops + 1))
				await_stops $stops "$tmp/machine"
				;;
			esac
		done <"$tmp/mi"
	} | within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' -iex 'set auto-load no' "$tmp/sample" 2>&1 | tee "$tmp/machine" |
		sed -E 's/(pid|core)="[0-9]+"/\1="N"/g; s/\(LWP [0-9]+\)/(LWP N)/g; s/process [0-9]+/process N/g; s/LWP [0-9]+/LWP N/g' |
		grep -vE '^=(thread-group-started|library-loaded|cmd-param-changed|memory-changed)|^&"|^~"(echo)?\\n"$'
}
each_way machine
equal mi 15
echo "$lines lines equal"
