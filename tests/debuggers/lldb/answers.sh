#!/bin/sh
# SPDX-License-Identifier: MIT
# answers.sh: recorded backtraces and markup, live and in a core, from the expectations that the tests of GDB have
# (tests/debuggers/answers), but for what words.sh names.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the core'
[ "$(uname -m)" = x86_64 ] || skip 'the values are laid out as on amd64'
. "$here/../answers/lines.sh"
. "$here/words.sh"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"

# wanted NAME SOURCE FUNCTION...: the answers to those commands that LLDB has, too
wanted() {
	name=$1
	shift
	fill_lines "$@" <"$here/../answers/$name.out" | expected_in_lldb >want
}

# session NAME ARGUMENTS...
session() {
	name=$1
	shift
	typed_in_lldb <"$here/../answers/$name.gdb" >commands
	within 100 "$LLDB" -x -b -O 'settings set target.disable-aslr true' \
		-O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set stop-line-count-before 0' -O 'settings set stop-line-count-after 0' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "plugin load $LLDB_PLUGIN" \
		-o 'settings set interpreter.stop-command-source-on-error false' "$@" -s commands </dev/null >said 2>&1 || :
	sed '1,/^Executing commands in /d' said | mask_answers | like_gdb >got
	diff -u want got || {
		cat said
		fail "$name"
	}
	echo "$name: $(grep -c '^(gdb)' got) commands answer as in GDB"
}

# both NAME PROGRAM
both() {
	session "$1" -o 'breakpoint set -n stop_here' -o run "$tmp/$2"
	within 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'break stop_here' -ex run \
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
