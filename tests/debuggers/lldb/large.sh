#!/bin/sh
# SPDX-License-Identifier: MIT
# large.sh [STOPS]: what steps.sh looks at, in a larger program: cairn itself, built with -O2 and SFrame.
# STOPS (3,100) consecutive instructions from each of three functions on.  Then once more with functions without
# SFrame: those of core/base and core/formats lose it before the program is linked.  Stops in them, and in what they
# call, are counted apart, for they are LLDB's guess; the others are as right as before.  The assembler of Debian 12
# leaves out a few functions, too, those that push arguments below a frame pointer.
. "$(dirname "$0")/lib.sh"
count=${1:-3100}
root=${here%/tests/*}
for tool in meson ninja; do
	command -v $tool >/dev/null || skip "no $tool on this machine"
done

meson setup "$tmp/build" "$root" -Dc_args=-Wa,--gsframe -Doptimization=2 -Ddebug=false >"$tmp/said" 2>&1 &&
	ninja -C "$tmp/build" core/cli/cairn >"$tmp/said" 2>&1 || {
	tail -n 5 "$tmp/said"
	skip 'the assembler does not know --gsframe, or cairn cannot be built here'
}
cp "$tmp/build/core/cli/cairn" "$tmp/eh/cairn"
strip_build cairn
functions=$("$CAIRN" symbols write --debugger=lldb --for "$tmp/no/cairn" -o "$tmp/cairn.debug" |
	sed 's/.* \([0-9]*\) with frames.*/\1/')
[ "$functions" -ge 1000 ] || fail "only $functions functions have frames"
echo "$functions functions with frames"

work="symbols write --machine amd64 -q $root/tests/fixtures/gsym/prog.gsym -o /dev/null"
# walk FROM ARGUMENTS...: "compared", stops from a function on, of which those that are described must be right
walk() {
	from=$1
	shift
	steps eh cairn "$count" "$work" eh.out
	steps no cairn "$count" "$work" no.out "$@"
	awk -v apart="$tmp/apart" -v base=555555554000 -f "$here/compare.awk" "$tmp/eh.out" "$tmp/no.out" >"$tmp/compared" 2>"$tmp/differences"
	read -r stops _ wrong _ values _ unknown _ false _ <"$tmp/compared"
	echo "from $from on: $(paste -s -d ';' "$tmp/compared")"
	cat "$tmp/differences"
	[ "$wrong" -eq 0 ] && [ "$false" -eq 0 ] || fail 'wrong stacks or registers'
	[ "$values" -eq 0 ] || [ $((unknown * 20)) -lt "$values" ] || fail "$unknown of $values registers not known"
}

# list_apart: the functions of the program that SFrame lacks; start-up code is around each stack, and its frame is the last one
list_apart() {
	"$CAIRN" sframe dump "$tmp/no/cairn" | sed -n 's/^  0x\([0-9a-f]*\)[.][.]0x.*/\1/p' >"$tmp/described"
	nm -S "$tmp/eh/cairn" | awk 'FNR == NR { has[$1]; next }
		{ at = $1; sub(/^0+/, "", at) }
		$3 ~ /^[tT]$/ && $4 != "_start" && !(at in has) { print $1, $2, $4 }' "$tmp/described" - >"$tmp/apart"
}

list_apart
total=0
for from in main receive_object_function elf_writer_build_dwarf; do
	walk $from -o "target symbols add $tmp/cairn.debug"
	total=$((total + stops))
done
echo "$total stops"
[ "$total" -ge $((count * 2)) ] || fail 'too few stops'

find "$tmp/build/core" -name '*.o' | grep -E '/(base|formats)_' >"$tmp/objects"
[ -s "$tmp/objects" ] || fail 'there are no objects of core/base and core/formats'
while read -r object; do
	objcopy --remove-section .sframe --remove-section .rela.sframe "$object"
done <"$tmp/objects"
# ninja would compile them once more: what makes archives and links is run by hand
ninja -C "$tmp/build" -t commands core/cli/cairn | grep -v ' -c ' >"$tmp/link"
(cd "$tmp/build" && sh -e "$tmp/link") >"$tmp/said" 2>&1 || {
	tail -n 5 "$tmp/said"
	fail 'cairn cannot be linked again'
}
cp "$tmp/build/core/cli/cairn" "$tmp/eh/cairn"
"$CAIRN" gsym create --quiet "$tmp/eh/cairn" -o "$tmp/cairn.gsym"
strip_build cairn
"$CAIRN" symbols write --debugger=lldb -q --for "$tmp/no/cairn" "$tmp/cairn.gsym" -o "$tmp/named.debug"
list_apart
[ "$(wc -l <"$tmp/apart")" -ge 100 ] || fail "only $(wc -l <"$tmp/apart") functions are without SFrame"
for object in cairn named; do
	echo "$(wc -l <"$tmp/apart") functions without SFrame; $object.debug:"
	for from in main receive_object_function elf_writer_build_dwarf; do
		walk $from -o "target symbols add $tmp/$object.debug"
		tail -n +2 "$tmp/compared" >>"$tmp/$object.apart"
	done
	awk '{ stops[$NF] += $1; wrong[$NF] += $3; values[$NF] += $5; unknown[$NF] += $7; false[$NF] += $9 }
		END { for (kind in stops) printf "%s: %d stops, %d wrong, %d values, %d unknown, %d false\n",
			kind, stops[kind], wrong[kind], values[kind], unknown[kind], false[kind] }' "$tmp/$object.apart"
done
awk '{ stops += $1 } END { exit stops < 100 }' "$tmp/named.apart" || fail 'too few stops in functions without SFrame'
