#!/bin/sh
# SPDX-License-Identifier: MIT
# An aarch64 program under an emulator, in a GDB for many machines: frames without CFI equal those
# of the complete build.  With signed return addresses the complete build is no measure, for this
# GDB cannot strip them there; its frames are compared by name with the unsigned build's.
. "$(dirname "$0")/lib.sh"
GDB=gdb-multiarch CC_TARGET=aarch64-linux-gnu-gcc OBJCOPY=aarch64-linux-gnu-objcopy
need $GDB $CC_TARGET $OBJCOPY qemu-aarch64

# frames WITH|WITHOUT PROGRAM CASE
frames() {
	rm -f "$tmp/socket"
	qemu-aarch64 -g "$tmp/socket" "$2" "$3" >/dev/null 2>&1 &
	emulator=$!
	tries=0
	until [ -S "$tmp/socket" ] || [ $tries -gt 100 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	debug "$1" "$2" -ex 'set print frame-arguments presence' \
		-ex "target remote $tmp/socket" -ex 'handle SIGUSR1 nostop noprint pass' \
		-ex 'break stop_here' -ex continue -ex bt -ex up \
		-ex up -ex 'info locals' -ex kill | grep -E '^#|^[a-z]+ = ' |
		sed 's/^below = .*/below = NOT ASSIGNED YET/' | settle
	kill $emulator 2>/dev/null || :
	wait $emulator 2>/dev/null || :
}

build sample.c sample -g -pthread -static "$@"
for name in recurse inline; do
	frames without "$tmp/eh/sample" $name >"$tmp/$name.eh"
	frames with "$tmp/no/sample" $name | sed 's/ = <not saved>/ = <optimized out>/' \
		>"$tmp/$name.no"
	compare $name
done

build sample.c signed -g -pthread -static -mbranch-protection=standard "$@"
names() {
	sed -n 's/^#\([0-9]*\) *\(0x[0-9a-f]* in \)*\([a-z_]*\).*/\1 \3/p'
}
names <"$tmp/recurse.eh" >"$tmp/signed.eh"
frames with "$tmp/no/signed" recurse | names >"$tmp/signed.no"
compare signed
frames with "$tmp/eh/signed" recurse | names >"$tmp/signed.no"
compare signed

# Beyond a signal frame a newer GDB, with the registers that an emulator of its time describes, asks no
# reader any more, and cannot strip return addresses: the module has to answer for the trampoline too.
for protection in none standard; do
	build interrupted.c interrupted -g -static -mbranch-protection=$protection "$@"
	printf '%s\n' '0 stop_here' '1 handler' '2 signal' '3 interrupted' '4 run' '5 main' \
		>"$tmp/interrupted.eh"
	for kind in eh no; do
		frames with "$tmp/$kind/interrupted" '' | names | sed -e 's/^2 .*/2 signal/' -e 6q \
			>"$tmp/interrupted.no"
		compare interrupted 6
	done
done
echo 'aarch64 frames equal'
