#!/bin/sh
# SPDX-License-Identifier: MIT
# bt.sh CAIRN: the stacks of two cores, by `cairn bt`, by GDB, and by eu-stack where that is installed: one of
# 9 threads with 2,000 frames each, and one of 300 functions in 5 modules that call each other without
# recursion, each with an inlined call. The answers (names and lines of all frames, inlined ones too) are
# compared first. Processor time in milliseconds, start included, the best of five; and peak memory.
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
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bt.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/cache"
export XDG_CACHE_HOME="$tmp/cache"

# The functions of part $1 of the wide program: each fifth of 300, which calls the one after it.
write_part() {
	awk -v part="$1" 'BEGIN {
		print "extern int (*volatile steps[])(int);"
		print "extern volatile int sink;"
		print "static inline __attribute__((always_inline)) int call_next(int x)"
		print "{\n\treturn steps[x](x) + sink;\n}"
		for (i = part; i < 300; i += 5) {
			printf "__attribute__((noinline)) int step_%d(int x)\n", i
			print "{\n\tint y = call_next(x + 1);\n\n\treturn y + sink;\n}"
		}
		print "__attribute__((constructor)) static void fill(void)\n{"
		for (i = part; i < 300; i += 5) printf "\tsteps[%d] = step_%d;\n", i, i
		print "}" }'
}

build_wide() {
	libraries=
	for part in 1 2 3 4; do
		write_part $part >"$tmp/part$part.c"
		"$CC_TARGET" -g -O2 -fPIC -shared "$tmp/part$part.c" -o "$tmp/libpart$part.so"
		libraries="$libraries $tmp/libpart$part.so"
	done
	{
		write_part 0
		cat <<-'C'
			#include <stdlib.h>
			int (*volatile steps[301])(int);
			volatile int sink;
			static int finish(int x)
			{
				sink += x;
				abort();
			}
			int main(void)
			{
				steps[300] = finish;
				return steps[0](0) + sink;
			}
		C
	} >"$tmp/part0.c"
	# shellcheck disable=SC2086 # a list of files
	"$CC_TARGET" -g -O2 -rdynamic -Wl,--no-as-needed "$tmp/part0.c" $libraries -Wl,-rpath,"$tmp" -o "$tmp/wide"
}

# dump PROGRAM WORDS...: its core, by GDB.
dump() {
	program=$1
	shift
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex "run $*" \
		-ex "generate-core-file $program.core" "$program" </dev/null >/dev/null 2>&1
}

by_gdb() {
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set print frame-arguments none' \
		-ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' \
		-ex 'thread apply all bt' "$program" "$program.core" </dev/null
}
by_cairn() {
	"$cairn" bt "$program.core"
}
by_elfutils() {
	eu-stack -n 0 -i -s --core "$program.core" -e "$program"
}

# Function and line of each frame of the program itself, in their order.
frames() {
	sed -n 's/^#.* \([a-z_0-9]*\) (.*) at .*\/\(stacks\|part[0-9]\)\.c:\([0-9]*\)$/\1 \2 \3/p'
}
frames_of_elfutils() {
	awk '/^#/ { name = $3; if (name == "-") name = $5; next }
		match($1, /(stacks|part[0-9])\.c:[0-9]+/) {
			place = substr($1, RSTART, RLENGTH)
			sub(/\.c:/, " ", place)
			print name, place
		}'
}

compare_answers() {
	by_gdb 2>/dev/null | sed '1,/^Thread/d' | frames | sort | uniq -c >"$tmp/expected"
	by_cairn | frames | sort | uniq -c >"$tmp/got"
	[ -s "$tmp/expected" ] && cmp "$tmp/expected" "$tmp/got" || {
		diff "$tmp/expected" "$tmp/got" | head
		echo 'the answers of GDB and cairn differ'
		exit 1
	}
	! command -v eu-stack >/dev/null || {
		by_elfutils 2>/dev/null | frames_of_elfutils | sort | uniq -c >"$tmp/got"
		cmp -s "$tmp/expected" "$tmp/got" || echo "eu-stack  has other answers: $(diff "$tmp/expected" "$tmp/got" | grep -c '^[<>]') places differ"
	}
}

# The best time of a command, by what the shell has counted of its children, in steps of 10 ms: what is
# short runs ten times.
measure() {
	repeat=1
	[ "$1" != cairn ] || repeat=10
	best=
	for _ in $(seq $rounds); do
		times >"$tmp/before"
		for _ in $(seq $repeat); do "by_$1" >/dev/null 2>&1; done
		times >"$tmp/after"
		spent=$(awk 'FNR == 2 { gsub(/[ms]/, " "); sum[FILENAME] = 60 * $1 + $2 + 60 * $3 + $4 }
			END { printf "%d", 1000 * (sum[ARGV[3]] - sum[ARGV[2]]) / repeat + 0.5 }' repeat=$repeat \
			"$tmp/before" "$tmp/after")
		[ -n "$best" ] && [ "$best" -le "$spent" ] || best=$spent
	done
	echo "$best"
}

# Peak memory of a command, in MB; the shell function is repeated for it, because time runs programs.
peak() {
	command -v time >/dev/null || { echo '?'; return; }
	case $1 in
	cairn) command time -f %M -o "$tmp/peak" "$cairn" bt "$program.core" ;;
	gdb) command time -f %M -o "$tmp/peak" "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' \
		-iex 'set auto-load no' -ex 'thread apply all bt' "$program" "$program.core" </dev/null ;;
	elfutils) command time -f %M -o "$tmp/peak" eu-stack -n 0 -i -s --core "$program.core" -e "$program" ;;
	esac >/dev/null 2>&1 || :
	awk 'END { printf "%d", $1 / 1000 + 0.5 }' "$tmp/peak"
}

report() {
	program=$1
	compare_answers
	ours=$(measure cairn)
	printf '%s: %s frames\n%-10s %6s ms %4s MB\n' "$2" "$(by_cairn | grep -c '^#')" cairn "$ours" "$(peak cairn)"
	for other in gdb elfutils; do
		[ $other = gdb ] || command -v eu-stack >/dev/null || {
			echo 'eu-stack   is not installed'
			continue
		}
		theirs=$(measure $other)
		printf '%-10s %6s ms %4s MB, %s times\n' $other "$theirs" "$(peak $other)" \
			"$(echo "$theirs $ours" | awk '{ printf "%.1f", $1 / $2 }')"
	done
}

"$CC_TARGET" -g -O1 -fno-optimize-sibling-calls -pthread "$programs/stacks.c" -o "$tmp/stacks"
build_wide
dump "$tmp/stacks" deep
dump "$tmp/wide"
report "$tmp/stacks" '9 threads of 2,000 frames'
report "$tmp/wide" '300 functions of 5 modules'
