#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh CAIRN: what it costs to give GDB the GSYM of a C++ program of some 32,000 functions, next
# to GDB reading the program's own DWARF.  MODULE and CAIRN_GDB as in tests/host.  Times are of the
# processor, of GDB as a whole less a GDB that goes to the same place without symbols; memory is GDB's
# own (RssAnon), less the same.
: "${CAIRN_GDB:?path of cairn.gdb}" "${GSYMUTIL:=llvm-gsymutil-19}" "${CXX:=c++}" "${FUNCTIONS:=32000}"
. "$(dirname "$0")/../host/lib.sh"
need "$GDB" "$CXX" objcopy ld awk "$GSYMUTIL"
mkdir "$tmp/src"
awk -v functions="$FUNCTIONS" -v files=16 -v directory="$tmp/src" -f "$here/../host/thousands.awk"
for file in "$tmp"/src/*.cpp; do
	"$CXX" -g -O1 -fno-exceptions -fno-rtti -Wa,--gsframe -c "$file" -o "${file%.cpp}.o"
done
"$CXX" "$tmp"/src/*.o -Wl,--build-id=sha1 -o "$tmp/eh/many"
objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/eh/many" "$tmp/no/many"
"$GSYMUTIL" --convert "$tmp/eh/many" -o "$tmp/no/many.gsym" >"$tmp/log" 2>&1
size=$(wc -c <"$tmp/no/many.gsym")

# measure PROGRAM ARGUMENTS...: seconds of the processor, and KiB, the best of five
measure() {
	program=$1
	shift
	for i in 1 2 3 4 5; do
		debug without "$program" "$@" \
			-ex 'shell awk "{ print \"ticks\", \$14 + \$15 }" /proc/$PPID/stat' \
			-ex 'shell sed -n "s/^RssAnon:[^0-9]*\([0-9]*\).*/kib \1/p" /proc/$PPID/status'
	done | awk -v hertz="$(getconf CLK_TCK)" '
		/^ticks / { if (!n++ || $2 < ticks) ticks = $2 }
		/^kib / { if (!m++ || $2 < kib) kib = $2 }
		END { printf "%.2f %d\n", ticks / hertz, kib }'
}

source="source $CAIRN_GDB"
base=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn status')
loaded=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn symbols load')
first=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn symbols load' \
	-ex 'break stop_here' -ex continue -ex bt)
# to the same place without symbols: what GDB keeps of the C library is not ours
stop=$(nm "$tmp/eh/many" | sed -n 's/^0*\([0-9a-f]*\) T _Z9stop_herei$/0x\1/p')
base_first=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn status' \
	-ex "break *(0x555555554000+$stop)" -ex continue -ex 'bt 1')
plain_first=$(measure "$tmp/no/many" -ex 'starti 40' -ex "break *(0x555555554000+$stop)" \
	-ex continue -ex 'bt 1')
plain=$(measure "$tmp/no/many" -ex 'starti 40')
dwarf=$(measure "$tmp/eh/many" -ex 'starti 40' -ex 'info symbol $pc')
dwarf_first=$(measure "$tmp/eh/many" -ex 'starti 40' -ex 'break stop_here' -ex continue -ex bt)
echo "GSYM of $size bytes"
echo "$base $loaded $first $plain $dwarf $dwarf_first $size $base_first $plain_first" | awk '{
	printf "                       seconds     memory, KiB   of the GSYM\n"
	printf "loaded by cairn          %5.2f      %10d   %5.1f\n", $3 - $1, $4 - $2, ($4 - $2) * 1024 / $13
	printf "  and first bt           %5.2f      %10d   %5.1f\n", $5 - $14, $6 - $15, ($6 - $15) * 1024 / $13
	printf "DWARF by GDB             %5.2f      %10d\n", $9 - $7, $10 - $8
	printf "  and first bt           %5.2f      %10d\n", $11 - $16, $12 - $17 }'
