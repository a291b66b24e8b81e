#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes: scripts/fuzz.sh TARGET|all SECONDS (each), and scripts/fuzz.sh --coverage [PERCENT].
#
# TARGET is a file tests/fuzz/fuzz_TARGET.c.  The build has both sanitizers, and what they report ends the
# target; so does an input that takes ten seconds, or more memory than the target's limit.  New inputs are
# kept in fuzz-scratch/TARGET, from which the next run goes on, and what stops a target in fuzz-found.
# Exit status 1: something did.
#
# --coverage prints how many lines of each decoder (core/formats, core/isa) the corpora alone execute, as the
# ordinary tests replay them, and the lines that none does of those with fewer than PERCENT (90).  Runs of lines that none
# executes are named in tests/fuzz/uncovered.txt, each with its reason.  Exit status 1: there are others, or lines are few.
# Builds: build-fuzz and build-coverage (FUZZ_BUILD and COVERAGE_BUILD name others), made when they are missing.
set -u
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
here=$PWD
usage() {
	sed -n '3s/^# //p' "$0"
	exit 2
}
[ $# -ge 1 ] || usage
flags='-Dinvariants=true'

# make_build DIRECTORY OPTION...: with clang, if it is not there
make_build() {
	[ -f "$1/build.ninja" ] && return
	(cd "$top" && CC="${CC:-clang}" CXX="${CXX:-clang++}" meson setup "$@") >/dev/null || {
		echo "fuzz.sh: $1 cannot be configured"
		exit 2
	}
}

# list_programs BUILD: those of targets, without "fuzz_"
list_programs() {
	ninja -C "$1" build.ninja >"$1/fuzz.log" 2>&1 # the list of before is no list of now
	ninja -C "$1" -t targets all | sed -n 's|^tests/fuzz/fuzz_\([a-z_0-9]*\):.*_LINKER.*|\1|p' | sort
}

# build_programs BUILD NAME...
build_programs() {
	build=$1
	shift
	# shellcheck disable=SC2046 # words
	ninja -C "$build" $(printf 'tests/fuzz/fuzz_%s ' "$@") >"$build/fuzz.log" 2>&1 || {
		tail -n 20 "$build/fuzz.log"
		exit 2
	}
}

# find_corpus TARGET: its directory; some read another's
find_corpus() {
	name=$(tr '\n' ' ' <"$top/tests/fuzz/meson.build" | sed 's/.*fuzz_corpus = {\([^}]*\)}.*/\1/' | tr ',' '\n' |
		sed -n "s/.*'$1': '\([a-z_]*\)'.*/\1/p")
	echo "$top/tests/fuzz/corpus/${name:-$1}"
}

# fuzz TARGET SECONDS
fuzz() {
	scratch=$here/fuzz-scratch/$1
	mkdir -p "$scratch" "$here/fuzz-found"
	"$build/tests/fuzz/fuzz_$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$here/fuzz-found/$1-" "$scratch" "$(find_corpus "$1")" >"$here/fuzz-found/$1.log" 2>&1
	status=$?
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$here/fuzz-found/$1.log" | tail -n 1)
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$here/fuzz-found/$1.log")
	if [ $status = 0 ]; then
		echo "$1: ${runs:-0} runs, ${edges:-0} edges"
		rm -f "$here/fuzz-found/$1.log"
	else
		echo "$1: STOPPED with status $status after ${runs:-0} runs: fuzz-found/$1.log"
		grep -E 'not always|runtime error|ERROR|SUMMARY' "$here/fuzz-found/$1.log" | head -n 4
		stopped=$((stopped + 1))
	fi
}

# The share of lines of each decoder, from one profile of all targets.
cover() {
	build=${COVERAGE_BUILD:-$top/build-coverage}
	make_build "$build" -Db_lundef=false $flags \
		-Dc_args='-fprofile-instr-generate -fcoverage-mapping' \
		-Dc_link_args='-fprofile-instr-generate'
	programs=$(list_programs "$build")
	# shellcheck disable=SC2086 # words
	build_programs "$build" $programs
	rm -f "$build"/*.profraw
	objects=
	for program in $programs; do
		program=$build/tests/fuzz/fuzz_$program
		for target in $(LLVM_PROFILE_FILE=/dev/null "$program" --list); do
			LLVM_PROFILE_FILE=$build/$target.profraw "$program" "$target" "$(find_corpus "$target")" >/dev/null || exit 2
		done
		objects="${objects:+$objects -object }$program" # the first one is an operand
	done
	llvm-profdata merge -o "$build/all.profdata" "$build"/*.profraw || exit 2
	# shellcheck disable=SC2086 # words
	llvm-cov export -format=lcov -instr-profile="$build/all.profdata" $objects >"$build/whole.lcov" || exit 2
	# how compilers put a build directory before a path differs
	awk -F: '
		$1 == "SF" { sub(/^.*\/core\//, "", $2); taken = $2 ~ /^(formats|isa)\//; print "SF:" $2; next }
		taken' "$build/whole.lcov" >"$build/all.lcov"
	# a run of lines that are not executed, by the first of them that says something: "formats/cbf/cbf.c	return false;"
	awk -F: -v top="$top/core/" '
		$1 == "SF" {
			file = $2
			ran = 1
			for (line = 1; (getline text[line] <(top file)) > 0; line++)
				gsub(/^[ \t]+|[ \t]+$/, "", text[line])
			close(top file)
		}
		$1 == "DA" {
			split($2, part, ",")
			ran = ran || part[2] > 0
			if (part[2] > 0) waits = 0
			else if (ran) waits = 1
			if (part[2] == 0) ran = 0
			if (!waits || text[part[1]] ~ /^[{}]?$/) next
			waits = 0
			print file "\t" text[part[1]]
		}' "$build/all.lcov" | sort -u >"$build/uncovered"
	awk -F'\t' '!/^#/ && NF == 3 && $3 != "" { print $1 "\t" $2 }' "$top/tests/fuzz/uncovered.txt" | sort >"$build/uncovered.known"
	comm -23 "$build/uncovered" "$build/uncovered.known" | sed 's/$/: no corpus executes it; tests\/fuzz\/uncovered.txt has no reason/'
	comm -13 "$build/uncovered" "$build/uncovered.known" | sed 's/$/: tests\/fuzz\/uncovered.txt names it, and it is executed, or gone/'
	awk -F: -v least="${1:-90}" '
		$1 == "SF" { file = folder = $2; sub(/\/[^\/]*$/, "", folder) }
		$1 == "DA" {
			split($2, part, ",")
			all[folder]++
			if (part[2] > 0) run[folder]++
			else missed[folder] = missed[folder] "    " file ":" part[1] "\n"
		}
		END {
			for (folder in all) {
				share = 100 * run[folder] / all[folder]
				printf "%-28s %5.1f %% of %5d lines\n", folder, share, all[folder] | "sort"
				if (share < least) low[folder] = 1
			}
			close("sort")
			for (folder in low) {
				printf "%s, not executed:\n%s", folder, missed[folder]
				failed = 1
			}
			exit failed
		}' "$build/all.lcov" || return 1
	cmp -s "$build/uncovered" "$build/uncovered.known"
}

if [ "$1" = --coverage ]; then
	cover "${2:-90}"
	exit
fi
[ $# = 2 ] || usage
build=${FUZZ_BUILD:-$top/build-fuzz}
make_build "$build" -Db_sanitize=address,undefined -Db_lundef=false $flags -Dc_args=-fsanitize=fuzzer-no-link
ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS
if [ "$1" = all ]; then
	targets=$(list_programs "$build")
else
	targets=$1
fi
stopped=0
# shellcheck disable=SC2086 # words
build_programs "$build" $targets
for target in $targets; do
	fuzz "$target" "$2"
done
echo "fuzz.sh: $(echo "$targets" | wc -w) targets, $2 s each, $stopped stopped"
[ $stopped = 0 ]
