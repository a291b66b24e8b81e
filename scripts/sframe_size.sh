#!/bin/sh
# SPDX-License-Identifier: MIT
# Sizes of SFrame tables beside those of GNU as and ld for the same sources: sframe_size.sh CAIRN [SOURCE...]
#
# Each C source (those of core/ when none is named) is compiled by CC (gcc) with -fPIC and each of LEVELS (-O2 -Os), assembled and linked with
# the GNU as and ld of the newest suite (TOOLS names a directory with others), as one library for a level and as a library for each source.
# cairn makes its tables from the .eh_frame of the libraries. Prints bytes and ratios; then the parts of the tables of version 3, and what would be left if
# each start of a row took one byte and nothing else a byte more, which no table with the same functions and rows can be below. Is 1 if a table
# of cairn's is larger than GNU's.
# ASSEMBLY names a directory that keeps what the compiler made.
set -u
LC_ALL=C
export LC_ALL
[ $# -ge 1 ] || {
	echo 'usage: sframe_size.sh CAIRN [SOURCE...]' >&2
	exit 2
}
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")/.." || exit 2
tools=${TOOLS:-$(scripts/unpack_binutils.sh sid /var/tmp/cairn-binutils/sid)} || exit 77
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
assembly=${ASSEMBLY:-$work/assembly}
mkdir -p "$assembly" "$work/one"
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(git ls-files 'core/*.c' | grep -v '/cairn_jit\.c$')


# add_parts NAME WHO FILE: headers, records with attributes, infos, words, starts, rows
add_parts() {
	"$cairn" sframe stats --json "$3" | tr ',{}' '\n' | awk -F : -v name="$1" -v who="$2" '
		{ gsub(/"/, "", $1); n[$1] = $2 }
		END { print name, who, n["headers"] + 0, n["records"] + n["attributes"], n["infos"] + 0, n["words"] + 0, n["starts"] + 0, n["rows"] + 0 }' >>"$work/parts"
}

# measure FILE NAME: the name, then bytes of .eh_frame and its header, of the table of GNU, and of four of cairn
measure() {
	"$tools/readelf" -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' >"$work/sections"
	gnu=$(awk '$1 == ".sframe" { print $5 }' "$work/sections")
	[ -n "$gnu" ] || return 0
	frames=$(awk '$1 == ".eh_frame" { print $5 }' "$work/sections") header=$(awk '$1 == ".eh_frame_hdr" { print $5 }' "$work/sections")
	line="$2 $((0x$frames + 0x$header)) $((0x$gnu))"
	for options in '--format 3' --share-rows --join-functions '--format 2'; do
		# shellcheck disable=SC2086 # words
		made=$("$cairn" sframe create --json $options "$1" -o "$work/made" 2>"$work/said") || {
			cat "$work/said" >&2
			return 1
		}
		line="$line $(printf '%s\n' "$made" | sed 's/.*"bytes":\([0-9]*\),.*/\1/')"
		[ "$options" != '--format 3' ] || add_parts "$2" cairn "$work/made"
	done
	add_parts "$2" GNU "$1"
	echo "$line"
}

for level in ${LEVELS:--O2 -Os}; do
	mkdir -p "$work/$level"
	for source; do
		name=$level.$(echo "${source%.c}" | tr / _)
		[ -s "$assembly/$name.s" ] ||
			"${CC:-gcc}" -std=c11 -D_POSIX_C_SOURCE=200809L -Icore -Icore/include -w -fPIC "$level" -S "$source" -o "$assembly/$name.s" 2>/dev/null || {
			rm -f "$assembly/$name.s" # it needs a header that is not here
			continue
		}
		"$tools/as" --gsframe "$assembly/$name.s" -o "$work/$level/$name.o" 2>/dev/null || continue
		"$tools/ld" -shared --eh-frame-hdr "$work/$level/$name.o" -o "$work/one/$name.so" 2>/dev/null || continue
		measure "$work/one/$name.so" each >>"$work/sizes"
	done
	"$tools/ld" -shared --eh-frame-hdr --allow-multiple-definition "$work/$level"/*.o -o "$work/library.so" 2>/dev/null &&
		measure "$work/library.so" "library$level" >>"$work/sizes"
done
awk '
{ n[$1]++; for (i = 2; i <= 7; i++) sum[$1, i] += $i; if ($1 == "each" && $4 > $3) larger++ }
END {
	printf "%-14s %6s %12s %10s %18s %18s %18s %18s\n", "", "files", ".eh_frame", "GNU", "version 3", "--share-rows", "--join-functions",
		"version 2"
	for (k in n) {
		printf "%-14s %6d %12d %10d", k, n[k], sum[k, 2], sum[k, 3]
		for (i = 4; i <= 7; i++) printf " %10d (%.3f)", sum[k, i], sum[k, i] / sum[k, 3]
		print ""
	}
	printf "%d files are larger than those of GNU\n", larger
	exit larger > 0
}' "$work/sizes"
status=$?
awk '
{ who = $1 " " $2; seen[who]; for (i = 3; i <= 8; i++) sum[who, i] += $i }
END {
	printf "\n%-20s %10s %10s %10s %10s %10s %10s\n", "parts", "headers", "functions", "infos", "words", "starts", "at least"
	for (who in seen) {
		printf "%-20s", who
		for (i = 3; i <= 7; i++) printf " %10d", sum[who, i]
		printf " %10d\n", sum[who, 3] + sum[who, 4] + sum[who, 5] + sum[who, 6] + sum[who, 8]
	}
}' "$work/parts"
exit $status
