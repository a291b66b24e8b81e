#!/bin/sh
# SPDX-License-Identifier: MIT
# A real JIT compiler with libcairn-jit: scripts/luajit.sh DIR [BUILD]
#
# Downloads the source package of LuaJIT from Debian's archive into DIR, builds it as it is and with the lines of
# docs/examples/luajit_traces.h, and prints what a stack through its compiled code is in GDB, LLDB, `cairn bt` of a process and of a core, and perf,
# before and after.  BUILD is the directory in which cairn was built (default build).  Ends with 1 if a stack of the second one lacks the trace,
# its line or main(); with 77 if a tool or the archive is missing.
DIR=${1:?usage: scripts/luajit.sh DIR [BUILD]} BUILD=${2:-}
. "$(dirname "$0")/real_jit.sh"
[ -d "$folder/before" ] || {
	fetch luajit
	mv "$folder"/luajit-2* "$folder/before"
	cp -R "$folder/before" "$folder/after"
}

# Our lines: two calls, the file that has them, and the library.
add_lines() {
	cp "$top/docs/examples/luajit_traces.h" "$folder/after/src/lj_cairn.h"
	grep -q lj_cairn "$folder/after/src/lj_trace.c" || sed -i \
		-e 's|^#include "lj_gdbjit.h"|&\n#include "lj_cairn.h"|' \
		-e 's|^  lj_gdbjit_addtrace(J, T);|&\n  cairn_add_trace(J, T);|' \
		-e 's|^    lj_gdbjit_deltrace(J, T);|&\n    cairn_remove_trace(T);|' "$folder/after/src/lj_trace.c"
	[ "$(grep -c 'cairn_.*trace(\|lj_cairn' "$folder/after/src/lj_trace.c")" = 3 ] || {
		echo 'luajit.sh: the source is another one than these lines are for'
		exit 1
	}
	cp "$top/core/include/cairn_jit.h" "$build/core/jit_producer/cairn_jit.c" "$folder/after/src/"
	gcc -std=gnu11 -O2 -g -fno-reorder-blocks-and-partition -I "$folder/after/src" -c "$folder/after/src/cairn_jit.c" -o "$folder/after/cairn_jit.o"
}
add_lines
make -s -j2 -C "$folder/before/src" CCDEBUG=-g BUILDMODE=static luajit >"$folder/before.log" 2>&1
make -s -j2 -C "$folder/after/src" CCDEBUG=-g BUILDMODE=static TARGET_XLIBS="$folder/after/cairn_jit.o -pthread -lm -ldl" luajit >"$folder/after.log" 2>&1

cat >"$folder/busy.lua" <<'LUA'
local ffi = require "ffi"
ffi.cdef "int getppid(void);"
local function ask(count)
  local sum = 0
  for i = 1, count do
    sum = sum + ffi.C.getppid() % 7
  end
  return sum
end
io.write("ready\n") io.flush()
print(ask(arg[1] and tonumber(arg[1]) or 1e12))
LUA
stop=getppid made='TRACE_[0-9]' line='busy.lua:[0-9]'
for which in before after; do show_stacks $which 3e7 "$folder/$which/src/luajit" "$folder/busy.lua"; done
exit $failed
