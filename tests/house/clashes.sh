#!/bin/sh
# SPDX-License-Identifier: MIT
#
# clashes.sh PROGRAM OBJECTS: does one of the object files in that directory define a function that a library it needs has under the same name?
# The linker would say nothing, and give ours to our own calls of the library.  The C library is
# left out: names of its own begin with an underscore or are reserved.
LC_ALL=C
export LC_ALL
command -v ldd >/dev/null || { echo 'skipped: no ldd on this machine'; exit 77; }
ours=$(find "$2" -name '*.o' -exec nm -g --defined-only {} + |
	awk 'NF == 3 && $3 != "main" { print $3 }' | sort -u)
theirs=$(ldd "$1" | awk '$3 ~ /\// && $1 !~ /^lib(c|m|pthread|dl|asan|ubsan)\./ { print $3 }' |
	xargs -r nm -D --defined-only 2>/dev/null | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' |
	grep -v '^_' | sort -u)
[ -n "$ours" ] || { echo "$2 defines nothing?"; exit 1; }
both=$(printf '%s\n' "$ours" "$theirs" | sort | uniq -d)
[ -z "$both" ] && exit 0
for name in $both; do
	echo "$2 defines $name, and so does a library of $1"
done
exit 1
