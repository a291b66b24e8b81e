#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How well does `cairn group` tell bugs apart, and how often does it see one bug as two? The 20 programs of tests/fixtures/group/bugs are built by
# gcc and clang at five levels, stripped, and crash five times each with different arguments: 1,000 stacks, with names from GSYM files. Printed are
# the groups of each build and of all, which bugs are split, which are merged, and for each two levels how many bugs have one ID.
#
#	group_grid.sh CAIRN DIR [build|crash|count]
#
# DIR keeps the work; without a step all of them are done, and what is there already is not done again. Exit status 1: there are more groups than
# 20 for a build or 24 over all, or fewer than 18 bugs have one ID at two levels of one compiler; -Os is shown and not judged so. With GRID_COMPILERS and GRID_LEVELS
# in the environment there are fewer builds, and with GRID_FRESH what is there is done again. 77: a compiler is missing, or no core can be had.
set -u
export LC_ALL=C
[ $# -ge 2 ] || {
	echo 'usage: group_grid.sh CAIRN DIR [build|crash|count]' >&2
	exit 2
}
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
bugs=$(cd "$(dirname "$0")/../tests/fixtures/group/bugs" && pwd)
[ -z "${GRID_FRESH:-}" ] || [ "${3:-all}" != all ] || rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
step=${3:-all}
compilers=${GRID_COMPILERS:-gcc clang}
levels=${GRID_LEVELS:-O0 O1 O2 O3 Os}
HOME=$folder XDG_CACHE_HOME=$folder/cache
export HOME XDG_CACHE_HOME
unset DEBUGINFOD_URLS
failed=0
for compiler in $compilers; do
	command -v "$compiler" >/dev/null || {
		echo "skipped: no $compiler"
		exit 77
	}
done

# build_bug COMPILER LEVEL SOURCE: a stripped program, and its GSYM file in the store
build_bug() {
	name=$(basename "$3")
	name=${name%.*}
	out=$folder/$1-$2
	[ ! -s "$out/$name" ] || return 0
	mkdir -p "$out" "$folder/store/$1-$2"
	case $1,$3 in
	gcc,*.cpp) tool='g++ -std=c++17' ;;
	clang,*.cpp) tool='clang++ -std=c++17' ;;
	*) tool=$1 ;;
	esac
	$tool -g "-$2" -w -pthread -Wl,--build-id -o "$out/$name.whole" "$3" || exit 2
	"$cairn" gsym create --quiet -o "$folder/store/$1-$2/$name.gsym" "$out/$name.whole" || exit 2
	strip -o "$out/$name" "$out/$name.whole" || exit 2
	rm "$out/$name.whole"
}

# crash_bug BUILD NAME: five stacks, a line each
crash_bug() {
	lines=$folder/lines/$1
	[ ! -s "$lines/$2" ] || return 0
	mkdir -p "$lines"
	rm -rf "$folder/run"
	mkdir "$folder/run"
	for argument in 0 1 2 3 4; do
		(
			cd "$folder/run" || exit 2
			ulimit -c unlimited
			"$folder/$1/$2" $argument
		) >/dev/null 2>&1
		core=$(ls "$folder"/run/core* 2>/dev/null | head -n 1)
		[ -s "$core" ] || {
			echo "$1/$2 $argument: no core"
			exit 2
		}
		"$cairn" bt --quiet --json -1 --directory "$folder/store/$1" "$core" >>"$lines/$2.new" 2>/dev/null
		rm "$core"
	done
	mv "$lines/$2.new" "$lines/$2"
}

# Prints build, bug and ID of each line.
list_ids() {
	for build in "$folder"/lines/*; do
		for bug in "$build"/*; do
			[ "${bug%.new}" = "$bug" ] || continue
			"$cairn" group --each "$bug" | sed -n 's/^{"id":"\([0-9a-f]*\)".*/\1/p' |
				sed "s|^|$(basename "$build") $(basename "$bug") |"
		done
	done
}

count_groups() {
	list_ids >"$folder/ids"
	echo "$(wc -l <"$folder/ids") crashes of $(cut -d ' ' -f 2 "$folder/ids" | sort -u | wc -l) bugs"
	awk -v compilers="$compilers" -v levels="$levels" '
	{
		here = $1 SUBSEP $2
		if (!seen[here, $3]++) { ids[here] = ids[here] " " $3; count[here]++ }
		if (!in_build[$1, $3]++) groups[$1]++
		if (!all[$3]++) total++
		if (!of_bug[$2, $3]++) { bug_ids[$2]++; id_bugs[$3] = id_bugs[$3] " " $2; id_count[$3]++ }
		builds[$1]; names[$2]; first[here] = $3
	}
	END {
		for (build in builds) {
			printf "%-10s %d groups", build, groups[build]
			for (bug in names) if (count[build, bug] > 1) printf "; %s is split into %d", bug, count[build, bug]
			print ""
		}
		printf "all builds %d groups\n", total
		for (bug in names) if (bug_ids[bug] > 1) { printf "split: %s has %d IDs\n", bug, bug_ids[bug]; splits++ }
		for (id in id_count) if (id_count[id] > 1) { printf "merged: %s are%s\n", id, id_bugs[id]; merges++ }
		printf "%d bugs are split, %d groups have more than one bug\n", splits, merges
		n = split(compilers, compiler, " "); m = split(levels, level, " ")
		for (c = 1; c <= n; c++) for (i = 1; i <= m; i++) for (k = i + 1; k <= m; k++) {
			one = compiler[c] "-" level[i]; other = compiler[c] "-" level[k]; same = 0; who = ""
			for (bug in names)
				if (ids[one, bug] == ids[other, bug] && count[one, bug] == 1) same++
				else who = who " " bug
			printf "%s and %s: one ID in %d%s%s\n", one, other, same, who == "" ? "" : ", not in", who
		}
	}' "$folder/ids" | sort >"$folder/report"
	cat "$folder/report"
	! grep -q 'bugs are split' "$folder/report" && failed=2
	awk '$3 == "groups" && $2 + 0 > 20 { bad = 1 } /^all builds/ && $3 > 24 { bad = 1 }
		/: one ID in/ && !/-Os/ { sub(/.*one ID in /, ""); if ($0 + 0 < 18) bad = 1 } END { exit bad }' "$folder/report" || failed=1
}

# one COMPILER LEVEL SOURCE, of the programs that are built two at a time
[ $step != one ] || {
	build_bug "$4" "$5" "$6"
	exit 0
}
case $step in
all | build)
	for level in $levels; do
		for compiler in $compilers; do
			for source in "$bugs"/*.c "$bugs"/*.cpp; do
				echo "$compiler $level $source"
			done
		done
	done | xargs -P 2 -L 1 sh "$0" "$cairn" "$folder" one || exit 2
	;;
esac
case $step in
all | crash)
	case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
	'' | *'|'* | */* | *%*)
		echo 'skipped: core_pattern is not the plain name of a file here'
		exit 77
		;;
	esac
	for build in "$folder"/gcc-* "$folder"/clang-*; do
		[ -d "$build" ] || continue
		for program in "$build"/*; do
			[ "${program%.whole}" = "$program" ] || continue
			crash_bug "$(basename "$build")" "$(basename "$program")"
		done
	done
	;;
esac
case $step in
all | count) count_groups ;;
esac
exit $failed
