#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do our own readers of C++'s and Rust's names print what binutils, LLVM and rustfilt do?
#
#	beside_binutils.sh PLAIN_NAMES [FILE...]
#
# Asked are the names of all symbols in some large libraries, or of those FILES; or, for files that
# end with .names, those in them, one a line.  Plain names of C++ are compared with those of c++filt
# without template arguments; whole ones with c++filt (and names of Rust with rustfilt, if it is there).
# KEEP=DIR keeps the lists there: each line of whole.differ is a name, ours, c++filt's, and LLVM's, if
# llvm-cxxfilt is there.  Names in which binutils leaves a comma beside an empty pack are counted, and so
# are those where a substitution means a parameter of another template, which it takes for its own.
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
. "$(dirname "$0")/../../lib/test.sh"

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
"$plain" whole <"$work/names" >"$work/whole"
llvm=$(command -v llvm-cxxfilt-19 || command -v llvm-cxxfilt || :)
"${llvm:-cat}" <"$work/names" >"$work/llvm"

# Rust's older names are C++'s to c++filt -i of some versions
paste -d '\t' "$work/names" "$work/whole" "$work/readable" "$work/llvm" | grep -v '17h[0-9a-f]\{16\}E	' |
	awk -F '\t' -v "differ=$work/whole.differ" '
	function closed(text) { while (gsub(/> >/, ">>", text)); return text }
	{ theirs = closed($3) }
	$2 == theirs { same++; next }
	$2 == "-" && $1 == $3 { neither++; next }
	$1 == $3 { alone++; next }
	$2 == "-" { unread++; print >differ; next }
	theirs ~ /[<(] *, |, , / { commas++; next }
	{ other++; print >differ }
	END {
		printf "%d whole names: %d the same, %d others; %d read by c++filt alone, %d by us alone, %d by none; %d with commas of empty packs\n",
			NR, same, other, unread, alone, neither, commas
		exit same == 0 || unread > 0 || other > NR / 500
	}'
[ ! -s "$work/whole.differ" ] || [ -z "${KEEP-}" ] || cp "$work/whole.differ" "$KEEP/"

# plain names: of what was the same
paste -d '\t' "$work/names" "$work/whole" "$work/readable" "$work/own" | awk -F '\t' -v "names=$work/alike" '
	function closed(text) { while (gsub(/> >/, ">>", text)); return text }
	$2 == closed($3) && $1 !~ /X|D[tT]|L[^_0-9]|Q/ { print $1 "\t" $4 >names; print $2 }' >"$work/alike.whole"
"$plain" drop <"$work/alike.whole" >"$work/peer"
paste -d '\t' "$work/alike" "$work/peer" | awk -F '\t' '
	$2 == $3 { same++; next }
	{ if (other++ < 20) printf "%s\n  ours %s\n  peer %s\n", $1, $2, $3 }
	END {
		printf "%d plain names: %d the same, %d others\n", NR, same, other
		exit other > 0 || same == 0
	}'

rustfilt=${RUSTFILT:-rustfilt}
if command -v "$rustfilt" >/dev/null; then
	awk '{ name = $NF; sub(/[@.].*/, "", name) } name ~ /^_R[A-Za-z0-9_]+$/ || name ~ /^_ZN.*17h[0-9a-f]+E$/ { print name }' \
		"$work/symbols" | sort -u >"$work/rust"
	"$plain" whole <"$work/rust" >"$work/whole"
	"$rustfilt" <"$work/rust" >"$work/readable"
	paste -d '\t' "$work/rust" "$work/whole" "$work/readable" | awk -F '\t' -v "differ=$work/rust.differ" '
		$2 == $3 { same++; next }
		{ other++; print >differ }
		END { printf "%d names of Rust: %d the same, %d others\n", NR, same, other; exit other > 0 }' ||
		{ [ -z "${KEEP-}" ] || cp "$work/rust.differ" "$KEEP/"; head -5 "$work/rust.differ"; exit 1; }
fi
