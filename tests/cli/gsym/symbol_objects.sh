#!/bin/sh
# SPDX-License-Identifier: MIT
# symbol_objects.sh CAIRN CORPUS: the objects of all GSYM files of the corpus, for machines of both classes
# and byte orders, and readelf, eu-elflint and llvm-dwarfdump have nothing to say about them.  A tool
# that is missing is passed over, and named.
set -eu
cairn=$1 corpus=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-objects.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL

tools=
for tool in readelf eu-elflint "${DWARFDUMP:=llvm-dwarfdump-19}"; do
	if command -v "$tool" >/dev/null; then
		tools="$tools $tool"
	else
		echo "no $tool"
	fi
done
[ -n "$tools" ] || exit 77

# check OBJECT GSYM: what the tools object to.  Build IDs of files made by hand are shorter than
# readelf likes, and the largest line number, which leb.gsym has, is more than the steps that readelf
# of binutils 2.41 and later can take at once.
check() {
	ignored='build-id section is'
	case $2 in
	*/leb.gsym) ignored="$ignored\\|read LEB value is too large to store" ;;
	esac
	for tool in $tools; do
		case $tool in
		readelf) readelf -aW --debug-dump "$1" 2>&1 >/dev/null | grep -v "$ignored" ;;
		eu-elflint) eu-elflint -d "$1" 2>&1 | grep -v '^No errors$' ;;
		*) "$tool" --verify "$1" 2>&1 | grep -iE 'error:|warning:' ;;
		esac
	done
}

count=0 failed=0
for gsym in "$corpus"/*.gsym; do
	for machine in '--machine amd64' '--machine aarch64_be' '--machine 40 --32-bit' \
		'--machine 8 --32-bit --big-endian'; do
		rm -f "$tmp/object"
		$cairn symbols write $machine -q "$gsym" -o "$tmp/object" 2>/dev/null || [ $? -le 3 ] || {
			echo "$gsym $machine: cairn ended badly"
			failed=$((failed + 1))
		}
		[ -f "$tmp/object" ] || continue
		count=$((count + 1))
		check "$tmp/object" "$gsym" >"$tmp/said" || :
		[ -s "$tmp/said" ] || continue
		echo "$gsym $machine:"
		head -n 5 "$tmp/said"
		failed=$((failed + 1))
	done
done
echo "$count objects, $failed not sound"
[ "$count" -gt 20 ] && [ "$failed" -eq 0 ]
