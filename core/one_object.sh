#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes a static library of one object that shows its public names alone, so that any program can link it: names inside
# of it cannot clash with names of the program, or of another library that has a copy of the same object.
#
#	one_object.sh OBJCOPY AR OUTPUT PATTERN[,PATTERN...] WHOLE... -- NEEDED... -- COMPILER...
#
# All of the archives WHOLE goes in, and of the archives NEEDED what these use.
set -euf
objcopy=$1 ar=$2 output=$3 keep=
for pattern in $(echo "$4" | tr , ' '); do
	keep="$keep --keep-global-symbol=$pattern"
done
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
"$objcopy" --wildcard $keep "$object"
"$ar" rcs "$output" "$object"
rm -f "$object"
