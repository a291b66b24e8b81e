#!/bin/sh
# SPDX-License-Identifier: MIT
# bt of every kind of stack, live: the program without CFI and with cairn shows what the complete
# program shows without cairn; and cairn changes nothing in the complete program.
# Arguments: compiler flags.  In static programs the C library has no SFrame: cases that lead
# through it are left out.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -pthread "$@"

cases='recurse inline busy variable signal'
case " $* " in
*' -static '*) ;;
*) cases="$cases qsort thread abort" ;;
esac

cat >"$tmp/script" <<'END'
handle SIGSEGV nostop noprint pass
set print frame-arguments scalars
break stop_here
END
# registers of frames through a part that begins in the middle of a function stay unknown
for name in $cases; do
	printf 'run %s\nbt\n' "$name"
	[ "$name" = abort ] || printf 'frame apply 4 -q -s info registers rip rsp rbp rbx r12 r13 r14 r15\n'
done >>"$tmp/script"

debug without "$tmp/eh/sample" -x "$tmp/script" | settle >"$tmp/live.eh"
debug with "$tmp/no/sample" -x "$tmp/script" | settle >"$tmp/live.no"
compare live 40
debug with "$tmp/eh/sample" -x "$tmp/script" | settle >"$tmp/live.no"
compare live 40
echo "$(grep -c '^#' "$tmp/live.eh") frames equal"
