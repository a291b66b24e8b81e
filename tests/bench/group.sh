#!/bin/sh
# SPDX-License-Identifier: MIT
# What `cairn group` costs: group.sh CAIRN [COUNT...]
#
# For each COUNT (250,000, 500,000 and 1,000,000) of crashes of 4,000 bugs, 1.6 kB each, prints the processor time, the time of one crash and the most memory,
# and the same with --hashes. Exit status 1: a crash of the largest costs a third more than one of the smallest, or without --hashes
# more than 8 MB of memory.
set -eu
cairn=$1
shift
[ $# -gt 0 ] || set -- 250000 500000 1000000
[ -x /usr/bin/time ] || { echo 'skipped: no GNU time'; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-group.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
folder=$(dirname "$0")
failed=0
for option in '' --hashes; do
	least=
	for count in "$@"; do
		# shellcheck disable=SC2086 # one word or none
		groups=$(awk -v "count=$count" -v bugs=4000 -f "$folder/crashes.awk" | /usr/bin/time -o "$work/spent" -f '%U %S %M' "$cairn" group $option | wc -l)
		awk -v "count=$count" -v "groups=$groups" -v "option=$option" '{
			printf "%s\t%d crashes\t%d groups\t%.1f s\t%.1f us a crash\t%d kB\n", option == "" ? "group" : option, count, groups, $1 + $2, ($1 + $2) * 1e6 / count, $3
		}' "$work/spent"
		each=$(awk -v "count=$count" '{ printf "%d", ($1 + $2) * 1e9 / count }' "$work/spent")
		memory=$(cut -d ' ' -f 3 "$work/spent")
		[ -n "$least" ] || least=$each
		[ "$each" -le $((least * 4 / 3)) ] || { echo "not linear: $each ns a crash, and $least" && failed=1; }
		[ -n "$option" ] || [ "$memory" -le 8192 ] || { echo "memory grows: $memory kB" && failed=1; }
	done
done
exit $failed
