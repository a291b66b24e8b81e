#!/bin/sh
# SPDX-License-Identifier: MIT
# Elastic symbfile, against a directory of files with what they must give (see its README.md).
#
# What counts as one case: a file of edge/ (its records and verdict), its look-ups, a file of
# symbfile/, of lookup/, a row of fileid/, names/ and insn/, a program of elf/.  The directories rest and download are those of the network:
# symbfile_network.sh, when it is there.
#
# Checks write to one pipe: lines "PASS n", and one line beginning with "symbfile: " per failure.
set -u
folder=$1
tab=$(printf '\t')

# The lines of a text that are neither comments nor empty.
meant() {
	grep -v -e '^#' -e '^$' "$@"
}

# compare NAME WANT GOT: one case.
compare() {
	if cmp -s "$2" "$3"; then
		echo "PASS 1"
	else
		echo "symbfile: $1: expected $(diff "$2" "$3" | grep '^<' | head -1 | cut -c1-200)," \
			"got $(diff "$2" "$3" | grep '^>' | head -1 | cut -c1-200)"
	fi
}

# unpack FILE: prints the name of FILE as it was before xz.
unpack() {
	case $1 in
	*.xz)
		xz -dc "$1" >"$WORK/$(basename "$1" .xz)"
		echo "$WORK/$(basename "$1" .xz)"
		;;
	*) echo "$1" ;;
	esac
}

# check_lookups NAME FILE EXPECTED: the Q lines of a text.
check_lookups() {
	grep '^Q' "$3" >"$WORK/want" || return
	cut -f2 "$WORK/want" >"$WORK/questions"
	"$CAIRN" symbfile lookup --lines --no-cache "$2" <"$WORK/questions" >"$WORK/got" 2>"$WORK/errors"
	compare "$1: look-ups" "$WORK/want" "$WORK/got"
}

check_edge() {
	[ -f "$folder/edge/EXPECT.txt" ] || return
	meant "$folder/edge/EXPECT.txt" | awk -F '\t' -v dir="$WORK" '
		$1 == "F" { file = dir "/" $2 ".expect"; print $2; printf "" >file; next }
		{ print >file }' | while read -r file; do
		grep -v '^Q' "$WORK/$file.expect" >"$WORK/want"
		"$CAIRN" symbfile dump --lines "$folder/edge/$file" >"$WORK/got" 2>"$WORK/errors"
		compare "edge/$file" "$WORK/want" "$WORK/got"
		check_lookups "edge/$file" "$folder/edge/$file" "$WORK/$file.expect"
	done
}

check_files() {
	for expected in "$folder"/"$1"/*.expect "$folder"/"$1"/*.expect.xz; do
		[ -f "$expected" ] || continue
		x=${expected##*/}
		x=${x%.xz}
		x=${x%.expect}
		want=$(unpack "$expected")
		file=
		for candidate in "$folder/$1/$x" "$folder/$1/$x.xz" "$folder/$1/$x.symbfile.xz" \
			"$folder/$1/$x.symbfile"; do
			if [ -f "$candidate" ]; then
				file=$(unpack "$candidate")
			fi
		done
		if [ -z "$file" ]; then
			echo "symbfile: $1/$x: the file is missing"
		elif grep -q '^Q' "$want"; then
			check_lookups "$1/$x" "$file" "$want"
		else
			meant "$want" >"$WORK/want"
			"$CAIRN" symbfile dump --lines "$file" >"$WORK/got" 2>"$WORK/errors"
			compare "$1/$x" "$WORK/want" "$WORK/got"
		fi
	done
}

# make_file INPUT: the bytes that a row of fileid/compute.tsv describes.
make_file() {
	printf '%b' "$(awk -v input="$1" 'BEGIN {
		kind = substr(input, 1, index(input, ":") - 1)
		rest = substr(input, index(input, ":") + 1)
		n = kind == "hex" ? length(rest) / 2 : rest + 0
		for (i = 0; i < n; i++) {
			byte = kind == "pattern" ? (i * 131 + 7) % 256 : 0
			if (kind == "hex")
				byte = 16 * digit(substr(rest, 2 * i + 1, 1)) + digit(substr(rest, 2 * i + 2, 1))
			printf "\\0%03o", byte
		}
	}
	function digit(c) { return index("0123456789abcdef", c) - 1 }')"
}

check_fileid() {
	[ -f "$folder/fileid/compute.tsv" ] || return
	meant "$folder/fileid/compute.tsv" | while IFS=$tab read -r input hex base64; do
		case $input in
		file:*) file=$folder/${input#file:} ;;
		*)
			file=$WORK/made
			make_file "$input" >"$file"
			;;
		esac
		[ -f "$file" ] || file=$(unpack "$file.xz")
		echo "$hex $base64" >"$WORK/want"
		"$CAIRN" symbfile id "$file" 2>&1 | cut -d' ' -f1,2 >"$WORK/got"
		compare "fileid/compute.tsv: $input" "$WORK/want" "$WORK/got"
	done
	meant "$folder/fileid/text.tsv" | while IFS=$tab read -r kind text first second; do
		case $kind in
		ok)
			echo "$first $second"
			"$CAIRN" symbfile id --parse -- "$text" 2>&1 | cut -d' ' -f1,2 >"$WORK/got"
			;;
		bad)
			echo 2
			"$CAIRN" symbfile id --parse -- "$text" >/dev/null 2>&1
			echo $? >"$WORK/got"
			;;
		kernel)
			echo "$first $second"
			{
				"$CAIRN" symbfile id --kernel "$text"
				"$CAIRN" symbfile id --kernel-debug "$text"
			} 2>&1 | cut -d' ' -f1 | paste -sd' ' >"$WORK/got"
			;;
		esac >"$WORK/want"
		compare "fileid/text.tsv: $kind '$text'" "$WORK/want" "$WORK/got"
	done
}

check_names() {
	[ -f "$folder/names/demangle.tsv" ] || return
	meant "$folder/names/demangle.tsv" >"$WORK/rows"
	cut -f1 "$WORK/rows" | "$CAIRN" symbfile name >"$WORK/got"
	paste "$WORK/rows" "$WORK/got" | awk -F '\t' '
		$2 == $3 { n++; next }
		{ printf "symbfile: names: %s: expected %s, got %s\n", $1, $2, $3 }
		END { print "PASS " n + 0 }'
}

check_insn() {
	for table in "$folder"/insn/*.tsv; do
		[ -f "$table" ] || continue
		meant "$table" | "$CAIRN_BUILD/tests/conformance/calls" "$(basename "$table" .tsv)"
	done
}

# check_elf PROGRAM EXPECTED [OPTION...]: what cairn makes of a program answers as it should.
check_elf() {
	program=$1
	expected=$2
	shift 2
	name=elf/$(basename "$program")
	if ! "$CAIRN" symbfile create --quiet -o "$WORK/made" "$@" "$program" 2>"$WORK/errors"; then
		echo "symbfile: $name: expected files, got $(head -1 "$WORK/errors")"
		return
	fi
	awk -v kind=questions -f "$awk_lib" "$expected" >"$WORK/questions"
	"$CAIRN" symbfile lookup --no-cache --lines "$WORK/made.ranges" \
		<"$WORK/questions" >"$WORK/answers" 2>/dev/null
	"$CAIRN" symbfile dump --lines "$WORK/made.returnpads" >"$WORK/pads"
	awk -v kind=answers -v name="$name" -f "$awk_lib" "$expected" "$WORK/answers" "$WORK/pads"
}

check_programs() {
	for expected in "$folder"/elf/*.expect; do
		[ -f "$expected" ] || continue
		program=${expected%.expect}
		check_elf "$program" "$expected"
		if [ -f "$program.stripped" ]; then
			check_elf "$program.stripped" "$expected" --debug "$program.debug"
		fi
	done
}

awk_lib=$TESTS/conformance/symbfile.awk
{
	check_edge
	check_files symbfile
	check_files lookup
	check_fileid
	check_names
	check_insn
	check_programs
	if [ -f "$TESTS/conformance/symbfile_network.sh" ]; then
		# shellcheck source=/dev/null
		. "$TESTS/conformance/symbfile_network.sh"
	fi
} | awk '
	$1 == "PASS" { passed += $2; next }
	{ print }
	/^symbfile: / { failed++ }
	END {
		printf "symbfile: %d passed, %d failed\n", passed, failed
		exit failed > 0
	}'
