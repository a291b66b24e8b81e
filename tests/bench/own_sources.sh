#!/bin/sh
# SPDX-License-Identifier: MIT
# own_sources.sh GCC OUTPUT DIRECTORY CORE SOURCE...
# Link the sources, compiled at four levels, COPIES times into one shared object with .sframe.
set -eu
COPIES=8
gcc=$1 output=$2 directory=$3 core=$4
shift 4

mkdir -p "$directory"
objects=
for level in -O1 -O2 -O3 -Os; do
	for source; do
		object=$directory/$(echo "$source" | tr / _)$level.o
		"$gcc" -std=c11 -D_POSIX_C_SOURCE=200809L -DCAIRN_VERSION='""' -I"$core" \
			-I"$core/include" -g0 -fPIC "$level" -Wa,--gsframe -c -o "$object" "$source"
		objects="$objects $object"
	done
done

all=
copy=0
while [ $copy -lt $COPIES ]; do
	all="$all $objects"
	copy=$((copy + 1))
done
# The copies define the same names; the code of each stays in the file.
"$gcc" -shared -Wl,-z,muldefs -o "$output" $all
