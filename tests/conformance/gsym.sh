#!/bin/sh
# SPDX-License-Identifier: MIT
# GSYM, against a directory of files with what they must give (see its README.md).
#
# What counts as one case:
#	one row of lookup/*.tsv, all its addresses asked, for each file that the row belongs to:
#	  those of MANIFEST.tsv, hand/X.gsym of hand.X.tsv, seg/X.gsym of seg.X.tsv, and the files of
#	  embed/ by the table in README.md
#	one file asked in the same way of llvm-gsymutil 19, when it is there and does not fail itself
#	one line of bad/EXPECTED.tsv: the lookup; and again: the check of the whole file
#	one file of dump/; one of raw/; one sound file that is checked
#	one row of frames/*.tsv for each file of bin/ that it belongs to, converted; one row of
#	  breakpad/*.tsv; the head of such a table
#	one file that is read and written again: it answers the same, and is not larger
#	two conversions of a file: the same bytes, in another directory and with other threads
#
# Checks write to one pipe: lines "PASS n", and one line beginning with "gsym: " per failure.
set -u
folder=$1
awk_lib=$TESTS/conformance/gsym.awk
tab=$(printf '\t')

run_awk() {
	kind=$1
	name=$2
	shift 2
	awk -v kind="$kind" -v name="$name" -f "$awk_lib" "$@"
}

# The answers of file $1 to the table $2.
check_table() {
	run_awk questions "" "$2" >"$WORK/questions"
	"$CAIRN" gsym lookup --lines "$1" <"$WORK/questions" >"$WORK/got" 2>"$WORK/errors"
	run_awk table "${1#"$folder"/} of ${2#"$folder"/}" "$2" "$WORK/got"
	check_llvm "$1" "$2"
}

# The same addresses asked of LLVM's own reader, for version 1.
check_llvm() {
	case $1 in
	*/v1/*.gsym | */hand/*.gsym) ;;
	*) return ;;
	esac
	command -v "$llvm" >/dev/null 2>&1 || return
	ln -sf "$1" "$WORK/a.gsym"
	sed 's/$/ a.gsym/' "$WORK/questions" >"$WORK/asked"
	(cd "$WORK" && "$llvm" --addresses-from-stdin <asked >theirs || exit 1) 2>/dev/null || return
	(cd "$WORK" && "$CAIRN" gsym lookup --gsymutil <asked >ours 2>/dev/null)
	if cmp -s "$WORK/theirs" "$WORK/ours"; then
		echo "PASS 1"
	else
		run_awk differ "${1#"$folder"/}: --gsymutil" "$WORK/theirs" "$WORK/ours"
	fi
}

check_manifest() {
	[ -f "$folder/MANIFEST.tsv" ] || return
	while IFS=$tab read -r kind _ file made_by table; do
		if [ "$kind" != gsym ] || [ -z "$table" ]; then
			continue
		fi
		if [ -f "$folder/$file" ]; then
			check_table "$folder/$file" "$folder/$table"
		else
			echo "gsym: $file: missing (made by $made_by)"
		fi
	done <"$folder/MANIFEST.tsv"
}

check_named() {
	for table in "$folder"/lookup/"$1".*.tsv; do
		[ -f "$table" ] || continue
		x=$(basename "$table" .tsv)
		check_table "$folder/$1/${x#"$1".}.gsym" "$table"
	done
}

# The table that answers for a file of v1, v2, hand or seg.
table_of() {
	case $1 in
	hand/* | seg/*)
		x=$(basename "$1" .gsym)
		echo "lookup/${1%%/*}.$x.tsv"
		;;
	*)
		awk -F '\t' -v file="$1" '$1 == "gsym" && $3 == file { print $5 }' \
			"$folder/MANIFEST.tsv"
		;;
	esac
}

check_embed() {
	[ -f "$folder/README.md" ] || return
	run_awk embed "" "$folder/README.md" | while read -r file like; do
		table=$(table_of "$like")
		if [ -f "$folder/embed/$file" ] && [ -f "$folder/$table" ]; then
			check_table "$folder/embed/$file" "$folder/$table"
		else
			echo "gsym: embed/$file: the file or its table is missing"
		fi
	done
}

check_bad() {
	[ -f "$folder/bad/EXPECTED.tsv" ] || return
	tail -n +2 "$folder/bad/EXPECTED.tsv" | while IFS=$tab read -r file probe rest; do
		size=$(wc -c <"$folder/bad/$file")
		$limit "$CAIRN" gsym lookup --lines "$folder/bad/$file" "$probe" \
			>"$WORK/got" 2>"$WORK/errors"
		echo "L $file $((size)) $?"
		cat "$WORK/got"
		$limit "$CAIRN" gsym verify --lines "$folder/bad/$file" >"$WORK/got" 2>&1
		echo "V $?"
		cat "$WORK/got"
		for form in --json --lines; do
			$limit "$CAIRN" gsym lookup $form "$folder/bad/$file" "$probe" 0 \
				>/dev/null 2>&1
			echo "C $?"
		done
		for form in dump stats "find --contains"; do
			# shellcheck disable=SC2086
			$limit "$CAIRN" gsym $form "$folder/bad/$file" x >/dev/null 2>&1
			echo "C $?"
		done
	done >"$WORK/answers"
	run_awk bad bad/EXPECTED.tsv "$folder/bad/EXPECTED.tsv" "$WORK/answers"
}

check_dumps() {
	for expected in "$folder"/dump/*.txt; do
		[ -f "$expected" ] || continue
		x=$(basename "$expected" .txt)
		"$CAIRN" gsym dump "$folder/${x##*.}/${x%.*}.gsym" >"$WORK/got" 2>"$WORK/errors"
		if cmp -s "$expected" "$WORK/got"; then
			echo "PASS 1"
		else
			run_awk differ "dump/$x.txt" "$expected" "$WORK/got"
		fi
	done
}

check_raw() {
	for questions in "$folder"/raw/*.stdin; do
		[ -f "$questions" ] || continue
		x=$(basename "$questions" .stdin)
		file=$folder/v1/$x.gsym
		[ -f "$file" ] || file=$folder/hand/$x.gsym
		merged=
		case $x in
		fold*) merged=--merged-functions ;;
		esac
		ln -sf "$file" "$WORK/a.gsym"
		# shellcheck disable=SC2086
		(cd "$WORK" && "$CAIRN" gsym lookup --gsymutil $merged) <"$questions" \
			>"$WORK/got" 2>"$WORK/errors"
		if cmp -s "$folder/raw/$x.stdout" "$WORK/got"; then
			echo "PASS 1"
		else
			run_awk differ "raw/$x.stdout" "$folder/raw/$x.stdout" "$WORK/got"
		fi
	done
}

check_sound() {
	for file in "$folder"/v1/*.gsym "$folder"/v2/*.gsym "$folder"/seg/*.gsym \
		"$folder"/hand/*.gsym; do
		[ -f "$file" ] || continue
		if "$CAIRN" gsym verify "$file" >"$WORK/got" 2>&1; then
			echo "PASS 1"
		else
			echo "gsym: ${file#"$folder"/}: expected sound, got $(head -1 "$WORK/got")"
		fi
	done
}

# Answers of a file that was made, $1, to the table $2, for the input $3; kind $4 of table.
check_made() {
	run_awk questions "" "$2" >"$WORK/questions"
	"$CAIRN" gsym lookup --lines "$1" <"$WORK/questions" >"$WORK/got" 2>"$WORK/errors"
	run_awk "$4" "$3" "$2" "$WORK/got"
	check_sound_for_llvm "$1" "$3"
}

# LLVM reads what was made without an error.
check_sound_for_llvm() {
	command -v "$llvm" >/dev/null 2>&1 || return
	if "$llvm" --verify "$1" >"$WORK/theirs" 2>"$WORK/errors" && [ ! -s "$WORK/errors" ] &&
		! grep -q "^error" "$WORK/theirs"; then
		echo "PASS 1"
	elif ! grep -q "unsupported GSYM version" "$WORK/errors"; then
		echo "gsym: $2: $llvm says $(head -1 "$WORK/errors")"
	fi
}

# Converts $1, in its directory, as $2 is named, to $WORK/made.gsym; false, and a failure, if not.
convert() {
	rm -f "$WORK/made.gsym"
	if (cd "$(dirname "$1")" && "$CAIRN" gsym create --quiet -j 1 "$(basename "$1")" \
		-o "$WORK/made.gsym") >"$WORK/errors" 2>&1 && [ ! -s "$WORK/errors" ]; then
		return 0
	fi
	echo "gsym: $2: not converted without a word: $(head -1 "$WORK/errors")"
	return 1
}

# The same bytes from another directory with other threads, and with the default's.
check_again() {
	(cd / && "$CAIRN" gsym create --quiet -j 5 "$1" -o "$WORK/again.gsym") \
		>"$WORK/errors" 2>&1
	if cmp -s "$WORK/made.gsym" "$WORK/again.gsym"; then
		echo "PASS 1"
	else
		echo "gsym: $2: five threads in another folder make another file"
	fi
}

check_frames() {
	[ -f "$folder/MANIFEST.tsv" ] || return
	while IFS=$tab read -r kind name file _ table; do
		[ "$kind" = frames ] || continue
		input=$folder/$file
		if [ ! -f "$input" ] && [ -f "$input.xz" ]; then
			input=$WORK/$name
			xz -dc "$folder/$file.xz" >"$input"
		fi
		convert "$input" "$file" || continue
		check_made "$WORK/made.gsym" "$folder/$table" "$file" frames
		# split DWARF whose directory is "." is found from its own directory alone
		case $name in
		*.split.*) ;;
		*) check_again "$input" "$file" ;;
		esac
	done <"$folder/MANIFEST.tsv"
}

# What the head of a table says: UUID, number of functions, lines that are wrong.
check_head() {
	(cd "$folder/breakpad" && "$CAIRN" gsym create -v "$(basename "$1")" \
		-o "$WORK/made.gsym") >"$WORK/got" 2>&1
	bad=$(sed -n 's/.*: line \([0-9]*\): .*/\1 &/p' "$WORK/got" |
		sed '/unknown keyword/d; s/ .*//' | tr '\n' ' ')
	unknown=$(sed -n 's/.*: line \([0-9]*\): unknown keyword/\1/p' "$WORK/got" | tr '\n' ' ')
	uuid=$("$CAIRN" gsym dump --json "$WORK/made.gsym" | head -1 |
		sed -n 's/.*"build_id":"\([0-9a-f]*\)".*/\1/p')
	functions=$(sed -n 's/.*, \([0-9]*\) functions.*/\1/p' "$WORK/got")
	printf '# uuid %s\n# functions %s\n# malformed lines %s\n# unknown records %s\n' \
		"${uuid:--}" "$functions" "${bad:--}" "${unknown:--}" |
		sed 's/ $//' >"$WORK/head"
	grep '^#' "$2" >"$WORK/expected"
	if cmp -s "$WORK/head" "$WORK/expected"; then
		echo "PASS 1"
	else
		run_awk differ "${2#"$folder"/}" "$WORK/expected" "$WORK/head"
	fi
}

check_breakpad() {
	for input in "$folder"/breakpad/*.sym; do
		[ -f "$input" ] || continue
		table=${input%.sym}.tsv
		convert "$input" "${input#"$folder"/}" || continue
		check_made "$WORK/made.gsym" "$table" "${input#"$folder"/}" table
		check_again "$input" "${input#"$folder"/}"
		check_head "$input" "$table"
	done
}

# All functions of file $1, and what starts and ends in them, as addresses to ask.
ask_around() {
	"$CAIRN" gsym dump "$1" 2>/dev/null | grep -oE '0x[0-9a-f]{16}' | sort -u | head -20000
}

# Read and written again, as version $2.
check_copy() {
	name=${1#"$folder"/}
	if ! "$CAIRN" gsym create --quiet --merged-functions --call-sites --format="$2" "$1" \
		-o "$WORK/copy.gsym" >"$WORK/errors" 2>&1; then
		echo "gsym: $name: not written again: $(head -1 "$WORK/errors")"
		return
	fi
	"$CAIRN" gsym lookup --lines "$1" <"$WORK/asked" >"$WORK/theirs" 2>/dev/null
	"$CAIRN" gsym lookup --lines "$WORK/copy.gsym" <"$WORK/asked" >"$WORK/got" 2>/dev/null
	if ! cmp -s "$WORK/theirs" "$WORK/got"; then
		run_awk differ "$name again" "$WORK/theirs" "$WORK/got"
	elif ! "$CAIRN" gsym verify "$WORK/copy.gsym" >"$WORK/errors" 2>&1; then
		echo "gsym: $name: written again: $(head -1 "$WORK/errors")"
	else
		echo "PASS 1"
	fi
}

check_copies() {
	for file in "$folder"/v1/*.gsym "$folder"/v2/*.gsym "$folder"/seg/*.gsym \
		"$folder"/hand/*.gsym; do
		# a file without functions is not written
		case $file in
		*/no-functions.*) continue ;;
		esac
		[ -f "$file" ] || continue
		ask_around "$file" >"$WORK/asked"
		old=$(dd if="$file" bs=1 skip=4 count=2 2>/dev/null | tr -d '\000' | od -An -tu1)
		check_copy "$file" $((3 - old))
		check_copy "$file" $((old))
		# where records are not in order, there is no padding between the tables
		if [ "$(wc -c <"$WORK/copy.gsym")" -le "$(wc -c <"$file")" ]; then
			echo "PASS 1"
		elif [ "${file##*/}" != out-of-order.gsym ]; then
			echo "gsym: ${file#"$folder"/}: larger when it is written again"
		fi
	done
}

llvm="llvm-gsymutil-19"
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout 10"

{
	check_manifest
	check_named hand
	check_named seg
	check_embed
	check_bad
	check_dumps
	check_raw
	check_sound
	check_frames
	check_breakpad
	check_copies
} | awk '
	$1 == "PASS" { passed += $2; next }
	{ print }
	/^gsym: / { failed++ }
	END {
		printf "gsym: %d passed, %d failed\n", passed, failed
		exit failed > 0
	}'
