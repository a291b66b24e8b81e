#!/bin/sh
# SPDX-License-Identifier: MIT
# The first answer about a program that nothing was converted of: how long `cairn where` takes for one address,
# beside llvm-symbolizer.
#
#	tests/bench/first_answer.sh CAIRN FILE [COUNT [PEERS [PACKED]]]
#
# FILE is a program or debug file with DWARF. It is asked COUNT (1,000) random addresses of its code, each in a process
# of its own, the peer PEERS (100) of them: decompressed with and without .debug_aranges, and PACKED (20) with its
# DWARF compressed; with the file's pages in memory, and after posix_fadvise() let go of them. Prints a table of
# Markdown: median and worst of clock and processor time, and the peak of memory.
set -eu
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
root=$(cd "$(dirname "$0")/../.." && pwd)
cairn=$(realpath "$1")
file=$(realpath "$2")
count=${3:-1000} peers=${4:-100} packed=${5:-20}
peer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer || :)
for tool in cc objcopy readelf dd awk; do
	command -v "$tool" >/dev/null || { echo "first_answer.sh: no $tool" >&2; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/var/tmp}/first.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L "$root/tests/bench/timed.c" -o "$work/timed"
objcopy --decompress-debug-sections "$file" "$work/plain" 2>"$work/err"
objcopy --remove-section .debug_aranges "$work/plain" "$work/bare" 2>>"$work/err"
objcopy --compress-debug-sections=zlib "$work/plain" "$work/packed" 2>>"$work/err"

text=$(readelf -SW "$work/plain" 2>/dev/null | awk '{ for (i = 1; i < NF; i++) if ($i == ".text") { print $(i + 2), $(i + 4); exit } }')
awk -v start=$((0x${text% *})) -v size=$((0x${text#* })) -v count="$count" 'BEGIN {
	srand(1)
	for (i = 0; i < count; i++)
		printf "0x%x\n", start + int(rand() * size)
}' >"$work/addresses"
dwarf=$(readelf -SW "$work/plain" 2>/dev/null | awk '{ for (i = 1; i < NF; i++) if ($i ~ /^\.debug_/) print $(i + 4) }' |
	while read -r bytes; do echo $((0x$bytes)); done | awk '{ sum += $1 } END { printf "%.0f", sum / 1e6 }')
echo "$(basename "$file"): $dwarf MB of DWARF, addresses of $((0x${text#* })) bytes of code; load $(cut -d' ' -f1 /proc/loadavg) at the start."
echo
echo '| | | asked | clock: median | worst | processor: median | worst | peak |'
echo '|---|---|--:|--:|--:|--:|--:|--:|'

# ask WHO WHAT HOW COUNT FILE COMMAND...: one row
ask() {
	who=$1 what=$2 how=$3 asked=$4 input=$5
	shift 5
	head -n "$asked" "$work/addresses" | while read -r address; do
		[ "$how" = warm ] || dd of="$input" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
		"$work/timed" 600 /dev/null "$@" "$input" "$address"
	done >"$work/times"
	if grep -qv ' [01]$' "$work/times"; then
		echo "first_answer.sh: $who does not answer about $what" >&2
		exit 1
	fi
	for column in 3 1; do
		sort -n -k "$column,$column" "$work/times" | awk -v column="$column" '{ time[NR] = $column }
			END { printf " %.1f ms | %.1f ms |", time[int((NR + 1) / 2)] / 1000, time[NR] / 1000 }'
	done >"$work/figures"
	awk -v asked="$asked" -v who="$who" -v what="$what, $how" -v figures="$(cat "$work/figures")" '
		$2 > peak { peak = $2 }
		END { printf "| %s | %s | %d |%s %.0f MB |\n", what, who, asked, figures, peak / 1024 }' "$work/times"
}
for variant in plain bare packed; do
	case $variant in
	plain) what='with `.debug_aranges`' own=$count others=$peers ;;
	bare) what='without' own=$count others=$peers ;;
	packed) what='compressed' own=$packed others=$packed ;;
	esac
	for how in cold warm; do
		[ $how = cold ] || cat "$work/$variant" >/dev/null
		ask cairn "$what" $how "$own" "$work/$variant" "$cairn" where --no-cache
		[ -z "$peer" ] || ask llvm-symbolizer "$what" $how "$others" "$work/$variant" "$peer" -e
	done
done
