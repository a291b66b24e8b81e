#!/bin/sh
# SPDX-License-Identifier: MIT
# faults.sh: reads of memory fail, each in turn and all from one on, and the process is killed before a read: a command
# answers or reports an error, LLDB lives, and the next command is right.  Names that a program chooses do not drive the
# terminal, and a text of megabytes is shown up to a bound.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}" "${FAULTS?path of the plugin that refuses reads}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
[ -n "$FAULTS" ] || skip 'no headers of LLDB (liblldb-19-dev), or no C++ compiler'
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the core'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"

# session ARGUMENTS...: LLDB with the commands of "script", to "said"; it ends by itself, and not by a signal
session() {
	status=0
	LD_PRELOAD="$FAULTS" timeout $((200 * ${CK_TIMEOUT_MULTIPLIER:-1})) "$LLDB" -x -b \
		-O 'settings set target.disable-aslr true' -O 'settings set target.inherit-env false' \
		-O 'settings set use-color false' -O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' \
		-O "plugin load $FAULTS" -O "plugin load $LLDB_PLUGIN" \
		-o 'settings set interpreter.stop-command-source-on-error false' "$@" -s script </dev/null >said 2>&1 ||
		status=$?
	[ "$status" -le 1 ] || { # 1: the last command failed
		tail -n 30 said
		fail "LLDB ended with status $status"
	}
}
# count NUMBER PATTERN
count() {
	found=$(grep -cE -- "$2" said || :)
	[ "$found" = "$1" ] || {
		tail -n 60 said
		fail "$found times \"$2\", not $1"
	}
}

build sample -g -O1 -pthread "$programs/sample.c"
"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "$programs/sample.c" -o full
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr full sample
within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' \
	-ex 'set exec-wrapper env -i' -ex 'break stop_here' -ex 'run recurse' -ex "generate-core-file $tmp/core" \
	sample </dev/null >said 2>&1 || :
[ -s core ] || fail 'no core of GDB'

# How many reads there are, in a core that cairn has not seen before.
asked='cairn bt 3
cairn where $pc
cairn sframe
cairn markup -string 16
cairn find-cbf'
{
	echo 'refuse 0 0'
	echo "$asked"
	echo reads
} >script
session -o "target create --core core sample"
count 1 '^#2 .* in recurse '
reads=$(sed -n 's/^reads: //p' said)
[ "$reads" -gt 20 ] || fail "only $reads reads: LLDB is not asked through the library before it"

# Each in turn, and all from there on; each time the core is opened anew, so that nothing is known.
step=$((reads / 40 + 1)) rounds=0
for at in $(seq 1 $step "$reads"); do
	for many in 1 1000000; do
		printf 'target delete --all\ntarget create --core core sample\nrefuse %d %d\n%s\n' "$at" $many "$asked"
		printf 'refuse 0 0\ncairn bt 3\n'
		rounds=$((rounds + 1))
	done
done >script
session
awk '/^\(lldb\) refuse 0 0/ { next_one = 1; next } /^\(lldb\) / { on = next_one; next_one = 0 } on' said |
	grep -c '^#2 .* in recurse ' >right || :
[ "$(cat right)" = $rounds ] || fail "after a failed read $(cat right) of $rounds commands are right"
echo "$reads reads: after $rounds faults the next command is right"

# The process goes away before a read.  LLDB may still believe that it is there; version 14 starts no other one then.
for at in 1 2 5 13; do
	printf 'vanish %d\n%s\ncairn status\ncairn where 0x10\n' "$at" "$asked" >script
	session -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' sample
	count 1 '^0x10 [?][?]$'
	count 1 '^cairn .* in LLDB '
done
echo 'a process that is killed before a read: LLDB lives'

# Large reads go to the kernel by the number of the process: of another program, of another process of the same program at
# the same addresses, of none, and after another run and exec() the answer is what the process has.
cat >letters.c <<'END_C'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>
char text[8193];
__attribute__((noinline)) void stop_here(void)
{
	__asm__ volatile("");
}
/* letters LETTER...: a text of each, one after the other with exec(); "-" waits */
int main(int argc, char **argv)
{
	FILE *out;

	/* where that is not allowed, addresses differ */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE) && personality(ADDR_NO_RANDOMIZE) >= 0 &&
	    (personality(0xffffffff) & ADDR_NO_RANDOMIZE))
		execv("/proc/self/exe", argv);
	memset(text, argv[1][0], sizeof(text) - 1);
	stop_here();
	if (argc > 2 && argv[2][0] == '-') {
		out = fopen("waiting", "w");
		if (out)
			fclose(out);
		alarm(600); /* if nobody ends it */
		pause();
	}
	if (argc > 2)
		execv("/proc/self/exe", argv + 1);
	return 0;
}
END_C
"$CC_TARGET" -g -O1 letters.c -o letters
env -i ./letters b - &
twin=$!
sleep 600 &
sleeper=$!
until [ -f waiting ]; do
	kill -0 $twin 2>/dev/null || fail 'the other process ended'
	sleep 0.1
done
none=4194303 # the largest number is 4194304
for other in 0 $twin $sleeper $none; do
	printf '%s\n' "pretend $other" 'process launch -- a c' 'cairn markup text 8192' continue continue 'cairn markup text 8192' \
		'process kill'
done >script
session -o 'breakpoint set -n stop_here' letters
kill $twin $sleeper
for letter in a c; do
	count 4 "^$letter{8192}$"
done
count 0 '^b{8192}$'
echo 'numbers of other processes: what is read is of the process itself'

# Names that a program chooses.  Assemblers differ in what escapes they know: the characters are put in afterwards.
cat >names.s <<'END_S'
	.globl main
	.text
	.type "escape~[31m~~~~E", @function
"escape~[31m~~~~E":
	nop
	.size "escape~[31m~~~~E", 1
	.type "~ line ~~(lldb) quit", @function
"~ line ~~(lldb) quit":
	nop
	.size "~ line ~~(lldb) quit", 1
	.type main, @function
main:
	.cfi_startproc
	xor %eax, %eax
	ret
	.cfi_endproc
	.size main, . - main
	.section .note.GNU-stack, "", @progbits
END_S
"$CC_TARGET" names.s -o plain
sed -e "s/escape~\\[31m~~~~E/escape$(printf '\033')[31m$(printf '\001\342\200\256')E/g" -e 's/~ line ~~(lldb) quit/\r line \n\r(lldb) quit/g' \
	plain >names
chmod +x names
printf '%s\n' 'cairn where main - 2' 'cairn where main - 1' 'cairn where -json main - 1' 'cairn where nosuch' >script
session -o 'breakpoint set -n main' -o run names
count 1 ' escape\\x1b\[31m\\x01\\xe2\\x80\\xaeE'
count 1 ' \\x0d line \\x0a\\x0d\(lldb\) quit'
sed -n '/^(lldb) cairn where/,$p' said >answers
! grep -q "$(printf '[\001\033\r]\|\342\200\256')" answers || fail 'a name drives the terminal'
echo 'hostile names: shown as text'

# LLDB prints an answer when it is whole, and cannot be interrupted meanwhile.
cat >long.c <<'END_C'
#include <string.h>
enum { LINES = 120000, LINE = 100 };
char text[LINES * LINE];
__attribute__((noinline)) void stop_here(void)
{
	__asm__ volatile("");
}
int main(void)
{
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < LINES; i++)
		text[i * LINE + LINE - 1] = '\n';
	stop_here();
	return 0;
}
END_C
"$CC_TARGET" -g -O0 long.c -o long
printf '%s\n' 'cairn markup text 12000000' 'cairn where 0x10' >script
session -o 'breakpoint set -n stop_here' -o run long
count 1 '^0x10 [?][?]$'
count 1 '^.the text is too long; the rest is not shown.$'
lines=$(grep -cE '^x{99}$' said || :)
[ "$lines" -gt 80000 ] && [ "$lines" -lt 100000 ] || fail "$lines lines of a text that is too long"
echo "a text of 120000 lines: $lines of them are shown"
