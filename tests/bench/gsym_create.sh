#!/bin/sh
# SPDX-License-Identifier: MIT
# Creation of GSYM beside llvm-gsymutil, on one program, in one run:
#
#	gsym_create.sh CAIRN DIR
#
# The program is $CAIRN_BENCH_DEBUG when that is set: an ELF file with at least 100 MB of
# .debug_info.  Otherwise the one that gsym.sh has downloaded to DIR, with its sections decompressed.
# Each converter runs three times on one thread, the best counts; then random addresses are asked
# of the result and of llvm-symbolizer.
set -eu
cairn=$1
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
addresses=10000

skip() {
	echo "skipped: $1"
	exit 77
}

for tool in llvm-gsymutil-19 llvm-symbolizer-19 /usr/bin/time; do
	command -v "$tool" >/dev/null || skip "no $tool"
done
input=${CAIRN_BENCH_DEBUG:-}
if [ -z "$input" ]; then
	packed=$(find "$dir" -name '*.debug' -size +50M 2>/dev/null | head -1)
	[ -n "$packed" ] || skip "no program; set CAIRN_BENCH_DEBUG, or run gsym.sh first"
	input=$dir/plain.debug
	[ -s "$input" ] || objcopy --decompress-debug-sections "$packed" "$input"
fi
mkdir -p "$dir"

# "CPU-seconds kilobytes" of the best of three runs
measure() {
	for _ in 1 2 3; do
		/usr/bin/time -f '%U %S %M' -o "$dir/time" "$@" >"$dir/log" 2>&1 || cat "$dir/log"
		awk '{ print $1 + $2, $3 }' "$dir/time"
	done | sort -n | head -1
}

ours=$(measure "$cairn" gsym create --quiet -j 1 "$input" -o "$dir/ours.gsym")
theirs=$(measure llvm-gsymutil-19 --convert="$input" --out-file="$dir/theirs.gsym" \
	--num-threads=1 --quiet)
our_size=$(wc -c <"$dir/ours.gsym")
their_size=$(wc -c <"$dir/theirs.gsym")
echo "$ours $our_size $theirs $their_size" | awk '{
	printf "cairn:         %6.2f s CPU %7d KB %9d bytes\n", $1, $2, $3
	printf "llvm-gsymutil: %6.2f s CPU %7d KB %9d bytes\n", $4, $5, $6
	printf "ratios:        %6.2f       %7.2f    %9.2f\n", $1 / $4, $2 / $5, $3 / $6
}'

"$cairn" gsym create --quiet -j 4 "$input" -o "$dir/again.gsym"
cmp -s "$dir/ours.gsym" "$dir/again.gsym" && echo "four threads: the same bytes" ||
	echo "four threads: OTHER BYTES"
llvm-gsymutil-19 --verify "$dir/ours.gsym" >"$dir/log" 2>"$dir/errors" && [ ! -s "$dir/errors" ] &&
	echo "llvm-gsymutil reads it without an error" || echo "llvm-gsymutil: ERRORS"

# addresses inside functions, spread over all of the code
"$cairn" gsym dump "$dir/ours.gsym" | sed -n 's/^FunctionInfo.*\[\(0x[0-9a-f]*\) - \(0x[0-9a-f]*\)).*/\1 \2/p' |
	awk -v n="$addresses" '
	function value(hex,   i, sum) {
		for (i = 3; i <= length(hex); i++)
			sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return sum
	}
	{ start[NR] = value($1); all += size[NR] = value($2) - start[NR] }
	END {
		srand(1)
		step = all / n
		for (i = 1; i <= NR; i++) {
			for (; at < size[i]; at += step * 2 * rand())
				printf "0x%x\n", start[i] + int(at)
			at -= size[i]
		}
	}' >"$dir/addresses"
llvm-symbolizer-19 --inlines --no-demangle --obj="$input" <"$dir/addresses" >"$dir/theirs.txt" 2>/dev/null
"$cairn" gsym lookup --lines "$dir/ours.gsym" <"$dir/addresses" >"$dir/ours.txt" || true
awk -v show="${CAIRN_BENCH_SHOW:-0}" -f "$here/gsym_answers.awk" "$dir/theirs.txt" "$dir/ours.txt"
