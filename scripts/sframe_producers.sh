#!/bin/sh
# SPDX-License-Identifier: MIT
# What assemblers and linkers leave out of SFrame, or write wrongly: sframe_producers.sh CAIRN [NAME AS LD]...
#
# Each producer is a name, a command that assembles (`AS FILE -o OBJECT`, with the option that asks for SFrame) and one that links
# (`LD -shared OBJECT -o LIBRARY`). Small files of one directive each are assembled and linked, and the table is compared with
# the .eh_frame of the same library (cairn sframe verify). Prints the table of docs/formats/sframe.md.
#
# Without producers it takes the GNU as and ld of this machine and those of the suites in SUITES (Debian's trixie and sid, Ubuntu's
# questing and resolute), unpacked into FOLDER (/var/tmp/cairn-binutils) without being installed, and clang where CLANGS names some.
# SOURCES=FOLDER keeps the files.
set -u
LC_ALL=C
export LC_ALL
[ $# -ge 1 ] || {
	echo 'usage: sframe_producers.sh CAIRN [NAME AS LD]...' >&2
	exit 2
}
case $1 in
/*) cairn=$1 ;;
*) cairn=$PWD/$1 ;;
esac
shift
scripts=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
sources=${SOURCES:-$work}
mkdir -p "$sources"

if [ $# -eq 0 ]; then
	folder=${FOLDER:-/var/tmp/cairn-binutils}
	set -- here 'as --gsframe' ld
	for suite in ${SUITES:-trixie questing resolute sid}; do
		tools=$("$scripts/unpack_binutils.sh" "$suite" "$folder/$suite") || {
			echo "sframe_producers.sh: the binutils of $suite cannot be unpacked" >&2
			continue
		}
		set -- "$@" "$suite" "$tools/as --gsframe" "$tools/ld"
	done
	for clang in ${CLANGS:-}; do
		set -- "$@" "$clang" "$clang -c -Wa,--allow-experimental-sframe -Wa,--gsframe" 'ld'
	done
fi

# source NAME WORDS: the body of the one function, from standard input
number=10
source() {
	number=$((number + 1))
	{
		printf '\t.text\n\t.globl f\n\t.type f,@function\nf:\n\t.cfi_startproc\n'
		case $1 in first | restore) ;; *) printf '\tnop\n' ;; esac
		sed 's/^/\t/'
		printf '\t.cfi_endproc\n\t.size f,.-f\n'
	} >"$sources/$number-$1.s"
	echo "$2" >"$work/$number-$1.words"
}

source nested '`.cfi_remember_state` within another' <<'S'
.cfi_def_cfa_offset 16
nop
.cfi_remember_state
.cfi_def_cfa_offset 24
nop
.cfi_remember_state
.cfi_def_cfa_offset 32
nop
.cfi_restore_state
nop
.cfi_restore_state
nop
S
source first '`.cfi_remember_state` before the first row' <<'S'
.cfi_remember_state
.cfi_def_cfa_offset 16
nop
.cfi_restore_state
nop
S
source both '`.cfi_def_cfa_offset` and then `.cfi_def_cfa_register` at one address' <<'S'
.cfi_def_cfa_offset 16
.cfi_offset rbp, -16
nop
.cfi_def_cfa_offset 24
.cfi_def_cfa_register rbp
nop
S
source other '`.cfi_def_cfa` with another register than SP and FP' <<'S'
.cfi_def_cfa r10, 0
nop
.cfi_def_cfa rsp, 8
nop
S
source becomes '`.cfi_def_cfa_register` of another one later' <<'S'
.cfi_def_cfa_offset 16
nop
.cfi_def_cfa_register r10
nop
S
source expression '`.cfi_escape` with a sum for the CFA' <<'S'
.cfi_escape 0x0f, 0x02, 0x77, 0x10
nop
.cfi_def_cfa rsp, 8
nop
S
source deref '`.cfi_escape` with a CFA in memory' <<'S'
.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
nop
.cfi_def_cfa rsp, 8
nop
S
source ra_expression '`.cfi_escape` with an expression for RA, after a row that is flexible' <<'S'
.cfi_def_cfa r10, 0
nop
.cfi_escape 0x10, 0x10, 0x02, 0x77, 0x18
nop
.cfi_def_cfa rsp, 8
.cfi_offset rip, -8
nop
S
source ra_place '`.cfi_offset` of RA at another place than CFA - 8' <<'S'
.cfi_def_cfa_offset 32
.cfi_offset rip, -24
nop
S
source ra_far '`.cfi_offset` of RA far from the CFA' <<'S'
.cfi_def_cfa_offset 16
.cfi_offset rip, 168
nop
S
source ra_register '`.cfi_register` of RA' <<'S'
.cfi_register rip, rcx
nop
S
source undefined '`.cfi_undefined` of RA' <<'S'
.cfi_undefined rip
nop
S
source signal '`.cfi_signal_frame`' <<'S'
.cfi_signal_frame
nop
S
source val_offset '`.cfi_val_offset` of FP' <<'S'
.cfi_val_offset rbp, -16
nop
S
source sp '`.cfi_escape` of SP' <<'S'
.cfi_escape 0x16, 0x07, 0x02, 0x77, 0x18
nop
S
source restore '`.cfi_restore` of FP where the first row has it saved' <<'S'
.cfi_def_cfa_offset 16
.cfi_offset rbp, -16
nop
.cfi_restore rbp
.cfi_def_cfa_offset 8
nop
S
source end 'a row at the end of the function' <<'S'
.cfi_def_cfa_offset 16
nop
.cfi_def_cfa_offset 8
S
# one of size 0 before it
source empty 'a function of size 0' <<'S'
.cfi_endproc
.size f,.-f
.type e,@function
e:
.cfi_startproc
.cfi_endproc
.size e,.-e
.type g,@function
g:
.cfi_startproc
nop
S

# bytes CLASS: of that class in $work/found
bytes() {
	awk -F '\t' -v name="$1" '$1 == "S" && $2 == name { n = $3 } END { print n + 0 }' "$work/found"
}

# judge AS LD FILE: what became of it, in a few words
judge() {
	rm -f "$work/object" "$work/library"
	said=''
	$1 "$3" -o "$work/object" >"$work/said" 2>&1 || {
		echo 'not assembled'
		return
	}
	[ -s "$work/said" ] && said=', a warning'
	$2 -shared --build-id=none "$work/object" -o "$work/library" >"$work/said" 2>&1 || {
		echo 'ld fails'
		return
	}
	"$cairn" sframe verify --lines "$work/library" >"$work/found" 2>/dev/null || [ $? = 1 ] || {
		echo "left out$said" # no table at all
		return
	}
	words_for_library "$said"
}

# words_for_library SAID: for what was found
words_for_library() {
	rule=$(bytes rule) outermost=$(bytes outermost)
	if [ $((rule + outermost)) -gt 0 ]; then
		echo "**wrong**: $(awk -F '\t' '$1 == "D" && $4 != "only-in-eh_frame" { print $6 " for " $5; exit }' "$work/found")"
	elif [ "$(bytes signal)" -gt 0 ]; then
		echo 'not marked'
	elif [ "$(bytes equal)" = 0 ]; then
		echo "left out$1"
	elif [ "$(bytes only-in-eh_frame)" -gt 0 ]; then
		echo "a part left out$1"
	elif grep -q '^N.*\(past the end\|at or past\)' "$work/found"; then
		echo 'a row that never applies'
	else
		echo right
	fi
}

# judge_cairn: what cairn makes of the .eh_frame of the library that was linked last
judge_cairn() {
	if ! "$cairn" sframe create --quiet "$work/library" -o "$work/made" 2>/dev/null; then
		echo 'left out'
	elif "$cairn" sframe verify --lines "$work/made" --against "$work/library" >"$work/found" 2>/dev/null || [ $? = 1 ]; then
		words_for_library ''
	fi
}

printf '| the source |'
line='|---|'
i=1
for word; do
	[ $((i % 3)) = 1 ] && printf ' %s |' "$word" && line="$line---|"
	i=$((i + 1))
done
printf ' cairn |\n%s---|\n' "$line"
for file in "$sources"/[0-9]*.s; do
	name=$(basename "$file" .s)
	printf '| %s |' "$(cat "$work/$name.words")"
	i=1
	for word; do
		case $((i % 3)) in
		2) assembler=$word ;;
		0) printf ' %s |' "$(judge "$assembler" "$word" "$file")" ;;
		esac
		i=$((i + 1))
	done
	printf ' %s |\n' "$(judge_cairn)"
done
printf '| version of the table |'
i=1
for word; do
	case $((i % 3)) in
	2) assembler=$word ;;
	0)
		$assembler "$sources/11-nested.s" -o "$work/object" 2>/dev/null && $word -shared "$work/object" -o "$work/library" 2>/dev/null
		printf ' %s |' "$("$cairn" sframe dump "$work/library" 2>/dev/null | sed -n 's/^Table.*SFrame version \([0-9]\).*/\1/p' | head -n 1)"
		;;
	esac
	i=$((i + 1))
done
printf ' 3 |\n'
