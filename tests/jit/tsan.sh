#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ThreadSanitizer has nothing to say of eight threads that add and remove functions, with and without events.
#
#	tsan.sh ROOT COMPILER...

root=$1
shift
. "$root/tests/lib/test.sh"
echo 'int main(void) { return 0; }' >"$work/probe.c"
"$@" -fsanitize=thread "$work/probe.c" -o "$work/probe" 2>/dev/null && "$work/probe" || skip 'no ThreadSanitizer'
"$@" -std=gnu11 -g -O1 -fsanitize=thread -I "$root/core/include" -I "$root/core" "$root/tests/jit/stress.c" \
	$(find "$root/core/jit_producer" -name "*.c") -pthread -o "$work/stress" || exit 1
export TSAN_OPTIONS=halt_on_error=1:exitcode=66
"$work/stress" threads 5000 && CAIRN_JIT=events "$work/stress" threads 500
