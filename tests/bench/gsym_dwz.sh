#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's debug files that dwz has made smaller convert with all their functions:
#
#	gsym_dwz.sh CAIRN DIR
#
# Downloads packages to DIR (apt-get download, as Debian 12 has them), converts each file of them, and
# compares the starts of functions with the symbol table that readelf lists.
set -eu
cairn=$1
dir=$2
packages='binutils-x86-64-linux-gnu-dbg libbinutils-dbg'

skip() {
	echo "skipped: $1"
	exit 77
}

mkdir -p "$dir"
for package in $packages; do
	[ -d "$dir/$package" ] && continue
	command -v apt-get >/dev/null || skip "no apt-get"
	(cd "$dir" && apt-get download "$package" >/dev/null 2>&1) || skip "no package $package"
	dpkg-deb -x "$dir/$package"_*.deb "$dir/$package.new"
	mv "$dir/$package.new" "$dir/$package"
done

folders=$(for package in $packages; do printf '%s:' "$dir/$package/usr/lib/debug"; done)
find "$dir" -path '*/.build-id/*.debug' | sort >"$dir/dwz.files"
files=0 all=0 from_symbols=0 lost=0
while read -r file; do
	"$cairn" gsym create --json --directory "${folders%:}" "$file" -o "$dir/dwz.gsym" >"$dir/summary" 2>"$dir/errors" || {
		echo "$file: $(cat "$dir/errors")"
		exit 1
	}
	[ ! -s "$dir/errors" ] || cat "$dir/errors"
	"$cairn" gsym dump "$dir/dwz.gsym" | sed -n 's/^FunctionInfo.*\[0x0*\([0-9a-f]*\) - .*/\1/p' |
		sort -u >"$dir/ours"
	readelf -sW "$file" 2>/dev/null |
		awk '($4 == "FUNC" || $4 == "IFUNC") && $7 != "UND" { sub(/^0*/, "", $2); print $2 }' |
		sort -u >"$dir/symbols"
	files=$((files + 1))
	all=$((all + $(wc -l <"$dir/ours")))
	from_symbols=$((from_symbols + $(sed 's/.*"from_symbols":\([0-9]*\).*/\1/' "$dir/summary")))
	lost=$((lost + $(comm -13 "$dir/ours" "$dir/symbols" | wc -l)))
done <"$dir/dwz.files"
echo "$files files, $all functions ($from_symbols from symbols alone); $lost of the symbol tables are lost"
[ "$lost" -eq 0 ] && [ "$files" -gt 0 ]
