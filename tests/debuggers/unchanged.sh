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
== data sample
break stop_here
run recurse
print sink
print &sink
print/x value
ptype main
whatis sink
x/4xw &sink
output sink
printf "%d of %d\n", sink, value
set var sink = 7
print sink
print $
print $$2
call (int) sink
display sink
info display
undisplay 1
print $_
print $bpnum
show values 3
print sizeof(struct timespec)
up
print local
print &local[1]
print *local@2
print -pretty -- local
x/2i $pc
info line
== symbols sample
info functions stop
info variables sink
info address sink
info symbol main
info line main
info scope recurse
info source
list main
list
list 1,5
list recurse
info source
search pthread
info types pthread_t
info sharedlibrary
info symbol stop_here
maint info sections
== places sample
break main if argc > 5
tbreak stop_here
rbreak ^recu
condition 1
ignore 2 1
info breakpoints
delete 1
disable
enable once
enable delete 2
run recurse
bt 2
continue
info breakpoints
save breakpoints /dev/stdout
clear stop_here
delete
info breakpoints
break nosuch
tbreak 9999
break *0
== watching sample
start recurse
watch sink
rwatch sink
awatch sink
info watchpoints
continue
continue
bt 1
delete
watch -l sink
continue
info breakpoints
== catching sample
catch signal SIGUSR1
catch syscall write
catch throw
catch exec
info breakpoints
run signal
bt 2
info program
info signals SIGSEGV
info signals 11
handle SIGUSR1 nostop
signal 0
== running sample
show args
set args recurse
show args
start
next
next 2
step
info program
until
advance stop_here
finish
info registers rip
continue
print $_exitcode
info program
run
print $_isvoid($_exitcode)
next
== twice sample
break stop_here
run recurse
bt 2
run qsort
bt 3
kill
info program
info registers
bt
file
bt
info files
== static sample
info files
list main
print main
disassemble stop_here
info line stop_here
x/2i main
bt
info registers
info frame
finish
step
up
info threads
info inferiors
info locals
print $pc
print $sp
info proc
== code sample
break stop_here
run recurse
disassemble
disassemble /s
disassemble /r $pc,+8
x/5i $pc
x/s $sp
info registers eflags
info registers cs ss
p/t $eflags
p $rip
p/c $al
set disassemble-next-line on
stepi
nexti
info all-registers rip
info float
info vector
info line *$pc
== skipping family
skip function leaf
skip file nosuch.c
info skip
break recurse
run
step
step
step
skip delete 1
info skip
step
== printing family
dprintf leaf,"leaf of %d\n",depth
break leaf
run
continue
bt
info breakpoints
delete
continue
== mistakes sample
print nosuch
print nosuch(
break nosuch
bt nosuch
frame 99
foo
info nosuch
x/2x 0
set var nosuch = 1
print *(int *) 0
run abort
bt 1
frame 99
frame function nosuch
up 99
down 99
frame level 1
select-frame 0
print nosuch + 1
ptype struct nosuch
list nosuch
thread 9
inferior 9
continue 2
== help sample
help stack
help bt
help info frame
help x
apropos -v backtrace past
apropos watchpoint
complete info b
complete bt -f
complete print si
complete break stop
complete set print f
show version
show print pretty
show confirm
show language
show architecture
show follow-fork-mode
info line
info set nosuch
== defined sample
source DEFINITIONS
help twice_up
show user twice_up
run_to recurse
twice_up
bt
whereami
info breakpoints
continue
show user hook-stop
== scripts sample
break stop_here
source SCRIPT
bt 1
info display
print $answer
tfaas print 1
frame apply 2 -q print $pc
thread apply all -q bt 1
with print address off -- bt 2
faas print nosuch
pipe bt | wc -l
shell echo said
!echo said
pipe -d @ info frame @ head -2
echo done\n
== logs sample
set logging file /dev/stdout
set logging redirect on
set logging enabled on
print 1
bt
set logging enabled off
break stop_here
run recurse
set logging enabled on
bt
info frame
set logging enabled off
== settings sample
set print address off
set print frame-arguments none
set print entry-values both
set print frame-info location
set print pretty on
set listsize 3
set backtrace limit 2
set backtrace past-main on
break stop_here
run recurse
bt
bt -full 1
set backtrace limit unlimited
bt -full -past-entry 2
set print frame-info auto
frame
list
set language pascal
print sink
set language auto
show print frame-info
set width 40
bt 2
set height 0
set input-radix 16
print 10
set output-radix 16
print 10
set style enabled on
bt 1
set style enabled off
== inferiors family
info inferiors
add-inferior
inferior 2
file
info inferiors
inferior 1
clone-inferior
info inferiors
break leaf
run
bt 2
inferior 3
run
bt 2
info inferiors
info threads
thread 1.1
bt 1
kill inferiors 1 3
remove-inferiors 2
info inferiors
== thread threads
break stop_here
run
info threads
thread
thread name worker
info threads
thread find worker
thread apply 1 bt 1
thread apply all -s frame
set scheduler-locking on
next
set scheduler-locking off
kill
info threads
== values-of-functions sample
break stop_here
run recurse
print stop_here(3)
print sink
set unwindonsignal on
print $_streq("a", "b")
print $_strlen("abc")
print $_gdb_setting("print pretty")
print $_any_caller_is("main")
finish
print $
print $_thread
print $_siginfo.si_signo
print $_exitcode
compare-sections .text
macro define ANSWER 42
print ANSWER
macro expand ANSWER + 1
return
return 5
bt
END

# what users write into files
cat >"$tmp/definitions" <<'END'
define twice_up
up
up
end
document twice_up
Go up two frames.
end
define run_to
tbreak stop_here
run $arg0
end
alias whereami = frame
define hook-stop
echo stopped\n
end
define hookpost-continue
echo continued\n
end
END
cat >"$tmp/script" <<'END'
commands
silent
bt 1
print sink
end
run recurse
set $answer = 0
while $answer < 3
  set $answer = $answer + 1
  if $answer == 2
    display sink
  end
end
END
sed -i "s|DEFINITIONS|$tmp/definitions|; s|SCRIPT|$tmp/script|" "$tmp/commands"

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

# the machine interface, one section for each session
cat >"$tmp/mi" <<'END'
== mi
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
== mi-values
-break-insert recurse
-exec-arguments recurse
-exec-run
-var-create depth * depth
-var-create trail * trail
-var-info-type depth
-exec-continue
-var-update --all-values *
-var-evaluate-expression depth
-var-delete depth
-data-evaluate-expression sink+1
-data-evaluate-expression nosuch
-data-read-memory-bytes &sink 4
-data-list-register-names 0 1 2
-data-list-changed-registers
-data-disassemble -s $pc -e $pc+8 -- 0
-stack-list-locals 1
-exec-next
-exec-step
-interpreter-exec console "info frame"
-interpreter-exec console "print sink"
== mi-breakpoints
-break-insert -t main
-break-insert -c sink>100 stop_here
-break-insert -f nosuch
-break-watch sink
-break-list
-break-disable 2
-exec-arguments recurse
-exec-run
-exec-next
-break-enable 2
-break-condition 2 sink<100
-break-after 2 1
-break-info 2
-break-delete 4
-exec-continue
-break-list
-catch-throw
-dprintf-insert recurse "at %d\n" depth
-exec-finish
== mi-editor
-list-features
-list-target-features
-info-gdb-mi-command break-insert
-environment-pwd
-file-list-exec-source-file
-symbol-list-lines sample.c
-gdb-show args
-gdb-set print pretty on
-gdb-set args recurse
-list-thread-groups
-complete "info br"
-break-insert sample.c:stop_here
-exec-run
-thread-list-ids
-thread-select 1
-stack-list-frames 0 1
-stack-list-arguments --simple-values 0 1
-symbol-info-functions --name stop_here
-list-thread-groups --available nosuch
-interpreter-exec console "help bt"
-interpreter-exec console "info breakpoints"
-interpreter-exec console "frame 1"
-exec-return
-exec-abort
-thread-info
END
machine() {
	: >"$tmp/machine"
	{
		echo "-interpreter-exec console \"$load\""
		printf '%s\n' '-gdb-set confirm off' '-gdb-set mi-async off' '-gdb-set exec-wrapper env -i'
		stops=0
		while read -r line; do
			echo "$line"
			case $line in -exec-[!ar]* | -exec-run)
				stops=$((stops + 1))
				await_stops $stops "$tmp/machine"
				;;
			esac
		done <"$tmp/lines"
		echo -gdb-exit
	} | within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' -iex 'set auto-load no' "$tmp/sample" 2>&1 | tee "$tmp/machine" |
		sed -E 's/(pid|core)="[0-9]+"/\1="N"/g; s/\(LWP [0-9]+\)/(LWP N)/g; s/process [0-9]+/process N/g; s/LWP [0-9]+/LWP N/g' |
		grep -vE '^=(thread-group-started|library-loaded|cmd-param-changed|memory-changed)|^&"|^~"(echo)?\\n"$'
}
for name in $(sed -n 's/^== //p' "$tmp/mi"); do
	sed -n "/^== $name\$/,/^== /p" "$tmp/mi" | sed '/^== /d' >"$tmp/lines"
	each_way machine
	equal "$name" 15
done
echo "$lines lines equal"
