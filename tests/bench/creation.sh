# SPDX-License-Identifier: MIT
# What the benchmarks of creation share.  Read by gsym_create.sh and symbfile_create.sh, with $dir
# and $here set.  The program is $CAIRN_BENCH_DEBUG when that is set: an ELF file with at least
# 100 MB of .debug_info.  Otherwise the one that gsym.sh has downloaded to $dir, with its sections
# decompressed.

skip() {
	echo "skipped: $1"
	exit 77
}

# Sets $input.
find_input() {
	for tool in llvm-gsymutil-19 llvm-symbolizer-19 /usr/bin/time; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	mkdir -p "$dir"
	input=${CAIRN_BENCH_DEBUG:-}
	[ -z "$input" ] || return 0
	packed=$(find "$dir" -name '*.debug' -size +50M 2>/dev/null | head -1)
	[ -n "$packed" ] || skip "no program; set CAIRN_BENCH_DEBUG, or run gsym.sh first"
	input=$dir/plain.debug
	[ -s "$input" ] || objcopy --decompress-debug-sections "$packed" "$input"
}

# "CPU-seconds kilobytes" of one run
measure_once() {
	/usr/bin/time -f '%U %S %M' -o "$dir/time" "$@" >"$dir/log" 2>&1 || {
		cat "$dir/log" >&2
		exit 1
	}
	awk '{ print $1 + $2, $3 }' "$dir/time"
}

# race OURS OUT COMMAND...: OURS is made by COMMAND and OUT by llvm-gsymutil, in turns, each on one
# thread, five times; the best of each counts.
race() {
	our_file=$1
	their_file=$2
	shift 2
	for _ in 1 2 3 4 5; do
		measure_once "$@" >>"$dir/ours.times"
		measure_once llvm-gsymutil-19 --convert="$input" --out-file="$their_file" \
			--num-threads=1 --quiet >>"$dir/theirs.times"
	done
	ours=$(sort -n "$dir/ours.times" | head -1)
	theirs=$(sort -n "$dir/theirs.times" | head -1)
	rm "$dir/ours.times" "$dir/theirs.times"
	our_size=$(wc -c <"$our_file")
	their_size=$(wc -c <"$their_file")
	echo "$ours $our_size $theirs $their_size" | awk '{
		printf "cairn:         %6.2f s CPU %7d KB %9d bytes\n", $1, $2, $3
		printf "llvm-gsymutil: %6.2f s CPU %7d KB %9d bytes\n", $4, $5, $6
		printf "ratios:        %6.2f       %7.2f    %9.2f\n", $1 / $4, $2 / $5, $3 / $6
	}'
}

# spread COUNT: so many random addresses inside the stretches "0xSTART 0xEND" or "0xSTART +0xSIZE" of
# standard input, spread over all of the code
spread() {
	awk -v n="$1" '
	function value(hex,   i, sum) {
		for (i = 3; i <= length(hex); i++)
			sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return sum
	}
	{ start[NR] = value($1) }
	{ all += size[NR] = /[+]/ ? value(substr($2, 2)) : value($2) - start[NR] }
	END {
		srand(1)
		step = all / n
		for (i = 1; i <= NR; i++) {
			for (; at < size[i]; at += step * 2 * rand())
				printf "0x%x\n", start[i] + int(at)
			at -= size[i]
		}
	}'
}

# agree ADDRESSES OURS: what llvm-symbolizer says beside what cairn said, as `gsym lookup --lines`
# prints it
agree() {
	llvm-symbolizer-19 --inlines --no-demangle --obj="$input" <"$1" >"$dir/theirs.txt" 2>/dev/null
	awk -v show="${CAIRN_BENCH_SHOW:-0}" -f "$here/answers.awk" "$dir/theirs.txt" "$2"
}
