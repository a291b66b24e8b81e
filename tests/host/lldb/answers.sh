#!/bin/sh
# SPDX-License-Identifier: MIT
# answers.sh: recorded backtraces and markup, live and in a core, from the expectations that the tests of GDB have
# (tests/host/answers), but for what only GDB has: its variables, and its words about an expression.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the core'
[ "$(uname -m)" = x86_64 ] || skip 'the values are laid out as on amd64'
. "$here/../answers/lines.sh"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"

# "p" and $cairn_... are variables of GDB; an expression that is wrong is told of in the debugger's words
own='(^| )p [$]|[$]cairn|nosuch'

# wanted NAME SOURCE FUNCTION...: the answers to those commands that LLDB has, too
wanted() {
	name=$1
	shift
	fill_lines "$@" <"$here/../answers/$name.out" |
		awk -v own="$own" '/^\(gdb\) / { on = $0 !~ own } on' | grep -v '^[$][0-9]* = ' >want
}

# What is the same in each run, and what LLDB itself prints of "up" and "down".
plain() {
	sed -e '1,/^Executing commands in /d' -e 's/^(lldb) /(gdb) /' -e 's/^error: /cairn: /' \
		-e 's/0x[0-9a-f]*/ADDRESS/g' -e 's/in [0-9]* bytes/in N bytes/' \
		-e 's/"searched":[0-9]*/"searched":N/' -e 's/"bytes":"[0-9a-f]*"/"bytes":"HEX"/g' \
		-e 's/"copies":[0-9]*/"copies":N/g' -e 's/([^()]*ring+ADDRESS)/(ADDRESS+ADDRESS)/' \
		-e '/^[0-9]/d' -e '/^[ *]*frame #/d'
}

# session NAME ARGUMENTS...
session() {
	name=$1
	shift
	grep -vE "$own" "$here/../answers/$name.gdb" >commands
	timeout 300 "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set stop-line-count-before 0' -O 'settings set stop-line-count-after 0' \
		-O 'settings set symbols.enable-external-lookup false' -O "plugin load $LLDB_PLUGIN" \
		-o 'settings set interpreter.stop-command-source-on-error false' "$@" -s commands </dev/null >said 2>&1 || :
	plain <said >got
	diff -u want got || {
		cat said
		fail "$name"
	}
	echo "$name: $(grep -c '^(gdb)' got) commands answer as in GDB"
}

# both NAME PROGRAM
both() {
	session "$1" -o 'breakpoint set -n stop_here' -o run "$tmp/$2"
	timeout 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'break stop_here' -ex run \
		-ex "generate-core-file $tmp/$2.core" "$2" </dev/null >said 2>&1 || :
	[ -s "$2.core" ] || fail 'no core of GDB'
	session "$1" -o "target create --core $tmp/$2.core $tmp/$2"
}

"$CC_TARGET" -g -O0 "$programs/traces.c" -o traces
wanted cbf traces.c leaf branch stop_here
both cbf traces
"$CC_TARGET" -g -O0 -Wl,--build-id=0xca1f00112233445566778899 "$programs/ring.c" -o ring
wanted markup ring.c step main mark twice
both markup ring
