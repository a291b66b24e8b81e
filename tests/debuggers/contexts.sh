#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands wherever GDB lets a command stand: in breakpoint commands, hooks, `frame apply`,
# pipes, logs, every language; with a running program, without one, without the module, beside
# another JIT reader.  At most one line says what is wrong, the script goes on, and the selected
# frame and thread stay.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
program=$tmp/no/sample
case=

# session NAME PROGRAM: GDB commands from standard input; their output in $tmp/out, without the line that cairn prints
# once where the C library of a Debian does not name its functions: that is not about the commands.
session() {
	case=$1
	debugged=$2
	within 120 "$GDB" -nx -q -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set prompt' -ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' \
		-ex 'set inferior-tty /dev/null' -ex 'set exec-wrapper env -i' "$debugged" \
		>"$tmp/said" 2>&1 || {
		cat "$tmp/said"
		fail "$case: GDB ended badly"
	}
	sed -e 's/^>*//' -e '/^cairn: no symbols for [^ ]*\/libc\.so\.6 /d' "$tmp/said" >"$tmp/out"
}

# lines NUMBER REGEX: that many lines match.
lines() {
	found=$(grep -c -- "$2" "$tmp/out" || :)
	[ "$found" = "$1" ] || {
		cat "$tmp/out"
		fail "$case: $found times \"$2\", not $1"
	}
}

session 'breakpoint commands' "$program" <<END
source $CAIRN_GDB
break recurse
commands 1
silent
cairn bt 1
cairn where \$pc
if \$cairn_ok
echo answered\n
end
continue
end
run recurse
cairn bt
END
lines 6 '^#0 .* in recurse'
lines 6 '^answered'
lines 1 '^cairn: no stack'
lines 1 '^cairn: '

# sourced, for there GDB would end at an error
cat >"$tmp/no process" <<END
cairn where nosuch
cairn where &nosuch + 4
cairn where -json nosuch
cairn where \$pc
cairn where \$nosuch
cairn bt
cairn sframe nosuch
echo still here\n
set \$mine = &main
cairn where main
cairn where main + 4
cairn where \$mine
cairn where &sink
END
session 'no process' "$program" <<END
source $CAIRN_GDB
source $tmp/no process
END
lines 3 'No symbol "nosuch" in current context'
lines 1 '^{"error":'
lines 1 '^cairn: $pc has no value without a process'
lines 1 '^cairn: $nosuch has no value without a process'
lines 1 '^cairn: no stack'
lines 1 '^still here'
lines 2 '^0x[0-9a-f]* main at sample.c'
lines 1 '^0x[0-9a-f]* main + 4 at sample.c'
lines 1 '^0x[0-9a-f]* sink'

session 'hook-stop' "$program" <<END
source $CAIRN_GDB
define hook-stop
cairn bt 2
end
break stop_here
run recurse
up 2
cairn bt 1
frame
END
lines 1 '^#1 .* in recurse +'
lines 2 '^#0 .* in stop_here'
lines 2 '^#2 .* recurse (depth'
lines 0 '^cairn: '

session 'frame apply, thread apply' "$program" <<END
source $CAIRN_GDB
break stop_here
run thread
frame apply 2 -q cairn bt 1
thread apply all -q cairn bt 1
faas cairn bt 1
up
thread apply 1 -q cairn bt 2
thread
frame
print \$cairn_ok
END
lines 1 '^\[Current thread is 2 '
lines 3 '^#1  0x[0-9a-f]* in recurse (depth' # faas, up, frame
lines 0 '^Warning'
lines 1 '= 1$'
lines 0 '^cairn: '

session 'pipe and log' "$program" <<END
source $CAIRN_GDB
break stop_here
run recurse
pipe cairn bt 2 | sed s/^/piped:/
| cairn where \$pc | sed s/^/piped:/
set logging file $tmp/log
set logging enabled on
cairn bt 2
cairn where nosuch
cairn where 'sample.c'::sink
set logging enabled off
cairn bt 1
print \$cairn_ok
set logging redirect on
set logging file $tmp/log2
set logging enabled on
cairn bt 2
set logging enabled off
cairn bt -json 1
END
lines 2 '^piped:#'
lines 3 '^piped:  '
lines 1 '^piped:0x'
lines 3 '^#'
lines 1 '^cairn: No symbol'
lines 1 '^{'
cp "$tmp/log" "$tmp/out"
lines 2 '^#'
lines 1 '^cairn: No symbol'
cp "$tmp/log2" "$tmp/out"
lines 2 '^#'

# A syntax error, not an unknown name: GDB 13 dies of those in Go.
for language in ada rust fortran pascal modula-2 go d opencl objective-c asm minimal c++ c auto; do
	session "language $language" "$program" <<END
source $CAIRN_GDB
cairn bt
set language $language
break stop_here
run recurse
cairn bt 2
with language c -- print \$cairn_ok
up
cairn where \$pc
cairn where (
with language c -- print \$cairn_ok
cairn where \$sp
cairn sframe
cairn status
set cairn unwinder always
show cairn unwinder
cairn bt \$cairn_frames
kill
cairn bt
END
	lines 4 '^#[01]  *0x[0-9a-f]* in [^(]* at sample.c'
	lines 1 '= 1$'
	lines 1 '= 0$'
	lines 1 '  sframe   0x'
	lines 1 '"always"'
	lines 2 '^cairn: no stack'
	lines 3 '^cairn: '
done

session 'running' "$program" <<END
source $CAIRN_GDB
set non-stop on
run wait &
shell sleep 1
cairn bt
print \$cairn_error
cairn where main
cairn where \$pc
cairn status
interrupt
shell sleep 1
cairn where main
print \$cairn_ok
kill
END
lines 1 '^cairn: no stack: the selected thread is running'
lines 1 '= "no stack: the selected thread is running"'
lines 2 '^0x[0-9a-f]* main at'
lines 2 '^cairn: '
lines 1 '= 1$'

session 'no code, no memory' "$program" <<END
source $CAIRN_GDB
break stop_here
run recurse
cairn where *(long *) 8
cairn where 0xffffffffffffff00
cairn sframe 8
set \$saved = \$sp
set \$sp = 16
cairn bt
set \$sp = \$saved
cairn bt 1
set \$saved = \$pc
set \$pc = 0
cairn bt
cairn sframe
set \$pc = \$saved
cairn bt 1
END
lines 1 '^cairn: Cannot access memory'
lines 1 '^cairn: no module contains 0x8$'
lines 3 '^#0 .* in stop_here'
lines 1 '^#0   0x0* in [?][?]$'
lines 1 '^#[0-9]* .* in main + '
lines 3 '^cairn: '

session 'kill and unload' "$program" <<END
cairn bt
source $CAIRN_GDB
source $CAIRN_GDB
break stop_here
run recurse
cairn bt 1
kill
cairn bt
print \$cairn_error
run
cairn bt 1
jit-reader-unload
cairn bt 1
print \$cairn_ok
print \$cairn_error
source $CAIRN_GDB
cairn bt 1
jit-reader-unload
jit-reader-load $MODULE
cairn bt 1
kill
jit-reader-unload
cairn bt
cairn status
source $CAIRN_GDB
cairn status
cairn bt
END
lines 1 '^Undefined command: "cairn"'
lines 4 '^#0 .* in stop_here'
lines 2 '^cairn: no stack'
lines 3 '^cairn: the module is not loaded'
lines 5 '^cairn: '
lines 1 '= "the module is not loaded"'
lines 1 '^Unwinder: auto'

cat >"$tmp/other.c" <<'END'
#include <gdb/jit-reader.h>
GDB_DECLARE_GPL_COMPATIBLE_READER
static enum gdb_status nothing(struct gdb_reader_funcs *f, struct gdb_symbol_callbacks *cb, void *m,
                               long size)
{
	return f && cb && m && size ? GDB_FAIL : GDB_FAIL;
}
static enum gdb_status nobody(struct gdb_reader_funcs *f, struct gdb_unwind_callbacks *cb)
{
	return f && cb ? GDB_FAIL : GDB_FAIL;
}
static struct gdb_frame_id nowhere(struct gdb_reader_funcs *f, struct gdb_unwind_callbacks *cb)
{
	return (struct gdb_frame_id){ f && cb, 0 };
}
static void gone(struct gdb_reader_funcs *f)
{
	(void)f;
}
struct gdb_reader_funcs *gdb_init_reader(void)
{
	static struct gdb_reader_funcs funcs = { GDB_READER_INTERFACE_VERSION, 0, nothing, nobody, nowhere, gone };
	return &funcs;
}
END
"$CC_TARGET" -shared -fPIC "$tmp/other.c" -o "$tmp/other reader.so"
session 'another reader' "$program" <<END
jit-reader-load $tmp/other reader.so
source $CAIRN_GDB
cairn status
jit-reader-unload
source $CAIRN_GDB
cairn load-reader "$tmp/other reader.so"
cairn load-reader $tmp/other reader.so
cairn load-reader $CAIRN_GDB
break stop_here
run recurse
cairn bt 1
bt 2
END
lines 1 '^JIT reader already loaded'
lines 1 '^Undefined command: "cairn"'
lines 1 '^cairn: cannot load .*: already loaded'
lines 2 '^cairn: cannot load'
lines 2 '^#0 .*stop_here'
lines 1 '^#1 .*recurse'

# Names that a program chooses.  Assemblers differ in what escapes they know: the characters are put
# in afterwards.
cat >"$tmp/names.s" <<'END'
	.globl main
	.text
	.type "$arg0", @function
"$arg0":
	nop
	.size "$arg0", 1
	.type "a~shell touch hostile~", @function
"a~shell touch hostile~":
	nop
	.size "a~shell touch hostile~", 1
	.type "back~slash~n", @function
"back~slash~n":
	nop
	.size "back~slash~n", 1
	.type "escape~[31m~E", @function
"escape~[31m~E":
	nop
	.size "escape~[31m~E", 1
	.type "in section .text", @function
"in section .text":
	nop
	.size "in section .text", 1
	.type "~ 1 0", @function
"~ 1 0":
	nop
	.size "~ 1 0", 1
	.type "bidi~~~name", @function
"bidi~~~name":
	nop
	.size "bidi~~~name", 1
	.type main, @function
main:
	.cfi_startproc
	call 1f
1:	pop %rax
	xor %eax, %eax
	ret
	.cfi_endproc
	.size main, . - main
	.section .note.GNU-stack, "", @progbits
END
"$CC_TARGET" -g "$tmp/names.s" -o "$tmp/plain"
sed -e 's/a~shell touch hostile~/a\nshell touch hostile\n/g' -e 's/back~slash~n/back\\slash\\n/g' \
	-e "s/escape~\\[31m~E/escape$(printf '\033')[31m$(printf '\001')E/g" \
	-e "s/~ 1 0/$(printf '\002') 1 0/g" -e "s/bidi~~~name/bidi$(printf '\342\200\256')name/g" "$tmp/plain" >"$tmp/names"
chmod +x "$tmp/names"
cd "$tmp"
session 'names' "$tmp/names" <<END
source $CAIRN_GDB
break main
run
cairn where (char*) main - 1
cairn where (char*) main - 2
cairn where (char*) main - 3
cairn where (char*) main - 4
cairn where (char*) main - 5
cairn where (char*) main - 6
cairn where (char*) main - 7
cairn where -json (char*) main - 6
print \$cairn_ok
set var \$pc = (char*) main - 1
cairn bt 1
cairn bt -json 1
END
lines 7 '^0x'
lines 1 '^#0 .* bidi\\xe2\\x80\\xaename'
lines 2 ' bidi\\xe2\\x80\\xaename at'
lines 2 '^{'
lines 1 '"function":"bidi\\u202ename'
lines 1 ' \$arg0 at'
lines 1 ' a\\x0ashell touch hostile\\x0a'
lines 1 ' back\\slash\\n'
lines 1 ' escape.*\\x01E'
lines 1 ' \\x02 1 0'
lines 1 '"function":"a\\u000ashell'
lines 1 '= 1$'
lines 0 '^cairn: '
[ ! -e "$tmp/hostile" ] || fail 'a name was executed'
if grep -q "$(printf '[\001\002\033]\|\342\200\256')" "$tmp/out"; then fail 'a name drives the terminal'; fi
echo 'commands work everywhere'
