#!/bin/sh
# SPDX-License-Identifier: MIT
# A GDB for a module that is built with AddressSanitizer, whose library must be there first.  The
# program that is debugged runs without it.  What the sanitizer finds ends GDB, and is in files that begin with
# SANITIZER_LOG.
#
# NO_DEBUGINFOD is a directory with an empty libdebuginfod: Debian's brings p11-kit, whose constructor
# leaves the lock of setlocale() held under the sanitizer of gcc 12, so that GDB never starts.
library=$(${CC_TARGET:-cc} -print-file-name=libasan.so)
undefined=$(${CC_TARGET:-cc} -print-file-name=libubsan.so)
# GDB keeps what it takes, and its own new and free are not the module's business.
export ASAN_OPTIONS=detect_leaks=0:exitcode=99:alloc_dealloc_mismatch=0:detect_odr_violation=0:log_path=$SANITIZER_LOG
export UBSAN_OPTIONS=halt_on_error=1:exitcode=99:print_stacktrace=1:log_path=$SANITIZER_LOG
export LD_LIBRARY_PATH="$NO_DEBUGINFOD"
LD_PRELOAD="$library $undefined" exec gdb ${DEBUG_FILES:+-ix "$DEBUG_FILES"} -iex 'unset environment LD_PRELOAD' \
	-iex 'unset environment LD_LIBRARY_PATH' "$@"
