#!/bin/sh
# SPDX-License-Identifier: MIT
# jit.sh: code that a program registers through GDB's JIT interface is among the modules when LLDB reads that interface.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
[ "$(uname -m)" = x86_64 ] || skip 'the program is made for amd64'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"
"$CC_TARGET" -g -O2 "$programs/jit.c" -o jit
"$CC_TARGET" -O2 -fPIC -shared -nostdlib -Wl,-Ttext-segment=0x20000000 "$programs/jitted.c" -o jitted
address=0x$(nm jitted | sed -n 's/ T jitted$//p')
timeout $((100 * ${CK_TIMEOUT_MULTIPLIER:-1})) "$LLDB" -x -b -O 'settings set use-color false' -O 'settings set auto-confirm true' \
	-O 'settings set symbols.enable-external-lookup false' -O "plugin load $LLDB_PLUGIN" \
	-O 'settings set plugin.jit-loader.gdb.enable on' -o 'breakpoint set -n stop_here' \
	-o "process launch -- $tmp/jitted $address" -o 'cairn modules' -o 'cairn modules -json' jit </dev/null >said 2>&1 || :
grep -q 'stop reason = breakpoint' said || {
	cat said
	skip 'LLDB cannot start a program here'
}
grep -c '^0x20000000-.*  JIT(0x' said >count || :
[ "$(cat count)" = 1 ] || {
	cat said
	fail 'the registered code is not listed, or not once'
}
grep -q '"name": *"JIT(0x' said || {
	cat said
	fail 'not in JSON'
}
echo 'registered code listed'
