#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The instructions of the hot paths beside those that are written down: more than 3 % more is a failure, and
# 3 % less too, so that what is written down stays true.
#
#	path_counts.sh PATHS COUNTS BUILD COLUMN [--accept] [PATH...]
#
# PATHS is the program (paths.c), COUNTS the file, BUILD what it was built by, COLUMN the column of the file (2:
# ordinary builds, 3: with invariants).  --accept writes the column anew.  SLOWER names a path that does a tenth more.
# What is written down holds for the compiler and the C library of Debian 12: others make other instructions.
set -u
LC_ALL=C
export LC_ALL
paths=$1
counts=$2
build=$3
column=$4
shift 4
accept=
[ "${1:-}" != --accept ] || { accept=yes; shift; }
skip() {
	echo "skipped: $1"
	exit 77
}
wanted=$(sed -n 's/^# for //p' "$counts")
[ "$build, $(getconf GNU_LIBC_VERSION 2>/dev/null)" = "$wanted" ] ||
	skip "the counts are for $wanted, and this is $build, $(getconf GNU_LIBC_VERSION 2>/dev/null)"
command -v valgrind >/dev/null || skip 'no valgrind'
work=$(mktemp -d "${TMPDIR:-/tmp}/counts.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# The C library has a form of each function for each processor; these are not to be taken.
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX_Fast_Unaligned_Load,-ERMS,-SSSE3,-SSE4_1,-SSE4_2
export GLIBC_TUNABLES
unset MALLOC_PERTURB_ # with which each block is filled
[ $# -gt 0 ] || set -- $("$paths" --list)
for name in "$@"; do
	valgrind --tool=callgrind --toggle-collect="counted_$name" --callgrind-out-file=/dev/null \
		"$paths" ${SLOWER:+"$SLOWER"} >"$work/out" 2>&1
	awk -v name="$name" '/Collected :/ { print name, $4; found = 1 } END { exit !found }' "$work/out" ||
		skip "valgrind does not run it: $(tail -1 "$work/out")"
done >"$work/now"

if [ "$accept" ]; then
	awk -v column="$column" 'NR == FNR { now[$1] = $2; order[++n] = $1; next }
		/^#/ { print; next }
		{ old2[$1] = $2; old3[$1] = $3 }
		END { for (i = 1; i <= n; i++) { name = order[i]
			print name, column == 2 ? now[name] : old2[name] + 0, column == 3 ? now[name] : old3[name] + 0 } }' \
		"$work/now" "$counts" >"$work/new" && cp "$work/new" "$counts"
	exit
fi
awk -v column="$column" 'NR == FNR { if (!/^#/) was[$1] = $column; next }
	!($1 in was) || !was[$1] { print $1 ": is not written down"; bad = 1; next }
	{ ratio = $2 / was[$1]; printf "%-16s %10d instructions, %10d written down, %.3f\n", $1, $2, was[$1], ratio }
	ratio > 1.03 { print $1 ": is slower"; bad = 1 }
	ratio < 0.97 { print $1 ": is faster, write that down (--accept)"; bad = 1 }
	END { exit bad }' "$counts" "$work/now"
