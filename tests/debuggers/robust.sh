#!/bin/sh
# SPDX-License-Identifier: MIT
# GDB survives what users do to it: loading late, twice and without a program, unloading, two
# programs at the same addresses, Ctrl-C in a long backtrace, a selected frame that is gone, a core that
# claims more memory than there is.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -pthread -O1 -no-pie
build steps.c steps -g -O0 -no-pie

expect() {
	grep -q "$1" "$tmp/out" || {
		cat "$tmp/out"
		fail "no \"$1\" in $2"
	}
}

# without a program, twice, unloaded, and again; with a program in between
debug with "$tmp/no/sample" -ex bt -ex "jit-reader-load $MODULE" -ex 'break stop_here' -ex run \
	-ex jit-reader-unload -ex 'bt 3' -ex "jit-reader-load $MODULE" -ex bt >"$tmp/out"
expect 'No stack' 'a session without a process'
expect 'JIT reader already loaded' 'a second load'
expect '^#7 .* in main ' 'a late load'

# two inferiors, different programs at the same addresses, asked in turn
debug with "$tmp/no/sample" -ex 'break stop_here' -ex 'run busy' -ex bt -ex 'add-inferior' \
	-ex 'inferior 2' -ex "file $tmp/no/steps" -ex 'break leaf' -ex run -ex bt -ex 'inferior 1' \
	-ex 'bt' -ex 'inferior 2' -ex 'bt' >"$tmp/out"
[ "$(grep -c '^#2 .* main (' "$tmp/out")" = 4 ] || {
	cat "$tmp/out"
	fail 'two inferiors'
}
if grep -q '??' "$tmp/out"; then fail 'two inferiors: unknown frames'; fi

# run again: nothing of the first run may be believed
debug with "$tmp/no/sample" -ex 'break stop_here' -ex 'run recurse' -ex 'bt -1' -ex "file \
$tmp/no/steps" -ex 'break leaf' -ex run -ex bt >"$tmp/out"
expect '^#2 .* main (' 'another program in the same session'

# Ctrl-C: the command ends, the session goes on
cat >"$tmp/script" <<'END'
break stop_here
run deep
END
set --
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	set -- "$@" -ex 'frame function main' -ex 'maint flush register-cache'
done
timeout -s INT -k 100 2 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' \
	-iex 'set auto-load no' -ex "jit-reader-load $MODULE" -x "$tmp/script" \
	"$@" -ex 'echo alive\n' -ex 'bt 2' "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || :
expect '^Quit' 'the long backtraces'
expect '^alive' 'what follows an interrupted backtrace'
tail -n 3 "$tmp/out" >"$tmp/last"
mv "$tmp/last" "$tmp/out"
expect '^#1 .* recurse ' 'the backtrace after an interrupt'

: "${CAIRN_GDB:?path of cairn.gdb}"
# another process clears the stack: the frame that the user has selected is not found again
cat >"$tmp/script" <<END
set stack-cache off
break stop_here
run recurse
set \$stack = \$sp
up 3
pipe info inferiors | sed -n 's/.*process \([0-9]*\).*/\1/p' >$tmp/pid
eval "shell dd if=/dev/zero of=/proc/\$(cat $tmp/pid)/mem bs=1 count=512 seek=%lu conv=notrunc status=none", (unsigned long) \$stack
cairn sync
frame
END
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex "source $CAIRN_GDB" \
	-x "$tmp/script" -ex 'cairn bt 1' -ex kill -ex 'echo alive\n' "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || :
expect '^alive' 'a session whose selected frame is gone'
expect '^#0 .* in stop_here' 'what follows the frame that is gone'

# each writable segment says that the core has 2^62 bytes of it
debug with "$tmp/no/sample" -ex 'break stop_here' -ex 'run recurse' \
	-ex "generate-core-file $tmp/core" >"$tmp/out"
readelf -lW "$tmp/core" | awk '/^ *(NOTE|LOAD)/ { if (/LOAD/ && /RW/) print n + 0; n++ }' |
	while read -r index; do
		for at in 32 40; do
			printf '\000\000\000\000\000\000\000\100' | dd of="$tmp/core" bs=1 \
				seek=$((64 + 56 * index + at)) conv=notrunc status=none
		done
	done
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex "source $CAIRN_GDB" \
	-ex "core-file $tmp/core" -ex 'maint info sections' -ex 'cairn find-cbf' </dev/null >"$tmp/out" 2>&1 || :
expect '0x4[0-9a-f]*: load\|->0x4[0-9a-f]\{15\} ' 'the sections of a core that lies'
size=$(wc -c <"$tmp/core")
found=$(sed -n 's/^0 arrays in \([0-9]*\) bytes$/\1/p' "$tmp/out")
[ "${found:-0}" -gt 0 ] && [ "$found" -le "$size" ] || {
	tail "$tmp/out"
	fail "find-cbf searches ${found:-not} bytes of a core of $size"
}
echo 'GDB survives'
