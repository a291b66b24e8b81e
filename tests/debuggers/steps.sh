#!/bin/sh
# SPDX-License-Identifier: MIT
# Through a whole small program instruction by instruction: at each, the pc, stack pointer, frame
# pointer and callee-saved registers of up to nine frames equal those that .eh_frame gives.
# Arguments: compiler flags.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy

build steps.c steps "$@"

registers='$pc, $sp, $rbp, $rbx, $r12, $r13, $r14, $r15'
cat >"$tmp/script" <<END
break main
run
define show-frames
  frame apply 9 -q printf "%#lx %#lx %#lx %#lx %#lx %#lx %#lx %#lx\n", $registers
end
set \$i = 0
while \$i < 5000
  set \$i = \$i + 1
  show-frames
  stepi
end
END
for kind in eh no; do
	with=without
	[ $kind = no ] && with=with
	debug $with "$tmp/$kind/steps" -x "$tmp/script" | settle >"$tmp/steps.$kind" &
done
wait
grep -q 'exited normally' "$tmp/steps.eh" || fail 'the program did not reach its end'
compare steps 2000
echo "$(grep -c '^0x[0-9a-f]* 0x' "$tmp/steps.eh") frames equal," \
	"$(grep -c ' in .* ()$' "$tmp/steps.eh") instructions"
