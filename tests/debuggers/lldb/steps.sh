#!/bin/sh
# SPDX-License-Identifier: MIT
# steps.sh [hidden|made] FLAGS...: at every instruction of a program without symbols and without .eh_frame, LLDB's own
# stack by the object that cairn makes of .sframe alone is that of the complete build, with all
# registers that calls preserve.  Without the object it is not, or the test would show nothing.  `hidden`: of an
# .eh_frame that only the program header leads to; `made`: of a file that `cairn sframe create` made of the complete build.
. "$(dirname "$0")/lib.sh"

build=build
case ${1:-} in
hidden) build=hide ;;
made) build=make_table ;;
esac
[ $build = build ] || shift
$build sample "$@" -pthread "$programs/sample.c"
total=0 without=0
for word in recurse inline busy variable signal qsort abort; do
	steps eh sample 3000 $word eh.out
	steps no sample 3000 $word no.out
	steps no sample 3000 $word with.out -o "target symbols add $tmp/sample.debug"
	awk -f "$here/compare.awk" "$tmp/eh.out" "$tmp/with.out" >"$tmp/with" 2>"$tmp/differences"
	awk -f "$here/compare.awk" "$tmp/eh.out" "$tmp/no.out" >"$tmp/without" 2>/dev/null
	read -r stops _ wrong _ values _ unknown _ false _ <"$tmp/with"
	echo "$word: $(cat "$tmp/with"); without the object: $(cat "$tmp/without")"
	cat "$tmp/differences"
	[ "$wrong" -eq 0 ] || fail "$word: wrong stacks"
	[ "$false" -eq 0 ] || fail "$word: false registers"
	[ "$stops" -gt 30 ] && [ "$values" -gt 500 ] || fail "$word: too little was compared"
	# an address that nothing proves may be without a value, but not many
	[ $((unknown * 20)) -lt "$values" ] || fail "$word: $unknown of $values registers not known"
	total=$((total + stops))
	without=$((without + $(cut -d ' ' -f 3 "$tmp/without")))
done
echo "$total stops, without the object $without wrong"
[ "$without" -gt 0 ] || fail 'LLDB needs no object here: the test shows nothing'
