#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does our own reader of C++'s names say what binutils' says, without template arguments?
#
#	names_peer.sh PLAIN_NAMES [FILE...]
#
# Asked are the names of all symbols in some large libraries, or of those FILES; or, for files that
# end with .names, those in them, one a line.  What our reader gives up is counted only.
set -eu
LC_ALL=C
export LC_ALL
plain=$1
shift
for tool in nm c++filt; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
if [ $# = 0 ]; then
	for library in libstdc++.so.6 libLLVM.so.19.1 libLLVM-14.so.1 libpython3.11.so.1.0 \
		libboost_regex.so.1.74.0 libsource-highlight.so.4; do
		for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
			[ ! -e "$folder/$library" ] || set -- "$@" "$folder/$library"
		done
	done
fi
[ $# != 0 ] || { echo "skipped: no large library of C++"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/names.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What is behind an `@` is a version; a dot begins what compilers put behind a name.
for file in "$@"; do
	case $file in
	*.names) cat "$file" ;;
	*) # without symbols of its own, too, nm ends well
		nm --no-sort "$file" 2>"$work/err" && nm --no-sort -D "$file" 2>>"$work/err" || {
			cat "$work/err" >&2
			echo "failed: nm $file" >&2
			exit 1
		} ;;
	esac
done >"$work/symbols"
awk '{ name = $NF; sub(/[@.].*/, "", name) } name ~ /^_Z[A-Za-z0-9_]+$/ { print name }' "$work/symbols" |
	sort -u >"$work/names"
"$plain" own <"$work/names" >"$work/own"
# -i: as programs are to have them; -r: also those of more than 1,024 bytes
c++filt -i -r <"$work/names" >"$work/readable"
"$plain" drop <"$work/readable" >"$work/peer"
paste -d '\t' "$work/names" "$work/own" "$work/peer" | awk -F '\t' '
	$2 == "-" { unread++; next }
	$1 == $3 { alone++; next } # c++filt could not read it
	$2 == $3 { same++; next }
	{ if (other++ < 20) printf "%s\n  ours %s\n  peer %s\n", $1, $2, $3 }
	END {
		printf "%d names: %d the same, %d others; %d left to the library, %d read by us alone\n",
			NR, same, other, unread, alone
		exit other > 0 || same == 0
	}'
