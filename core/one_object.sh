#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes a static library of one object that shows its public names alone, so that any program can link it: names inside
# of it cannot clash with names of the program, or of another library that has a copy of the same object.
#
#	one_object.sh OBJCOPY AR OUTPUT PATTERN WHOLE... -- NEEDED... -- COMPILER...
#
# All of the archives WHOLE goes in, and of the archives NEEDED what these use.
set -eu
objcopy=$1 ar=$2 output=$3 pattern=$4
shift 4
whole='' needed=''
while [ "$1" != -- ]; do
	whole="$whole $1"
	shift
done
shift
while [ "$1" != -- ]; do
	needed="$needed $1"
	shift
done
shift
object=${output%.a}.o
rm -f "$output"
# names of archives are those of the build, without blanks
"$@" -r -nostdlib -o "$object" -Wl,--whole-archive $whole -Wl,--no-whole-archive $needed
"$objcopy" --wildcard --keep-global-symbol="$pattern" "$object"
"$ar" rcs "$output" "$object"
rm -f "$object"
