#!/bin/sh
# SPDX-License-Identifier: MIT
# The most processor time that each verb took for a file of scripts/attack.sh: scripts/worst_times.sh BUILD SEED SECONDS [--accept]
#
# BUILD is an ordinary build. Its verbs read damaged files and files of shapes that work multiplies in, and a row is printed for
# each verb: the runs, the worst of them in seconds of processor time, its input, and how much of what docs/SECURITY.md
# allows that is. With --accept the table there gets the rows of at least 1 %. Exit status 1: a run took more than is allowed.
set -eu
LC_ALL=C
export LC_ALL
[ $# -ge 3 ] || {
	sed -n '3s/^# //p' "$0"
	exit 2
}
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
command -v time >/dev/null || {
	echo 'skipped: no program time (package time)'
	exit 77
}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/worst.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
ninja -C "$build" core/cli/cairn tests/tools/mutate tests/shapes/make_shape tests/tools/shared_gsym tests/tools/shared_symbfile \
	>"$tmp/built"
: >"$tmp/times"
(
	cd "$tmp"
	ATTACK_BUILT=1 ATTACK_BUILD=$build ATTACK_SAN=$build ATTACK_TIMES=$tmp/times \
		"$top/scripts/attack.sh" --part 'verbs shapes' "$2" "$3" >"$tmp/said"
) || { cat "$tmp/said" && exit 1; }

# Lines "USER SYSTEM BYTES BASE SOURCE ROUND cairn VERB ...", where SOURCE may have blanks; and lines about statuses.
awk '
	/^[0-9]/ {
		for (at = 5; at < NF && $at != "cairn"; at++) ;
		verb = "cairn " $(at + 1)
		if ($(at + 2) ~ /^[a-z]+$/) verb = verb " " $(at + 2)
		seconds = $1 + $2
		allowed = $4 - ($4 == 3) + $3 / 1048576
		runs[verb]++
		if (!(verb in share) || seconds / allowed >= share[verb]) {
			share[verb] = seconds / allowed
			worst[verb] = seconds
			size[verb] = $3
			input[verb] = $5
			for (i = 6; i < at - 1; i++) input[verb] = input[verb] " " $i
		}
	}
	END {
		for (verb in runs)
			printf "| `%s` | %d | %.2f | %.2f | %.2f | %d %% | %s |\n", verb, runs[verb], worst[verb],
				size[verb] / 1048576, worst[verb] / (size[verb] > 1048576 ? size[verb] / 1048576 : 1),
				100 * share[verb], input[verb] | "sort"
	}' "$tmp/times" >"$tmp/rows"
{
	echo '| verb | runs | worst, s | input, MB | s per MB | used of the bound | input |'
	echo '|---|--:|--:|--:|--:|--:|---|'
	cat "$tmp/rows"
} >"$tmp/table"
cat "$tmp/table"
if [ "${4:-}" = --accept ]; then
	awk -F'|' 'NR < 3 || $7 + 0 >= 1' "$tmp/table" >"$tmp/accepted"
	awk -v table="$tmp/accepted" '
		/^<!-- end of the worst times -->$/ { inside = 0 }
		!inside
		/^<!-- the worst times, by scripts\/worst_times.sh -->$/ {
			inside = 1
			while ((getline line <table) > 0) print line
		}' "$top/docs/SECURITY.md" >"$tmp/page"
	cat "$tmp/page" >"$top/docs/SECURITY.md"
fi
! awk -F'|' '$7 + 0 > 100 { found = 1 } END { exit !found }' "$tmp/rows"
