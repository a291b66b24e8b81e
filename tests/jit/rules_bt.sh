#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn bt` of a process that stands at each instruction of registered code, below a signal frame, has the caller's pc; and so it is in a core of each
# instruction, which GDB writes, where the code is the innermost frame, with its name and its line.
#
#	rules_bt.sh CAIRN STEPS RULES

cairn=$1 steps=$2 program=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/test.sh"
: "${GDB:=gdb}"
export CAIRN_CACHE="$work/cache"
"$steps" ask "'$cairn' bt --quiet --count 12 --pid" >"$work/said" || {
	cat "$work/said"
	fail 'of a process'
}
grep -q ' 137 steps, 0 of 137 wrong' "$work/said" || fail "$(tail -n 1 "$work/said")"

command -v "$GDB" >/dev/null || {
	[ "$failed" = 0 ] || exit 1
	skip 'no gdb, which writes cores (the process was right)'
}
{
	sed 's/^  up$/  printf "core %d %#lx\\n", $count, $want_pc/; /^  down$/d; /^  if \$pc != /,/^  end$/d' "$here/rules.gdb" |
		sed "s|^  printf \"core .*|&\\n  eval \"generate-core-file $work/core.%d\", \$count|"
	echo 'break ready'
	echo run
	sed -n '/^set \$i = 0$/,/^kill$/p' "$here/rules_aarch64.gdb"
} >"$work/commands"
"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -x "$work/commands" "$program" >"$work/said" 2>&1 </dev/null
sed -n 's/^core \([0-9]*\) 0x\([0-9a-f]*\)$/\1 \2/p' "$work/said" >"$work/wanted"
[ "$(wc -l <"$work/wanted")" = 137 ] || fail "GDB has written $(wc -l <"$work/wanted") cores"
while read -r number pc; do
	"$cairn" bt --quiet --count 2 "$work/core.$number" "$program" >"$work/stack" 2>&1
	rm "$work/core.$number"
	grep -q '^#0 .* in made_[a-z]* (.*) at /made/up.js:1[02]$' "$work/stack" && grep -q "^#1 *0x0*$pc " "$work/stack" && continue
	cat "$work/stack"
	fail "core $number: the caller is not $pc"
	[ "$failed" = 0 ] || break
done <"$work/wanted"
exit "$failed"
