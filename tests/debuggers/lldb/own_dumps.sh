#!/bin/sh
# SPDX-License-Identifier: MIT
# own_dumps.sh: a minidump that LLDB itself writes, in which the size of a module is that of its first segment: cairn bt has the frames
# that LLDB shows of the process, and GDB has them of the core that cairn open makes of it.
. "$(dirname "$0")/lib.sh"
: "${CAIRN?path of cairn}"
command -v gdb >/dev/null || skip 'no gdb on this machine'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"
cat >deep.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) int inner(int n) { return n == 0 ? getenv("NOBODY") == NULL : inner(n - 1) + 1; }
int main(void) { return inner(3); }
END
"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 deep.c -o deep
within 100 "$LLDB" -x -b -O 'settings set use-color false' -O 'settings set symbols.enable-external-lookup false' \
	-O 'settings set frame-format "f ${frame.pc} ${function.name-without-args}\n"' -o 'breakpoint set -n getenv' -o run \
	-o 'process save-core --plugin-name=minidump own.dmp' -o bt ./deep </dev/null >said 2>&1 || [ $? = 1 ]
[ -s own.dmp ] || skip 'this LLDB writes no minidump of a process here'
# callers: return address and function, from the caller of getenv to main
sed -n 's/^.*f 0x\([0-9a-f]*\) \(inner\|main\)$/\1 \2/p' said >expected
[ "$(wc -l <expected)" = 5 ] || {
	cat said
	fail 'LLDB does not show inner four times, and main'
}
"$CAIRN" bt own.dmp 2>errors | sed -n 's/^#[0-9]* *0x\([0-9a-f]*\) in \(inner\|main\) .*/\1 \2/p' >got
diff expected got || fail 'cairn bt has other frames'
"$CAIRN" open --quiet -o own.core own.dmp 2>errors || [ $? = 1 ] || fail "no core: $(cat errors)"
gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex bt ./deep own.core </dev/null 2>errors |
	sed -n 's/^#[0-9]* *0x\([0-9a-f]*\) in \(inner\|main\) .*/\1 \2/p' >got
diff expected got || fail 'GDB has other frames of the core'
echo "$(wc -l <expected) frames are equal"
