#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh CAIRN: what it costs to give GDB the GSYM of a C++ program of some 32,000 functions, next
# to GDB reading the program's own DWARF.  MODULE and CAIRN_GDB as in tests/debuggers.  Times are of the
# processor, of GDB as a whole less a GDB that goes to the same place without symbols; memory is GDB's
# own (RssAnon), less the same.
: "${CAIRN_GDB:?path of cairn.gdb}" "${GSYMUTIL:=llvm-gsymutil-19}" "${CXX:=c++}" "${FUNCTIONS:=32000}"
. "$(dirname "$0")/../debuggers/lib.sh"
need "$GDB" "$CXX" objcopy ld awk "$GSYMUTIL"
mkdir "$tmp/src"
awk -v functions="$FUNCTIONS" -v files=16 -v directory="$tmp/src" -f "$here/../debuggers/thousands.awk"
for file in "$tmp"/src/*.cpp; do
	"$CXX" -g -O1 -fno-exceptions -fno-rtti -Wa,--gsframe -c "$file" -o "${file%.cpp}.o"
done
"$CXX" "$tmp"/src/*.o -Wl,--build-id=sha1 -o "$tmp/eh/many"
objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/eh/many" "$tmp/no/many"

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
# to the same place without symbols: what GDB keeps of the C library is not ours
stop=$(nm "$tmp/eh/many" | sed -n 's/^0*\([0-9a-f]*\) T _Z9stop_herei$/0x\1/p')
base_first=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn status' \
	-ex "break *(0x555555554000+$stop)" -ex continue -ex 'bt 1')
echo '                           seconds     memory, KiB   of the GSYM'
# row WHAT BASE MEASURED [BYTES]: what was measured less the base
row() {
	echo "$2 $3 ${4-}" | awk -v what="$1" '{
		printf "%-24s  %7.2f      %10d", what, $3 - $1, $4 - $2
		if ($5) printf "   %5.2f", ($4 - $2) * 1024 / $5
		printf "\n" }'
}
# cairn_reads WHAT: the GSYM that lies beside the program
cairn_reads() {
	bytes=$(wc -c <"$tmp/no/many.gsym")
	loaded=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn symbols load')
	first=$(measure "$tmp/no/many" -ex "$source" -ex 'starti 40' -ex 'cairn symbols load' \
		-ex 'break stop_here' -ex continue -ex bt)
	echo "$1, $bytes bytes"
	row '  loaded by cairn' "$base" "$loaded" "$bytes"
	row '    and first bt' "$base_first" "$first" "$bytes"
}
"$GSYMUTIL" --convert "$tmp/eh/many" -o "$tmp/no/many.gsym" >"$tmp/log" 2>&1
cairn_reads "GSYM of $GSYMUTIL"
"$1" gsym create --quiet --statements "$tmp/eh/many" -o "$tmp/no/many.gsym"
cairn_reads 'GSYM of cairn with statements'
plain_first=$(measure "$tmp/no/many" -ex 'starti 40' -ex "break *(0x555555554000+$stop)" \
	-ex continue -ex 'bt 1')
plain=$(measure "$tmp/no/many" -ex 'starti 40')
dwarf=$(measure "$tmp/eh/many" -ex 'starti 40' -ex 'info symbol $pc')
dwarf_first=$(measure "$tmp/eh/many" -ex 'starti 40' -ex 'break stop_here' -ex continue -ex bt)
row 'DWARF by GDB' "$plain" "$dwarf"
row '    and first bt' "$plain_first" "$dwarf_first"
