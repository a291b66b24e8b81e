#!/bin/sh
# SPDX-License-Identifier: MIT
# What assemblers and linkers leave out of SFrame, or write wrongly: sframe_producers.sh CAIRN [NAME AS LD]...
#
# Each producer is a name, a command that assembles (`AS FILE -o OBJECT`, with the option that asks for SFrame) and one that links
# (`LD -shared OBJECT -o LIBRARY`). Small files of one directive each are assembled and linked, and the table is compared with
# the .eh_frame of the same library (cairn sframe verify). Then each linker gets two objects of its assembler, with a call of another library
# and a function that nobody needs. Prints two tables, which docs/formats/sframe.md summarizes.
#
# Without producers it takes the GNU as and ld of this machine and those of the suites in SUITES (Debian's trixie and sid, Ubuntu's
# questing and resolute), unpacked into DIR (/var/tmp/cairn-binutils) without being installed, and clang where CLANGS names some; as
# linkers also gold and lld of this machine, and the mold and the lld of sid. SOURCES=DIR keeps the files.
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
	folder=${DIR:-/var/tmp/cairn-binutils}
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
	linkers='here|as --gsframe|ld'
	for suite in ${SUITES:-trixie questing resolute sid}; do
		tools=$folder/$suite/tools
		[ ! -x "$tools/ld" ] || linkers="$linkers
$suite|$tools/as --gsframe|$tools/ld"
	done
	for tool in ld.gold ld.lld; do
		! command -v $tool >/dev/null || linkers="$linkers
$tool|as --gsframe|$tool"
	done
	if tools=$("$scripts/unpack_linkers.sh" sid "$folder/sid"); then
		linkers="$linkers
mold of sid|$folder/sid/tools/as --gsframe|$tools/mold
lld of sid|$folder/sid/tools/as --gsframe|$tools/ld.lld"
	else
		echo 'sframe_producers.sh: the linkers of sid cannot be unpacked' >&2
	fi
else
	linkers=$(i=0
	for word; do
		i=$((i + 1))
		case $((i % 3)) in
		1) printf '%s' "$word" ;;
		2) printf '|%s' "$word" ;;
		0) printf '|%s\n' "$word" ;;
		esac
	done)
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
printf ' 3 |\n\n'

# object NAME: a source with a function of that name, which calls another library, and one that is discarded
object() {
	printf '\t.text\n\t.globl %s\n\t.type %s,@function\n%s:\n\t.cfi_startproc\n\tsub $8,%%rsp\n\t.cfi_adjust_cfa_offset 8\n' "$1" "$1" "$1"
	printf '\tcall other@PLT\n\tadd $8,%%rsp\n\t.cfi_adjust_cfa_offset -8\n\tret\n\t.cfi_endproc\n\t.size %s,.-%s\n' "$1" "$1"
	printf '\t.section .text.unused_%s,"ax",@progbits\n\t.type unused_%s,@function\nunused_%s:\n\t.cfi_startproc\n' "$1" "$1" "$1"
	printf '\tret\n\t.cfi_endproc\n\t.size unused_%s,.-unused_%s\n' "$1" "$1"
}

# join OUTPUT OPTION...: by $linker; false: it fails
join() {
	output=$1
	shift
	rm -f "$output"
	$linker "$@" -o "$output" >"$work/said" 2>&1 && [ -s "$output" ]
}

# verdict FILE: on its rules
verdict() {
	"$cairn" sframe verify --lines "$1" >"$work/found" 2>/dev/null || [ $? = 1 ] || {
		echo 'no table'
		return
	}
	[ $(($(bytes rule) + $(bytes outermost) + $(bytes only-in-sframe))) = 0 ] || {
		echo '**wrong**'
		return
	}
	"$cairn" sframe dump "$1" 2>/dev/null | awk '/^Table/ { tables++; version = $0; sub(/.*SFrame version /, "", version); sub(/,.*/, "", version)
			if (tables == 1 || version != versions) versions = versions (versions ? " and " : "") version }
		/^  flags/ && / sorted/ { sorted++ }
		END {
			if (!tables) print "no table"
			else print tables == 1 ? "one" : tables, "of version", versions (sorted == tables ? ", sorted" : ", not sorted")
		}'
}

# address_of FILE SECTION|NAME: 0x and hex, nothing when it is not there
address_of() {
	readelf -SsW "$1" 2>/dev/null | awk -v name="$2" '
		{ sub(/^ *\[ *[0-9]+\]/, "") }
		$1 == name { print "0x" $3; exit }
		$8 == name && $7 != "UND" { print "0x" $2; exit }'
}

# rows_at FILE SECTION|NAME
rows_at() {
	at=$(address_of "$1" "$2")
	[ -z "$at" ] || "$cairn" sframe lookup "$1" "$at" >/dev/null 2>&1 && echo 'has rows' || echo 'no rows'
}

# judge_linker WHAT: of the objects in $work/linked
judge_linker() {
	one=$work/linked/one.o two=$work/linked/two.o library=$work/linked/library
	case $1 in
	tables) [ -s "$library" ] && verdict "$library" || echo fails ;;
	segment) readelf -lW "$library" 2>/dev/null | grep -qE 'GNU_SFRAME|0x6474e554' && echo yes || echo no ;;
	plt) rows_at "$library" .plt ;;
	discarded) join "$library" -shared --gc-sections "$one" "$two" && verdict "$library" || echo fails ;;
	relocatable)
		join "$work/linked/both.o" -r "$one" "$two" && join "$library" -shared "$work/linked/both.o" && {
			said=$(verdict "$library")
			[ "$said" = '**wrong**' ] || [ "$said" = 'no table' ] || said="$said, $(rows_at "$library" two | sed 's/has rows/right/; s/no rows/functions lost/')"
			echo "$said"
		} || echo fails
		;;
	other)
		join "$library" -shared "$one" "$work/linked/other.o" && {
			warned=
			[ ! -s "$work/said" ] || warned=', a warning'
			echo "$(verdict "$library"); the other one: $(rows_at "$library" other_version)$warned"
		} || echo fails
		;;
	esac
}

mkdir -p "$work/linked"
printf '| linker |'
echo "$linkers" | cut -d '|' -f 1 | while read -r name; do printf ' %s |' "$name"; done
printf '\n|---|%s\n' "$(echo "$linkers" | sed 's/.*/---|/' | tr -d '\n')"
for name in one two other_version; do object $name >"$work/linked/$name.s"; done
while read -r what words; do
	printf '| %s |' "$words"
	echo "$linkers" | while IFS='|' read -r name assembler linker; do
		for source in one two; do $assembler "$work/linked/$source.s" -o "$work/linked/$source.o" 2>/dev/null; done
		# another generation: GNU as of this machine, or where that is the same the newest
		other='as --gsframe'
		[ "$assembler" != "$other" ] || other="${folder:-/var/tmp/cairn-binutils}/sid/tools/as --gsframe"
		$other "$work/linked/other_version.s" -o "$work/linked/other.o" 2>/dev/null
		join "$work/linked/library" -shared --eh-frame-hdr "$work/linked/one.o" "$work/linked/two.o" || :
		printf ' %s |' "$(judge_linker "$what")"
	done
	echo
done <<'WORDS'
tables the tables of two objects
segment a segment PT_GNU_SFRAME
plt the PLT
discarded `--gc-sections`
relocatable `-r`, then linked
other an object of another version
WORDS
