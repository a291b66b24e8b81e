#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The static libraries show their public names alone, none of them twice; and a program that has functions with names of
# functions inside of them links both, and works.
#
#	static.sh LIBCAIRN LIBCAIRN-DWARF CLASH.c INCLUDE COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$1 dwarf=$2 source=$3 include=$4
shift 4
. "$(dirname "$0")/../lib/test.sh"
nm -g --defined-only "$cairn" "$dwarf" | awk 'NF == 3 { print $3 }' | sort >"$work/names" || exit 2
[ "$(grep -c '^cairn_' "$work/names")" -gt 100 ] || fail 'the public names are missing'
grep -v '^cairn_' "$work/names" && fail 'these names are not public'
uniq -d "$work/names" | grep . && fail 'these names are defined twice'

# the program's functions are inside of both libraries, too: otherwise it would prove nothing
for name in hash_siphash elf_open; do
	nm "$cairn" "$dwarf" | grep -q " t $name\$" || fail "no library has a function $name"
done
libraries=
for library in z zstd lzma lz4 deflate; do
	echo 'int main(void) { return 0; }' | "$@" -x c - -o "$work/probe" -l$library 2>/dev/null &&
		libraries="$libraries -l$library"
done
"$@" -std=c11 -g -I "$include" "$source" "$dwarf" "$cairn" $libraries -pthread -o "$work/clash" || exit 1
va=$(nm "$work/clash" | awk '$3 == "marked" { print "0x" $1 }')
said=$(XDG_CACHE_HOME=$work "$work/clash" "$work/clash" "$va")
[ "$said" = 'marked by dwarf' ] || fail "the program says '$said'"
exit $failed
