#!/bin/sh
# SPDX-License-Identifier: MIT
# Creation of GSYM beside llvm-gsymutil, on one program, in one run:
#
#	gsym_create.sh CAIRN DIR
#
# Which program, see creation.sh.  Then random addresses are asked of the result and of
# llvm-symbolizer.
set -eu
cairn=$1
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
addresses=10000
# shellcheck source=creation.sh
. "$here/creation.sh"

find_input
race "$dir/ours.gsym" "$dir/theirs.gsym" "$cairn" gsym create --quiet -j 1 "$input" -o "$dir/ours.gsym"

"$cairn" gsym create --quiet -j 4 "$input" -o "$dir/again.gsym"
cmp -s "$dir/ours.gsym" "$dir/again.gsym" && echo "four threads: the same bytes" ||
	echo "four threads: OTHER BYTES"
llvm-gsymutil-19 --verify "$dir/ours.gsym" >"$dir/log" 2>"$dir/errors" && [ ! -s "$dir/errors" ] &&
	echo "llvm-gsymutil reads it without an error" || echo "llvm-gsymutil: ERRORS"

"$cairn" gsym dump "$dir/ours.gsym" |
	sed -n 's/^FunctionInfo.*\[\(0x[0-9a-f]*\) - \(0x[0-9a-f]*\)).*/\1 \2/p' |
	spread "$addresses" >"$dir/addresses"
# 1: some of the addresses lie in no function, which the comparison counts
status=0
"$cairn" gsym lookup --lines "$dir/ours.gsym" <"$dir/addresses" >"$dir/ours.txt" || status=$?
[ "$status" -le 1 ] || {
	echo "cairn gsym lookup failed: $status"
	exit 1
}
agree "$dir/addresses" "$dir/ours.txt"
