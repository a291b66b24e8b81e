#!/bin/sh
# SPDX-License-Identifier: MIT
# Compact Backtrace Format and image maps, against a directory of bytes with what they mean (see its
# README.md).
#
# What counts as one case:
#	one line of decode-*.tsv, of stream.tsv, and of encode-*.tsv in each of its two profiles
#	one line of cif-*.jsonl decoded; encoded in each profile where it says what must come out
#	one object of codable*.jsonl, its problems, and the images of each that has some
#	one backtrace, the byte stream and the list of images in the core dump
#	one frame in it whose function, offset and line are known
#
# Checks write to one pipe: lines "PASS n", and one line beginning with "cbf: " per failure.
set -u
folder=$1
awk_lib=$TESTS/conformance/cbf.awk
tab=$(printf '\t')

# Run awk on one of the programs of cbf.awk: compare KIND NAME EXPECTED GOT.
compare() {
	awk -v kind="$1" -v name="$2" -f "$awk_lib" \
		role=expected FS="$tab" "$3" role=got FS=' ' "$4" || echo "cbf: $2: not compared"
}

# The lines of $1 without comments.
content() {
	grep -v '^#' "$1"
}

# The string of key $1 in each line of JSON, which has no escapes.
strings() {
	sed "s/.*\"$1\": \"\([^\"]*\)\".*/\1/"
}

check_decode() {
	for file in "$folder"/decode-*.tsv "$folder"/stream.tsv; do
		[ -f "$file" ] || continue
		kind=decode
		option=
		case $file in
		*stream.tsv)
			kind=stream
			option=--stream
			;;
		esac
		content "$file" >"$WORK/expected"
		cut -f 1 "$WORK/expected" |
			"$CAIRN" cbf decode --lines --each --from hex $option - \
				>"$WORK/got" 2>"$WORK/errors"
		compare $kind "$(basename "$file")" "$WORK/expected" "$WORK/got"
	done
}

check_encode() {
	for file in "$folder"/encode-*.tsv; do
		[ -f "$file" ] || continue
		for bits in 16 32 64; do
			content "$file" | grep "^$bits$tab" >"$WORK/cases"
			cut -f 2 "$WORK/cases" >"$WORK/frames"
			for profile in swift specification; do
				option=
				column=4
				if [ $profile = swift ]; then
					option=--swift
					column=3
				fi
				cut -f $column "$WORK/cases" >"$WORK/expected"
				"$CAIRN" cbf encode --each --bits $bits $option "$WORK/frames" \
					>"$WORK/got" 2>"$WORK/errors"
				compare encode "$(basename "$file"), $bits bits, $profile" \
					"$WORK/expected" "$WORK/got"
			done
		done
	done
}

# The image maps in $WORK/maps, encoded: $1 in messages, $2 the profile's option.
encode_maps() {
	"$CAIRN" cbf decode --image-map --lines --each --from hex "$WORK/maps" 2>"$WORK/errors" |
		"$CAIRN" cbf encode --image-map $2 - >"$WORK/got" 2>>"$WORK/errors"
	compare encode "$1" "$WORK/expected" "$WORK/got"
}

check_maps() {
	for file in "$folder"/cif-*.jsonl; do
		[ -f "$file" ] || continue
		short=$(basename "$file")
		strings cif <"$file" >"$WORK/maps"
		"$CAIRN" cbf decode --image-map --json --each --from hex "$WORK/maps" \
			>"$WORK/got" 2>"$WORK/errors"
		compare maps "$short" "$file" "$WORK/got"
	done
	file=$folder/cif-golden.jsonl
	if [ -f "$file" ]; then
		strings cif <"$file" >"$WORK/maps"
		sed 's/.*"swift_encoder_writes": "\([^"]*\)".*/\1/; s/.*"cif": "\([^"]*\)".*/\1/' \
			"$file" >"$WORK/expected"
		encode_maps "cif-golden.jsonl, swift" --swift
		sed '/"minimal": "same"/s/.*"cif": "\([^"]*\)".*/\1/
			s/.*"minimal": "\([^"]*\)".*/\1/' "$file" >"$WORK/expected"
		encode_maps "cif-golden.jsonl, minimal" ""
	fi
	file=$folder/cif-edge.jsonl
	if [ -f "$file" ]; then
		grep '"swift_6_2_3": "same"' "$file" | grep '"swift_reencodes": "[0-9a-f]*"' \
			>"$WORK/same"
		strings cif <"$WORK/same" >"$WORK/maps"
		strings swift_reencodes <"$WORK/same" >"$WORK/expected"
		encode_maps "cif-edge.jsonl, swift" --swift
	fi
}

check_codable() {
	for file in "$folder"/codable*.jsonl; do
		[ -f "$file" ] || continue
		while IFS= read -r line; do
			printf '%s\n' "$line" >"$WORK/expected"
			awk -v kind=text -f "$awk_lib" "$WORK/expected" >"$WORK/object"
			"$CAIRN" cbf decode --lines --from json "$WORK/object" \
				>"$WORK/got" 2>"$WORK/errors"
			compare codable "$(basename "$file")" "$WORK/expected" "$WORK/got"
		done <"$file"
	done
}

# The images of all objects that have some are the same.
check_images() {
	[ -f "$folder/codable.jsonl" ] && [ -f "$folder/codable-images.json" ] || return
	while IFS= read -r line; do
		printf '%s\n' "$line" >"$WORK/line"
		awk -v kind=text -f "$awk_lib" "$WORK/line"
		echo
	done <"$folder/codable.jsonl" >"$WORK/objects"
	"$CAIRN" cbf decode --json --from json "$WORK/objects" >"$WORK/got" 2>"$WORK/errors"
	compare images codable-images.json "$folder/codable-images.json" "$WORK/got"
}

# The functions and lines of a core's frames, from its executable.
check_symbols() {
	if [ "${LIBDW:-yes}" = yes ]; then
		"$CAIRN" cbf find --lines --exe "${1%.expect.json}" "$2" >"$WORK/got" \
			2>"$WORK/errors"
		compare symbols "$(basename "$1")" "$1" "$WORK/got"
	fi
}

check_cores() {
	for expected in "$folder"/*.expect.json; do
		[ -f "$expected" ] || continue
		core=${expected%.expect.json}.core
		if [ -f "$core.xz" ]; then
			xz -dc "$core.xz" >"$WORK/core"
			core=$WORK/core
		fi
		"$CAIRN" cbf find --lines --arrays "$core" >"$WORK/got" 2>"$WORK/errors"
		compare find "$(basename "$expected")" "$expected" "$WORK/got"
		check_symbols "$expected" "$core"
	done
}

{
	check_decode
	check_encode
	check_maps
	check_codable
	check_images
	check_cores
} | awk '
	$1 == "PASS" { passed += $2; next }
	{ print }
	/^cbf: / { failed++ }
	END {
		printf "cbf: %d passed, %d failed\n", passed, failed
		exit failed > 0 || passed == 0
	}'
