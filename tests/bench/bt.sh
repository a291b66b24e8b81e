#!/bin/sh
# SPDX-License-Identifier: MIT
# bt.sh CAIRN: the stacks of a core of 9 threads with 2,000 frames each, by `cairn bt` and by GDB, and by
# eu-stack where that is installed. The answers (names and lines of all frames) are compared first.
# Processor time in milliseconds, start included: the best of five.
set -eu
LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
cairn=$1
: "${GDB:=gdb}" "${CC_TARGET:=cc}"
rounds=5
for tool in "$GDB" "$CC_TARGET"; do
	command -v "$tool" >/dev/null || {
		echo "skipped: no $tool"
		exit 77
	}
done
program=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)/stacks.c
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bt.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/cache"
export XDG_CACHE_HOME="$tmp/cache"

"$CC_TARGET" -g -O1 -fno-optimize-sibling-calls -pthread "$program" -o "$tmp/stacks"
"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex 'run deep' \
	-ex "generate-core-file $tmp/core" "$tmp/stacks" </dev/null >/dev/null 2>&1
by_gdb() {
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set print frame-arguments none' \
		-ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' \
		-ex 'thread apply all bt' "$tmp/stacks" "$tmp/core" </dev/null
}
by_cairn() {
	"$cairn" bt "$tmp/core"
}
by_elfutils() {
	eu-stack -n 0 -i -s --core "$tmp/core" -e "$tmp/stacks"
}

# Function and line of each frame of the program itself.
frames() {
	sed -n 's/^#.* \([a-z_]*\) (.*) at .*\/stacks\.c:\([0-9]*\)$/\1 \2/p' | sort | uniq -c
}
by_gdb 2>/dev/null | sed '1,/^Thread/d' | frames >"$tmp/expected"
by_cairn | frames >"$tmp/got"
cmp "$tmp/expected" "$tmp/got" || {
	diff "$tmp/expected" "$tmp/got"
	echo 'the answers differ'
	exit 1
}

# The best time of a command, by what the shell has counted of its children.
measure() {
	best=
	for _ in $(seq $rounds); do
		times >"$tmp/before"
		"by_$1" >/dev/null 2>&1
		times >"$tmp/after"
		spent=$(awk 'FNR == 2 { gsub(/[ms]/, " "); sum[FILENAME] = 60 * $1 + $2 + 60 * $3 + $4 }
			END { printf "%d", 1000 * (sum[ARGV[2]] - sum[ARGV[1]]) + 0.5 }' \
			"$tmp/before" "$tmp/after")
		[ -n "$best" ] && [ "$best" -le "$spent" ] || best=$spent
	done
	echo "$best"
}

lines=$(by_cairn | grep -c '^#')
ours=$(measure cairn)
printf '%-10s %6s ms for %s frames\n' cairn "$ours" "$lines"
theirs=$(measure gdb)
printf '%-10s %6s ms, %s times\n' gdb "$theirs" "$(echo "$theirs $ours" | awk '{ printf "%.1f", $1 / $2 }')"
if command -v eu-stack >/dev/null; then
	theirs=$(measure elfutils)
	printf '%-10s %6s ms, %s times\n' eu-stack "$theirs" \
		"$(echo "$theirs $ours" | awk '{ printf "%.1f", $1 / $2 }')"
else
	echo 'eu-stack   is not installed'
fi
