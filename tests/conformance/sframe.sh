#!/bin/sh
# SPDX-License-Identifier: MIT
# SFrame, against a directory of files with what they must give (see its README.md).
#
# What counts as one case:
#	one X.dump for X and for each file derived from X (X.noeh, X.noeh.stripped, X.nosec)
#	one address looked up: for each line of X.map its two ends and one byte outside each
#	one line of hostile.tsv: outcome, offset, rule, and exit status
#	one section of vectors/*.txt
#	one x86-64 program, compared with its .eh_frame: the ranges of known-wrong.tsv and no other
# and what the program for snapshots.txt and the script for backtraces.tsv count.
#
# Checks write to one pipe: lines "PASS n", and one line beginning with "sframe: " per failure.
set -u
folder=$1
awk_lib=$TESTS/conformance/sframe.awk

# The file $1 or, unpacked, $1.xz; false when there is neither.
provide() {
	if [ -f "$1" ]; then
		file=$1
	elif [ -f "$1.xz" ]; then
		file=$WORK/$(basename "$1").$2
		xz -dc "$1.xz" >"$file"
	else
		return 1
	fi
}

# All files that end in $1 or $1.xz, without that ending.
each() {
	find "$folder" -type f \( -name "*$1" -o -name "*$1.xz" \) | sed "s/\.xz\$//; s/\\$1\$//" |
		sort -u
}

# Run awk on one of the programs of sframe.awk: compare KIND NAME FILE...
compare() {
	kind=$1
	name=$2
	shift 2
	awk -v kind="$kind" -v name="$name" -f "$awk_lib" "$@"
}

# A short name for messages.
short() {
	echo "${1#"$folder"/}"
}

check_dumps() {
	each .dump | while read -r x; do
		provide "$x.dump" dump || continue
		expected=$file
		for variant in "$x" "$x.noeh" "$x.noeh.stripped" "$x.nosec"; do
			provide "$variant" program || continue
			"$CAIRN" sframe dump --lines "$file" >"$WORK/got" 2>"$WORK/errors"
			if cmp -s "$expected" "$WORK/got"; then
				echo "PASS 1"
			else
				compare dump "$(short "$variant")" "$expected" "$WORK/got"
			fi
		done
		rm -f "$WORK"/*
	done
}

check_maps() {
	each .map | while read -r x; do
		provide "$x.map" map || continue
		map=$file
		if ! provide "$x" program; then
			echo "sframe: $(short "$x"): the file of this map is missing"
			continue
		fi
		awk '{ print $1; print $2 "-1"; print $1 "-1"; print $2 }' "$map" |
			"$CAIRN" sframe lookup --lines "$file" >"$WORK/got" 2>"$WORK/errors"
		compare map "$(short "$x").map" "$map" "$WORK/got"
		check_against_eh_frame "$x" "$file" "$map"
		rm -f "$WORK"/*
	done
}

# The differences of program $2, named $1, whose map is $3.
check_against_eh_frame() {
	"$CAIRN" sframe dump --lines "$2" 2>/dev/null | grep -q '^T [^ ]* [^ ]* amd64 ' || return
	"$CAIRN" sframe verify --lines "$2" >"$WORK/got" 2>"$WORK/errors"
	grep -q '^S	not-compared	' "$WORK/got" && return
	known=$folder/known-wrong.tsv
	[ -f "$known" ] || return
	compare known "$(short "$1")" "$3" "$known" "$WORK/got"
}

check_hostile() {
	[ -f "$folder/hostile.tsv" ] || return
	grep -v '^#' "$folder/hostile.tsv" >"$WORK/hostile"
	tab=$(printf '\t')
	while IFS=$tab read -r _ address pc _ _ _ hex; do
		[ "$hex" = - ] && hex=
		got=$(echo "$hex" | "$CAIRN" sframe lookup --lines --raw --hex --address "$address" - \
			"$pc" 2>"$WORK/errors")
		echo "$got $?"
	done <"$WORK/hostile" >"$WORK/got"
	compare hostile hostile.tsv "$WORK/hostile" "$WORK/got"
}

check_vectors() {
	for vectors in "$folder"/vectors/*.txt; do
		[ -f "$vectors" ] || continue
		grep '^V ' "$vectors" | while read -r _ name address hex; do
			echo "V $name"
			echo "$hex" | "$CAIRN" sframe dump --lines --raw --hex --address "$address" - 2>&1
		done >"$WORK/got"
		compare vectors "$(short "$vectors")" "$vectors" "$WORK/got"
	done
}

# Other programs report in the same way, and are called when they exist.
check_snapshots() {
	snapshots=${SNAPSHOTS:-$CAIRN_BUILD/tests/conformance/snapshots}
	[ -f "$folder/snapshots.txt" ] || return
	if [ -x "$snapshots" ]; then
		"$snapshots" "$folder" || echo "sframe: snapshots.txt: $snapshots exits with $?"
	fi
}

check_backtraces() {
	[ -f "$folder/backtraces.tsv" ] || return
	if [ -f "$TESTS/conformance/backtraces.sh" ]; then
		sh "$TESTS/conformance/backtraces.sh" "$folder" ||
			echo "sframe: backtraces.tsv: backtraces.sh exits with $?"
	fi
}

{
	check_dumps
	check_maps
	check_hostile
	check_vectors
	check_snapshots
	check_backtraces
} | awk '
	$1 == "PASS" { passed += $2; next }
	{ print }
	/^sframe: / { failed++ }
	END {
		printf "sframe: %d passed, %d failed\n", passed, failed
		exit failed > 0
	}'
