#!/bin/sh
# SPDX-License-Identifier: MIT
# large.sh [STOPS]: what steps.sh looks at, in a larger program: cairn itself, built with -O2 and SFrame.
# STOPS (2,500) consecutive instructions from each of three functions on.
. "$(dirname "$0")/lib.sh"
count=${1:-2500}
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
total=0
for from in main receive_object_function elf_writer_build_dwarf; do
	steps eh cairn "$count" "$work" eh.out
	steps no cairn "$count" "$work" no.out -o "target symbols add $tmp/cairn.debug"
	awk -f "$here/compare.awk" "$tmp/eh.out" "$tmp/no.out" >"$tmp/compared" 2>"$tmp/differences"
	read -r stops _ wrong _ values _ unknown _ false _ <"$tmp/compared"
	echo "from $from on: $(cat "$tmp/compared")"
	cat "$tmp/differences"
	[ "$wrong" -eq 0 ] && [ "$false" -eq 0 ] || fail 'wrong stacks or registers'
	[ $((unknown * 20)) -lt "$values" ] || fail "$unknown of $values registers not known"
	total=$((total + stops))
done
echo "$total stops"
[ "$total" -ge $((count * 2)) ] || fail 'too few stops'
