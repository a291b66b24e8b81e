#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where LLVM's libunwind is in the process, it and backtrace() of the C library, which goes by libgcc, know the code: at calls from each function, after
# others were added and removed, and in threads.
#
#	llvm_unwinder.sh STEPS BACKTRACE STRESS

steps=$1 backtrace=$2 stress=$3
. "$(dirname "$0")/../lib/test.sh"
library=${LLVM_LIBUNWIND:-$(find /usr/lib/llvm-*/lib -name libunwind.so.1 2>/dev/null | sort -V | tail -n 1)}
[ -n "$library" ] || skip 'no libunwind of LLVM'
# The program has two unwinders then, and asks LLVM's.
LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/bound" LD_PRELOAD=$library "$backtrace" >"$work/said" || fail "$(cat "$work/said")"
cat "$work"/bound.* | grep -q "binding file $backtrace .*libunwind.so.1.*_Unwind_Backtrace'" || fail 'the program does not ask LLVM'"'"'s unwinder'
LD_PRELOAD=$library "$steps" calls >"$work/said" || fail "$(cat "$work/said")"
CAIRN_JIT=debugger,backtrace LD_PRELOAD=$library "$stress" threads 5000 >"$work/said" || fail "$(cat "$work/said")"
exit "$failed"
