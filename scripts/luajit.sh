#!/bin/sh
# SPDX-License-Identifier: MIT
# A real JIT compiler with libcairn-jit: scripts/luajit.sh FOLDER [BUILD]
#
# Downloads the source package of LuaJIT from Debian's archive into FOLDER, builds it as it is and with the lines of
# docs/examples/luajit_traces.h, and prints what a stack through its compiled code is in GDB, LLDB, `cairn bt` of a process and of a core, and perf,
# before and after.  BUILD is the folder in which cairn was built (default build).  Ends with 1 if a stack of the second one lacks the trace,
# its line or main(); with 77 if a tool or the archive is missing.
set -eu
LC_ALL=C
export LC_ALL
folder=${1:?usage: scripts/luajit.sh FOLDER [BUILD]}
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${2:-$top/build}" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
. "$top/scripts/root.sh"
: "${GDB:=gdb}" "${LLDB:=lldb-19}"
for tool in gcc make dpkg-source "$GDB" "$LLDB" perf; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

# apt of its own: the source packages of the suite that this machine has
fetch() {
	mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
	# shellcheck disable=SC1091 # of the system
	echo "deb-src $(archive) $(. /etc/os-release && echo "$VERSION_CODENAME") main" >"$folder/sources.list"
	set -- -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists" \
		-o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root -qq
	(cd "$folder" && apt-get "$@" update && apt-get "$@" source luajit) >"$folder/fetch.log" 2>&1
}
[ -d "$folder/before" ] || {
	fetch || { tail -n 3 "$folder/fetch.log"; echo 'skipped: the source package cannot be had'; exit 77; }
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
failed=0

# show WHICH TOOL FILE: the lines of the stack that say something, and whether the trace, its line and main are in it
show() {
	grep -E '^ *(\* )?(#[0-9]+ |frame #[0-9]+)|^[[:space:]]+[0-9a-f]+ ' "$3" >"$3.stack" || :
	grep -v 'kernel.kallsyms' "$3.stack" | head -n 8 | cut -c1-110 | sed 's/^/    /'
	trace=no line=no main=no
	! grep -q 'TRACE_[0-9]' "$3.stack" || trace=yes
	! grep -q 'busy.lua:[0-9]' "$3.stack" || line=yes
	! grep -qE '[ `]main\b' "$3.stack" || main=yes
	echo "$1, $2: the trace has its name: $trace, its line: $line; the stack reaches main: $main"
	[ "$1" = before ] || [ "$2" = perf ] || [ "$trace$line$main" = yesyesyes ] || failed=1
	[ "$1" = before ] || [ "$2" != perf ] || [ "$trace$main" = yesyes ] || failed=1
}

# start WHICH: a process that is in compiled code, its number in `pid`
start() {
	"$folder/$1/src/luajit" "$folder/busy.lua" >"$folder/ready" &
	pid=$!
	until [ -s "$folder/ready" ]; do sleep 0.1; done
	sleep 0.5
	rm "$folder/ready"
}

for which in before after; do
	program=$folder/$which/src/luajit
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex 'break main' -ex run -ex 'break getppid' -ex 'ignore 2 500' \
		-ex continue -ex bt -ex "generate-core-file $folder/core" -ex kill \
		--args "$program" "$folder/busy.lua" >"$folder/gdb" 2>&1 </dev/null || :
	show $which GDB "$folder/gdb"
	"$build/core/cli/cairn" bt "$folder/core" >"$folder/core.bt" 2>&1 || :
	show $which 'cairn bt of a core' "$folder/core.bt"
	start $which
	"$LLDB" --no-lldbinit -b -o 'settings set plugin.jit-loader.gdb.enable on' -o "process attach -p $pid" -o 'breakpoint set -n getppid' -o continue -o bt \
		-o 'breakpoint delete -f' -o detach >"$folder/lldb" 2>&1 </dev/null || :
	show $which LLDB "$folder/lldb"
	"$build/core/cli/cairn" bt --pid $pid >"$folder/bt" 2>&1 || :
	show $which 'cairn bt of a process' "$folder/bt"
	kill $pid
	(cd "$folder" && CAIRN_JIT=jitdump CAIRN_JIT_DIRECTORY=$folder perf record -q -k 1 -e cpu-clock -F 200 --call-graph dwarf,4096 -o perf.data \
		"$program" busy.lua 3e7 >perf.said 2>&1 && perf inject --jit -i perf.data -o perf.jit >>perf.said 2>&1 &&
		perf script -i perf.jit >perf.all 2>>perf.said) || :
	# one stack in which getppid() was called
	awk 'BEGIN { RS = "" } /getppid/ { print; exit }' "$folder/perf.all" >"$folder/perf.stack"
	show $which perf "$folder/perf.stack"
done
exit $failed
