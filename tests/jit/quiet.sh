#!/bin/sh
# SPDX-License-Identifier: MIT
#
# While there is no debugger and no other consumer, the library starts no thread, opens no file and writes nothing: of a program that adds and removes
# functions, the kernel sees the files that the loader opens, memory, and the line that the program prints. With a jitdump it sees more.
#
#	quiet.sh STRESS

stress=$1
. "$(dirname "$0")/../lib/test.sh"
command -v strace >/dev/null || skip 'no strace'
strace -f -o "$work/probe" true 2>/dev/null || skip 'processes may not be traced here'

# A traced process has a debugger for the kernel, but not for the library, which looks for a breakpoint.
strace -f -o "$work/calls" "$stress" places 20000 >"$work/said" || fail 'the program ended with an error'
! grep -E ' (clone|clone3|fork|vfork|socket|memfd_create|creat|mkdir|rename|unlink)' "$work/calls" || fail 'it did more than allocate memory'
! grep -E ' open(at)?\(' "$work/calls" | grep -vE '"/etc/ld\.so\.cache"|"[^"]*/lib[a-z_+-]*\.so\.[0-9]+"' || fail 'it opened a file'
[ "$(grep -c ' write(' "$work/calls")" = 1 ] && grep -q ' write(1, ' "$work/calls" || fail 'it wrote more than its line'

CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY=$work strace -f -o "$work/calls" "$stress" places 20000 >"$work/said" || fail 'the program ended with an error'
grep -q "open.*$work/jit-" "$work/calls" || fail 'a jitdump is not seen, so that the rest proves nothing'
exit "$failed"
