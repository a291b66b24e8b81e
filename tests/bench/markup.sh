#!/bin/sh
# SPDX-License-Identifier: MIT
# markup.sh CAIRN: logs of 100 MB without markup and with frames in one line of a hundred, a log of
# nothing but frames, and one long line, through `cairn markup` and llvm-symbolizer in turn; the best
# of five.  LLVM reads the program's debug information, cairn that and the GSYM file made of it.
set -eu
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
cairn=$1
peer=llvm-symbolizer-19
rounds=5
need() {
	command -v "$1" >/dev/null || { echo "skipped: no $1"; exit 77; }
}
for tool in $peer llvm-gsymutil-19 objcopy readelf nm; do need $tool; done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/markup.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

id=$(readelf -n "$cairn" 2>/dev/null | awk '/Build ID/ { print $3 }')
rest=${id#??}
mkdir -p "$tmp/debug/.build-id/${id%"$rest"}" "$tmp/gsym/.build-id/${id%"$rest"}"
debug=$tmp/debug/.build-id/${id%"$rest"}/$rest.debug
objcopy --only-keep-debug "$cairn" "$debug"
llvm-gsymutil-19 --convert="$debug" --out-file="$tmp/gsym/.build-id/${id%"$rest"}/$rest.gsym" \
	>/dev/null 2>&1

context() {
	echo "{{{module:0:cairn:elf:$id}}}"
	echo "{{{mmap:0x7f0000000000:0x1000000:load:0:rx:0x0}}}"
}
# 2,000 addresses inside functions
nm -S "$cairn" | awk '$3 == "t" || $3 == "T" { print $1, $2 }' >"$tmp/functions"
awk 'function hex(s, i, v) { for (i = 1; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
	{ start[NR] = hex($1); size[NR] = hex($2) }
	END { srand(1); for (i = 0; i < 2000; i++) { n = 1 + int(rand() * NR)
		printf "    {{{bt:%d:0x7f00%08x:ra}}}\n", i % 20, start[n] + 1 + int(rand() * (size[n] - 1)) } }' \
	"$tmp/functions" >"$tmp/frames"
awk 'BEGIN { srand(2); for (i = 0; i < 9900; i++) printf \
	"2026-11-21T12:%02d:%02d.%06d host app[%d]: request %d took %d us in {pool %d}, status ok, %s\n", \
	rand() * 60, rand() * 60, rand() * 1e6, rand() * 1e5, rand() * 1e6, rand() * 1e4, rand() * 9, \
	(rand() > 0.5 ? "cache hit" : "cache miss; block was read from disk") }' >"$tmp/block"
awk 'NR == FNR { frame[NR] = $0; next } { print } FNR % 99 == 0 { print frame[1 + n++ % 2000] }' \
	"$tmp/frames" "$tmp/block" >"$tmp/mixed"
repeat() {
	size=$(wc -c <"$1")
	for _ in $(seq $((${2}000000 / size + 1))); do cat "$1"; done
}
repeat "$tmp/block" 100 >"$tmp/plain.log"
{ context; repeat "$tmp/mixed" 100; } >"$tmp/mixed.log"
{ context; repeat "$tmp/frames" 20; } >"$tmp/frames.log"
tr '\n' ' ' <"$tmp/plain.log" >"$tmp/long.log"

# Milliseconds, best of some, of a command with $log as standard input.
best() {
	least=999999
	for _ in $(seq $rounds); do
		begin=$(date +%s%N)
		"$@" <"$log" >/dev/null 2>&1
		took=$((($(date +%s%N) - begin) / 1000))
		[ $took -lt $least ] && least=$took
	done
	echo $least
}

# Processor time of one run in microseconds, when run $1 times, user and system together.
processor() {
	runs=$1
	shift
	/usr/bin/time -f "%U %S" -o "$tmp/times" sh -c 'runs=$1 log=$2; shift 2
		for _ in $(seq "$runs"); do "$@" <"$log" >/dev/null 2>&1; done' - "$runs" "$log" "$@"
	awk -v runs="$runs" '{ printf "%d\n", ($1 + $2) * 1e6 / runs }' "$tmp/times"
}

row() {
	log=$tmp/$1.log
	size=$(wc -c <"$log")
	ours=$(best "$cairn" markup --directory="$tmp/gsym")
	dwarf=$(best "$cairn" markup --debug-file-directory="$tmp/debug")
	theirs=$(best $peer --filter-markup --debug-file-directory="$tmp/debug")
	awk -v name="$2" -v size="$size" -v a="$ours" -v d="$dwarf" -v b="$theirs" 'BEGIN {
		printf "%-22s %6.0f MB/s GSYM %6.0f MB/s DWARF %6.0f MB/s llvm %6.1f x\n", name, size / a,
			size / d, size / b, b / a }'
	[ -x /usr/bin/time ] || return 0
	ours=$(processor 10 "$cairn" markup --directory="$tmp/gsym")
	theirs=$(processor 2 $peer --filter-markup --debug-file-directory="$tmp/debug")
	awk -v size="$size" -v a="$ours" -v b="$theirs" 'BEGIN { printf "%22s %6.1f ms      %s %6.1f ms llvm %6.1f x\n",
		"processor time", a / 1e3, "                 ", b / 1e3, b / a }'
}
row plain '100 MB, no markup'
row mixed '100 MB, 1 % frames'
row frames '20 MB of frames'
row long '100 MB in one line'
if command -v /usr/bin/time >/dev/null; then
	# processor time, which other programs disturb less
	for _ in 1 2 3 4 5; do
		/usr/bin/time -f "%U %S" -a -o "$tmp/times" "$cairn" markup \
			--directory="$tmp/gsym" "$tmp/frames.log" >/dev/null 2>&1
	done
	awk -v lines="$(wc -l <"$tmp/frames.log")" '!least || $1 + $2 < least { least = $1 + $2 }
		END { printf "a frame that comes again: %.2f us\n", least * 1e6 / lines }' "$tmp/times"
	# 1 GB that is stored nowhere
	for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$tmp/mixed.log"; done |
		/usr/bin/time -f "%M" -o "$tmp/peak" "$cairn" markup --directory="$tmp/gsym" \
			>/dev/null 2>&1
	echo "peak memory, 1 GB from a pipe: $(cat "$tmp/peak") kB"
	for name in plain mixed frames long; do
		/usr/bin/time -f "%M" -o "$tmp/peak" "$cairn" markup --directory="$tmp/gsym" \
			"$tmp/$name.log" >/dev/null 2>&1
		echo "peak memory, $name: $(cat "$tmp/peak") kB"
	done
fi
