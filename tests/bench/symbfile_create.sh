#!/bin/sh
# SPDX-License-Identifier: MIT
# Creation of a symbfile beside llvm-gsymutil's of GSYM, from one program, in one run:
#
#	symbfile_create.sh CAIRN DIR
#
# Which program, see creation.sh.  Then random addresses are asked of the ranges and of
# llvm-symbolizer.
set -eu
cairn=$1
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
addresses=10000
# shellcheck source=creation.sh
. "$here/creation.sh"

find_input
race "$dir/ours.ranges" "$dir/theirs.gsym" \
	"$cairn" symbfile create --quiet -j 1 "$input" -o "$dir/ours"

"$cairn" symbfile create --quiet -j 4 "$input" -o "$dir/again"
cmp -s "$dir/ours.ranges" "$dir/again.ranges" && echo "four threads: the same bytes" ||
	echo "four threads: OTHER BYTES"

# names as the linker has them, which are those that can be compared
"$cairn" symbfile create --quiet --raw-names --only ranges "$input" -o "$dir/raw"
"$cairn" symbfile dump --lines "$dir/raw.ranges" | awk -F '\t' '$1 == "R" && $4 == 0 { print $2, "+" $3 }' |
	spread "$addresses" >"$dir/addresses"
# 1: some of the addresses lie in no function, which the comparison counts
status=0
"$cairn" symbfile lookup --no-cache --lines "$dir/raw.ranges" <"$dir/addresses" >"$dir/answers" ||
	status=$?
[ "$status" -le 1 ] || {
	echo "cairn symbfile lookup failed: $status"
	exit 1
}
awk -F '\t' '{
	gsub(/ /, "_")
	printf "%s ok -", $2
	for (i = NF - 2; i >= 4; i -= 3)
		printf " %s 0 %s", $i, $(i + 1) == "-" ? "-" : $(i + 1) ":" $(i + 2)
	print ""
}' "$dir/answers" >"$dir/ours.txt"
agree "$dir/addresses" "$dir/ours.txt"
