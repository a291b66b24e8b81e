#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that a program registers at run time: its .sframe is used when the image has no .eh_frame,
# and its names stay GDB's.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy nm

build jit.c jit -g -O2
build jitted.c jitted -O2 -fPIC -shared -nostdlib -fomit-frame-pointer \
	-Wl,-Ttext-segment=0x20000000
address=0x$(nm "$tmp/eh/jitted" | sed -n 's/ T jitted$//p')
for kind in eh no; do
	with=without
	[ $kind = no ] && with=with
	debug $with "$tmp/$kind/jit" -ex 'break stop_here' -ex "run $tmp/$kind/jitted $address" \
		-ex bt -ex continue -ex bt -ex finish -ex up -ex 'p $pc' -ex 'info registers rbx' |
		grep -vE '^(Starting|Breakpoint 1 at|Using|\[Thread)' | settle >"$tmp/jit.$kind"
done
compare jit 12
grep -q '^#2 .* jitted_inner' "$tmp/jit.no" || fail 'no frame of the registered code'
grep -q '^#4 .* main ' "$tmp/jit.no" || fail 'no frame beyond the registered code'
echo 'registered code unwound'
