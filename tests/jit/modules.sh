#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Code that libcairn-jit has registered is among the modules that cairn lists in GDB and LLDB, as it is told of and as a debugger finds it when it
# attaches, also where cairn is loaded after that, and `cairn bt` goes through it; and LLDB's own `bt` names it when the plugin is there, and no setting was made.
#
#	modules.sh gdb RULES CAIRN.GDB
#	modules.sh lldb RULES CAIRN-LLDB.SO

debugger=$1 program=$2 cairn=$3
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/start.sh"
: "${GDB:=gdb}" "${LLDB:=lldb-19}"
case $debugger in
gdb) tool=$GDB ;;
lldb) tool=$LLDB ;;
esac
command -v "$tool" >/dev/null || skip "no $tool"
export XDG_CACHE_HOME="$work/cache" HOME="$work"

start "$program" wait

# listed WHAT TEXT COUNT: $work/said has so many rows of registered code at least
listed() {
	[ "$(grep -c "^0x.*$2" "$work/said")" -ge "$3" ] || {
		tail -n 20 "$work/said"
		fail "$1: registered code is not listed"
	}
}

gdb_says() {
	"$GDB" -nx -q -batch -iex "set debuginfod enabled off" -iex "source $cairn" "$@" >"$work/said" 2>&1 </dev/null
}

lldb_says() {
	"$LLDB" -x -b -O 'settings set use-color false' -O "plugin load $cairn" "$@" >"$work/said" 2>&1 </dev/null
}

case $debugger in
gdb)
	gdb_says -ex 'break ready' -ex run -ex 'cairn modules' "$program"
	listed 'told of' 'registered by the program (JIT)' 1
	gdb_says -p "$pid" -ex 'cairn modules' -ex detach
	listed 'attached' 'registered by the program (JIT)' 1
	"$GDB" -nx -q -batch -iex "set debuginfod enabled off" -p "$pid" -ex "source $cairn" -ex 'cairn bt' -ex 'cairn modules' -ex detach \
		>"$work/said" 2>&1 </dev/null
	listed 'loaded after GDB has attached' 'registered by the program (JIT)' 1
	for name in pushed aligned region fixed pointer; do
		grep -q "^#.* in made_$name + [0-9]* at up.js:12" "$work/said" || fail "made_$name is not in cairn's stack"
	done
	grep -q '^#.* in main + ' "$work/said" || fail "cairn's stack ends before main"
	;;
lldb)
	lldb_says -o 'breakpoint set -n ready' -o run -o 'cairn modules' "$program"
	listed 'told of' 'registered by the program (JIT)' 1
	lldb_says -o "process attach -p $pid" -o 'cairn modules' -o bt -o 'cairn bt' -o detach
	listed 'attached' 'registered by the program (JIT)' 1
	for name in pushed aligned region fixed pointer; do
		grep -q "frame #.*\`made_$name at up.js:12" "$work/said" || fail "made_$name is not in the stack"
		grep -q "^#.* in made_$name + [0-9]* at up.js:12" "$work/said" || fail "made_$name is not in cairn's stack"
	done
	grep -q '^#.* in main + ' "$work/said" || {
		cat "$work/said"
		fail "cairn's stack ends before main"
	}
	lldb_says -O 'settings set plugin.jit-loader.gdb.enable off' -o 'settings show plugin.jit-loader.gdb.enable'
	grep -q '= off' "$work/said" || fail 'what was set does not count'
	"$LLDB" -x -b -O 'settings set plugin.jit-loader.gdb.enable off' -O "plugin load $cairn" -o 'settings show plugin.jit-loader.gdb.enable' \
		>"$work/said" 2>&1 </dev/null
	grep -q '= off' "$work/said" || fail 'what was set before does not count'
	;;
esac
kill "$pid"
exit "$failed"
