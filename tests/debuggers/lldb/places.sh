#!/bin/sh
# SPDX-License-Identifier: MIT
# places.sh [PROGRAM STEP]: how many breakpoints by name and by line are at the same places, all of them, and how many
# addresses have the same function, inlined calls, files and lines, with symbols that cairn gives LLDB
# as with the complete build.  PROGRAM was compiled with -g, and each STEP-th of its lines, names and addresses is asked.
# Without arguments small programs and a library, before the start and while they run, of which hardly any may differ.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}" "${PLACES?path of the plugin}" "${CXX:=c++}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
[ -n "$PLACES" ] || skip 'no headers of LLDB (liblldb-19-dev), or no C++ compiler'
for tool in "$CXX" c++filt; do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
host=${here%/lldb}
cd "$tmp"

# strip_of NAME: no/NAME has nothing of eh/NAME but its code and its unwind table
strip_of() {
	objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr "eh/$1" "no/$1"
}

# give NAME: its symbols in four ways
give() {
	"$CAIRN" gsym create --quiet --statements "eh/$1" -o "$1.statements"
	"$CAIRN" gsym create --quiet "eh/$1" -o "$1.gsym"
	"$CAIRN" symbfile create --quiet --only ranges "eh/$1" -o "$1" >/dev/null
	"$CAIRN" gsym dump "$1.gsym" | c++filt | awk -f "$host/breakpad.awk" >"$1.sym"
}

# adding FORM: the command for symbols of that form
adding() {
	case $1 in
	ranges) echo add-symbfile ;;
	sym) echo add-breakpad ;;
	*) echo add-gsym ;;
	esac
}

# ask NAME STEP: "asked", lines and functions of the complete build, and addresses in them
ask() {
	"$CAIRN" dwarf dump "eh/$1" | c++filt >dwarf
	{
		# by the name of the file; by its path where several have that name, because LLDB then takes lines of one for those of another
		awk '$1 == "row" { name = $3; sub(/.*\//, "", name); file = name; sub(/:[0-9]*$/, "", file)
				path = $3; sub(/:[0-9]*$/, "", path)
				line[$3] = name; of[$3] = file
				if (!(path in known)) { known[path] = 1; paths[file]++ } }
			END { for (row in line) print "line " (paths[of[row]] > 1 ? row : line[row]) }' dwarf | sort -u
		# as users write them, by the whole name and by its last part; clones by the name in the source
		sed -n -e 's/^function [^ ]* [^ ]* //p' -e 's/^ *inline [^ ]* [^ ]* \(.*\) 0x[-0-9a-fx ]*$/\1/p' dwarf |
			sed -e 's/(.*//' -e 's/[.].*//' -e 's/^[a-z]* \([a-z0-9_]*::\)/\1/' |
			awk '{ print "name " $0 } sub(/.*::/, "") { print "name " $0 }' | sort -u
		awk -v name="$1" '$1 == "row" { print "at " name " " $2; print "at " name " " $2 "+1" }' dwarf | sort -u
	} | awk -v step="$2" 'NR % step == 0' >asked
}

# answers WHICH PROGRAM OUT ARGUMENTS...: what LLDB answers to "asked"
answers() {
	which=$1 program=$2 out=$3
	shift 3
	lldb "$tmp/$which/$program" -O "plugin load $LLDB_PLUGIN" -O "plugin load $PLACES" "$@" \
		-o "places $tmp/asked $tmp/$out" >said && [ -s "$out" ] || {
		cat said
		fail "LLDB: $program"
	}
}

# count WHAT LEAST...: a row; of 1000 names, lines and addresses so many are equal, at least
lost=
count() {
	what=$1
	shift
	row=
	for kind in name line at; do
		grep "^$kind " eh.out | grep -v ':$' | sort >some || [ $? = 1 ] || exit 1 # 1: there is none
		sort no.out | comm -12 some - >equal
		found=$(wc -l <equal) of=$(wc -l <some)
		row="$row, $kind $found of $of"
		[ "$of" -gt 0 ] && [ $((found * 1000)) -ge $((of * $1)) ] || {
			lost="$lost, $kind of $what"
			grep "^$kind " no.out | sort | comm -3 some - | head -n 6 | cut -c 1-200
		}
		shift
	done
	echo "$what$row"
}

if [ $# -gt 0 ]; then
	cp "$1" eh/asked
	strip_of asked
	ask asked "${2:-11}"
	give asked
	answers eh asked eh.out
	for form in statements gsym ranges sym; do
		answers no asked no.out -o "cairn $(adding $form) $tmp/asked.$form"
		count ".$form" 0 0 0
	done
	exit
fi

# count_program NAME LEAST...: before the start
count_program() {
	strip_of "$1"
	ask "$1" 1
	give "$1"
	answers eh "$1" eh.out
	for form in statements gsym ranges sym; do
		answers no "$1" no.out -o "cairn $(adding $form) $tmp/$1.$form"
		case $form in
		ranges) count "$1.$form" "$5" "$6" "$7" ;; # which has no arguments of templates
		*) count "$1.$form" "$2" "$3" "$4" ;;
		esac
	done
}
flags='-g -Wa,--gsframe -Wl,--build-id=sha1'
"$CC_TARGET" -Wa,--gsframe -c -x c /dev/null -o probe.o 2>/dev/null || skip "the assembler does not know --gsframe"
mkdir src
awk -v functions=48 -v files=4 -v directory="$tmp/src" -f "$host/thousands.awk"
# shellcheck disable=SC2086 # flags are words
{
	"$CXX" $flags -O0 -fno-exceptions -fno-rtti src/*.cpp -o eh/plain
	"$CXX" $flags -O2 -fno-exceptions -fno-rtti src/*.cpp -o eh/fast
	"$CC_TARGET" $flags -O2 "$programs/clones.c" -o eh/clones
	"$CC_TARGET" $flags -O2 -pthread "$programs/sample.c" -o eh/sample
}
count_program plain 990 1000 1000 850 1000 1000
count_program fast 980 990 980 660 990 980
# ours know of no call whose range is empty
count_program clones 700 940 990 560 850 990
count_program sample 940 970 980 940 970 980
# clang++ as it is installed, if it is
if command -v "${CLANGXX:=clang++}" >/dev/null; then
	"$CLANGXX" -w -g -O2 -fno-exceptions -fno-rtti src/*.cpp -Wl,--build-id=sha1 -o eh/clang
	count_program clang 900 900 980 600 900 980
else
	echo 'no clang++: what gcc makes is compared'
fi

# The same functions in a library.
# shellcheck disable=SC2086 # flags are words
for which in eh no; do
	"$CXX" $flags -O2 -fno-exceptions -fno-rtti -shared -fPIC src/part?.cpp -o $which/libparts.so
	"$CXX" $flags -O2 -fno-exceptions -fno-rtti src/main.cpp -rdynamic -L$which -lparts \
		-Wl,-rpath,'$ORIGIN' -o $which/uses
done
strip_of libparts.so
strip_of uses
ask libparts.so 1
give libparts.so
give uses
mkdir folder
cp libparts.so.statements folder/libparts.so.gsym
cp uses.statements folder/uses.gsym

# Its breakpoints wait until it is loaded, and are where they are in the complete build.
{
	awk '$1 == "name" && /::/ { print "breakpoint set -n " $2 }' asked | awk 'NR % 3 == 0'
	awk '$1 == "line" { sub(/:/, " -l ", $2); print "breakpoint set -f " $2 }' asked | awk 'NR % 20 == 0'
	echo 'run 60'
	echo 'breakpoint list'
} >waiting
# listed OUT: the places in "said"
listed() {
	sed -n 's/^ *\([0-9]*\.[0-9]*: \).*\(address = 0x[0-9a-f]*\).*/\1\2/p' said >"$1"
}
lldb eh/uses -s waiting >said || fail 'LLDB: breakpoints before the start'
listed places.eh
[ "$(wc -l <places.eh)" -gt 30 ] || fail "only $(wc -l <places.eh) places in the complete build"
lldb no/uses -O "plugin load $LLDB_PLUGIN" -O 'cairn set auto-symbols on' -O "cairn set directory $tmp/folder" \
	-s waiting >said || fail 'LLDB: breakpoints before the start, with cairn'
listed places.no
found=$(sort places.eh >listed && sort places.no | comm -12 listed - | wc -l)
echo "library before the start: $found of $(wc -l <places.eh) places"
[ $((found * 100)) -ge $(($(wc -l <places.eh) * 97)) ] || lost="$lost, library before the start"

# In a process, with all frames of a deep stack.
stack='f ${frame.index} ${frame.pc} ${function.name-without-args} ${line.file.basename}:${line.number}\n'
# stack_of OUT: frames of the last stack in "said"; the arguments of templates are not in symbfiles
stack_of() {
	sed -n 's/^.*\(f [0-9]* 0x\)/\1/p' said | awk '$2 == 0 { n = 0 } { line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }' | grep -E '(part|main)[0-9]*[.]cpp' | sed -e 's/<int>//g' -e 's/ int \(part\)/ \1/' >"$1"
}
# deep WHICH OUT ADDRESS ARGUMENTS...: answers where the stack is deep
deep() {
	which=$1 out=$2 at=$3
	shift 3
	answers "$which" uses "$out" -O 'settings set target.run-args 60' \
		-O "settings set frame-format \"$stack\"" -o "breakpoint set -s uses -a 0x$at" -o run "$@" -o bt
}
at=$(va uses _Z9stop_herei)
deep eh eh.out "$at"
stack_of stack.eh
[ "$(wc -l <stack.eh)" -gt 120 ] || fail "only $(wc -l <stack.eh) frames in the complete build"
for form in statements gsym ranges sym; do
	least=990
	[ $form != ranges ] || least=660
	deep no no.out "$at" -o "cairn $(adding $form) $tmp/libparts.so.$form" -o "cairn $(adding $form) $tmp/uses.$form"
	count "library in a process, .$form" $least 980 980
	stack_of stack.no
	diff stack.eh stack.no >differ || {
		head -n 20 differ
		fail "the stack with .$form"
	}
	echo "stack with .$form: $(wc -l <stack.no) frames are equal"
done
[ -z "$lost" ] || fail "too many differ${lost#,}"
