#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that a program registers at run time: its .sframe is used when the image has no .eh_frame,
# and its names stay GDB's.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
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

# All that was registered is listed, also what cairn has no rules for; not code of a process that is gone.
"${OBJCOPY:-objcopy}" --remove-section .sframe "$tmp/eh/jitted" "$tmp/eh/plain"
for image in "$tmp/no/jitted" "$tmp/eh/plain"; do
	debug without "$tmp/eh/jit" -ex "source $CAIRN_GDB" -ex 'break stop_here' -ex "run $image $address" -ex 'cairn modules' \
		-ex 'cairn modules -json' -ex kill -ex 'cairn modules' | settle >"$tmp/modules"
	grep '  registered by the program (JIT)$' "$tmp/modules" >"$tmp/listed" || :
	[ "$(wc -l <"$tmp/listed")" = 1 ] && grep -q '^0x20' "$tmp/listed" || {
		cat "$tmp/modules"
		fail "the image of $image is not listed, or not once"
	}
	grep -q '"registered":true' "$tmp/modules" || fail 'not in JSON'
done
grep -q '  no sframe  registered' "$tmp/listed" || fail 'what has no .sframe has one'
echo 'registered code listed'
