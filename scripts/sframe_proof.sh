#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves SFrame tables on programs and libraries: sframe_proof.sh CAIRN OBJDUMP DIR...
#
# For each ELF file below the directories that has call frame information: a table of version 3 is made, compared byte by byte with
# the file, and its rows with those that OBJDUMP prints (binutils 2.46 or newer; a name for all machines, in which MACHINE
# becomes x86_64, aarch64 or s390x; - leaves that out). Prints a table by machine: files, bytes, what has a row, and each
# loss by its reason; files that libdw cannot be asked about are named, and count as not_compared alone. The status is 1 if any byte
# differs, a row is seen otherwise, or a file that has such information gets no table. SFRAME_PROOF_OPTIONS are more options of `sframe create`,
# such as --join-functions. SFRAME_PROOF_LIST names a file that gets a line for each file: its name, machine, and the bytes of its code,
# its call frame information and its table.
set -u
LC_ALL=C
export LC_ALL
[ $# -ge 3 ] || {
	echo 'usage: sframe_proof.sh CAIRN OBJDUMP DIR...' >&2
	exit 2
}
cairn=$1 objdump=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
list=${SFRAME_PROOF_LIST:-$work/list}
: >"$work/sums"
: >"$list"

# rows_of_cairn MACHINE TABLE: one row in a line, in objdump's words
rows_of_cairn() {
	"$cairn" sframe dump "$2" | awk -v machine="$1" '
	/^    \+?0x/ {
		sub(/^    \+?0x0*/, "")
		address = $1 == "" ? "0" : $1
		if ($0 ~ /^ /) { address = "0"; $0 = "0 " $0 }
		if ($4 == "undef") { print address, "RA undefined"; next }
		for (i = 2; i <= 4; i++) {
			if ($i ~ /^\[cfa/) { sub(/^\[cfa/, "c", $i); sub(/]$/, "", $i) }
			sub(/^\[/, "(", $i); sub(/]$/, ")", $i)
		}
		if (machine == "x86_64" && $4 == "c-8") $4 = "f"
		print address, $2, $3, $4 ($0 ~ / mangled/ ? "[s]" : "")
	}'
}

# rows_of_objdump MACHINE TABLE
rows_of_objdump() {
	$(printf '%s\n' "$objdump" | sed "s/MACHINE/$1/") --sframe=.sframe "$2" 2>&1 | awk -v machine="$1" '
	/^    [0-9a-f]* *RA undefined/ { sub(/^0*/, "", $1); print ($1 == "" ? "0" : $1), "RA undefined"; next }
	/^    [0-9a-f]+ / && length($1) == 16 {
		sub(/^0*/, "", $1)
		gsub(/\+-/, "-")
		if ($3 == "U") $3 = "u" # flexible rows
		if ($4 == "U") $4 = "u"
		if (machine == "x86_64" && $4 == "u") $4 = "f"
		print ($1 == "" ? "0" : $1), $2, $3, $4
	}
	/[Ee]rror|[Ww]arning|[Cc]orrupt/ { print }'
}

# prove FILE
prove() {
	# shellcheck disable=SC2086 # words
	made=$("$cairn" sframe create --json ${SFRAME_PROOF_OPTIONS:-} "$1" -o "$work/table" 2>"$work/message")
	status=$?
	case $(head -c 20 "$1" | od -An -tx1 | tr -d ' \n' | cut -c 37-40) in
	3e00) machine=x86_64 ;;
	b700) machine=aarch64 ;;
	0016) machine=s390x ;;
	*) return ;;
	esac
	if [ $status -ne 0 ]; then
		# a file without any information, or that is damaged, is none of these
		grep -q 'no .eh_frame and no .debug_frame\|not a program, a library' "$work/message" && return
		echo "$1: $(cat "$work/message")" >&2
		echo "failed $machine 1" >>"$work/sums"
		return
	fi
	"$cairn" sframe verify --lines "$work/table" --against "$1" >"$work/found" || {
		# libdw runs all of an entry for each of its rows: entries with thousands of them take too much work
		why=$(sed -n 's/^S\tnot-compared\t//p' "$work/found")
		if [ -n "$why" ]; then
			echo "$1: not compared: $why" >&2
			echo "not_compared $machine 1" >>"$work/sums"
			return
		fi
		echo "$1: $(grep -m 1 '^[DE]' "$work/found")" >&2
		echo "failed $machine 1" >>"$work/sums"
	}
	if [ "$objdump" != - ]; then
		rows_of_cairn $machine "$work/table" >"$work/ours"
		rows_of_objdump $machine "$work/table" >"$work/theirs"
		cmp -s "$work/ours" "$work/theirs" || {
			echo "$1: other rows: $(diff "$work/ours" "$work/theirs" | sed -n 2,3p | tr '\n' ' ')" >&2
			echo "failed $machine 1" >>"$work/sums"
		}
		echo "compared_rows $machine $(wc -l <"$work/theirs")" >>"$work/sums"
	fi
	{
		echo "files $machine 1"
		printf '%s\n' "$made" | tr ',{}' '\n\n\n' | sed -n "s/^\"\([a-z_]*\)\":\([0-9][0-9]*\)\$/\1 $machine \2/p"
		awk -F '\t' -v machine=$machine '$1 == "S" && $2 ~ /^(rule|outermost|signal|only-in-sframe)$/ { print "differ:" $2, machine, $3 }' \
			"$work/found"
	} >>"$work/sums"
	printf '%s\n' "$made" | sed "s|.*\"bytes\":\([0-9]*\),\"cfi_bytes\":\([0-9]*\),\"code\":\([0-9]*\).*|$machine \3 \2 \1 $1|" >>"$list"
}

find "$@" -type f | sort >"$work/files"
while IFS= read -r file; do
	[ "$(head -c 4 "$file" 2>/dev/null | tail -c 3)" = ELF ] && prove "$file"
done <"$work/files"
awk '{
	sum[$2, $1] += $3
	machine[$2] = 1
	if (!($1 in seen)) { seen[$1] = 1; names[n++] = $1 }
}
END {
	printf "%-16s", ""
	for (m in machine) printf " %14s", m
	print ""
	for (i = 0; i < n; i++) {
		if (names[i] == "version") continue
		printf "%-16s", names[i]
		for (m in machine) printf " %14.0f", sum[m, names[i]]
		print ""
	}
	printf "%-16s", "written %"
	for (m in machine) printf " %14.4f", 100 * sum[m, "written"] / sum[m, "described"]
	print ""
}' "$work/sums"
! grep -q '^failed\|^differ:[a-z-]* [a-z0-9_]* [1-9]' "$work/sums"
