#!/bin/sh
# SPDX-License-Identifier: MIT
#
# libcairn-jit shows what cairn_jit.h declares and the two names of GDB's interface, both weak; so does the static library.
#
#	exports.sh SHARED STATIC HEADER EXPORTS.SH

shared=$1 static=$2 header=$3 exports=$4
names=$(grep -v '^#' "$header" | tr '\n\t' '  ' | grep -o 'CAIRN_JIT_API [^;(]*(' | sed 's/($//; s/.*[ *]//')
[ "$(echo "$names" | wc -l)" -eq 9 ] || {
	echo "cairn_jit.h declares other functions:" $names
	exit 1
}
sh "$exports" "$shared" $names __jit_debug_descriptor __jit_debug_register_code || exit 1
expected=$(printf '%s\n' $names __jit_debug_descriptor __jit_debug_register_code | LC_ALL=C sort)
found=$(nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort)
[ "$expected" = "$found" ] || {
	echo "$static shows:" $found
	exit 1
}
for file in "$shared" "$static"; do
	weak=$(nm -g --defined-only "$file" | awk '$3 ~ /^__jit_debug/ && $2 ~ /[VvWw]/' | wc -l)
	[ "$weak" -eq 2 ] || {
		echo "$file: the names of GDB's interface are not weak"
		exit 1
	}
done
