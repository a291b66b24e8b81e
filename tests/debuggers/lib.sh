# SPDX-License-Identifier: MIT
# For the tests that run a real GDB: sourced, not run.  MODULE is the module under test.
#
# It has all of tests/lib/test.sh, but the first fail() ends the test.  A tool that is missing means skip().

set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
programs=${here%/tests/*}/tests/fixtures/programs
: "${MODULE?path of cairn-gdb.so}" "${GDB:=gdb}" "${CC_TARGET:=cc}"

. "${here%/tests/*}/tests/lib/test.sh"
tmp=$work
[ -n "$MODULE" ] || skip 'cairn was configured without <gdb/jit-reader.h>'

need() {
	for tool; do
		command -v "$tool" >/dev/null || skip "no $tool on this machine"
	done
}

fail() {
	echo "not equal: $1"
	exit 1
}

# end_programs: those of the directory that a test which failed, or a killed GDB, left behind; they hold
# the test's output open, so that whoever waits for its end would wait for them
end_programs() {
	# shellcheck disable=SC2012 # one program for all of them; names of /proc are numbers
	ls -l /proc/[0-9]*/exe 2>/dev/null |
		sed -n "s|.* /proc/\([0-9]*\)/exe -> $tmp/.*|\1|p" |
		while read -r pid; do kill -9 "$pid" 2>/dev/null || :; done
}

# What a sanitizer in the module found is a failure, whatever the test made of it.
finish() {
	status=$?
	end_programs
	if ls "$tmp"/sanitizer.* >/dev/null 2>&1; then
		cat "$tmp"/sanitizer.*
		status=1
	fi
	rm -rf "$tmp"
	exit "$status"
}
export SANITIZER_LOG="$tmp/sanitizer"
trap finish EXIT

# The name of a program is on its stack: both builds are run by names of one length.
mkdir "$tmp/eh" "$tmp/no"

# build SOURCE NAME FLAGS...: $tmp/eh/NAME complete, $tmp/no/NAME the same without call frame
# information; every address is the same in both.
build() {
	source=$1 name=$2
	shift 2
	# without SFrame, and with a file that has a table made of the .eh_frame
	case " $* " in *' -DSIDE_FILE '*)
		"$CC_TARGET" "$@" -Wl,--build-id=sha1 "$programs/$source" -o "$tmp/eh/$name"
		"${OBJCOPY:-objcopy}" --remove-section .eh_frame --remove-section .eh_frame_hdr \
			"$tmp/eh/$name" "$tmp/no/$name"
		"$CAIRN" sframe create --quiet "$tmp/eh/$name" -o "$tmp/no/$name.sframe"
		return
		;;
	esac
	echo 'int x;' >"$tmp/probe.c"
	"$CC_TARGET" -c -Wa,--gsframe "$tmp/probe.c" -o "$tmp/probe.o" 2>/dev/null ||
		skip "the assembler does not know --gsframe"
	"$CC_TARGET" "$@" -Wa,--gsframe "$programs/$source" -o "$tmp/eh/$name"
	"${OBJCOPY:-objcopy}" --remove-section .eh_frame --remove-section .eh_frame_hdr \
		"$tmp/eh/$name" "$tmp/no/$name"
}

# build_without_entries SOURCE OUTPUT COMPILER FLAGS...: complete, but it does not say where inlined calls
# are entered: DW_AT_entry_pc has a number that nobody knows.  From version 16 on GDB breaks there, which
# need not be the first address of the call, and which GSYM does not hold.  For gcc alone.
build_without_entries() {
	source=$1 output=$2
	shift 2
	"$@" -g -S -dA "$programs/$source" -o "$tmp/entries.s"
	sed 's/0x52\([^0-9a-f].*DW_AT_entry_pc\)/0x3ff0\1/' "$tmp/entries.s" >"$tmp/without.s"
	"$@" -Wl,--build-id=sha1 "$tmp/without.s" -o "$output"
}

# compare_places NAME LINES PROGRAM: breakpoints of two builds.  From version 17 on GDB breaks on calls of
# which the compiler left an empty range and nothing else; GSYM holds no empty ranges.  There the lines
# that differ are only counted, and at most a tenth may.
compare_places() {
	if [ "$("$GDB" -nx -batch -ex 'output $_gdb_major' 2>/dev/null)" -lt 17 ] ||
		! readelf --debug-dump=Ranges "$3" 2>/dev/null | grep -q 'start == end'; then
		compare "$1" "$2"
		return
	fi
	differ=$(diff "$tmp/$1.eh" "$tmp/$1.no" | grep -c '^<' || :)
	lines=$(wc -l <"$tmp/$1.eh")
	echo "$1: $differ of $lines lines differ: this GDB breaks on empty ranges of inlined calls"
	[ "$lines" -ge "$2" ] && [ $((differ * 10)) -le "$lines" ] || fail "$1: too many differ"
}

# within SECONDS COMMAND...: killed when it takes longer, on a machine that has nothing else to do; a whole
# run of the suite allows as many times that as it allows the tests
within() {
	seconds=$1
	shift
	timeout $((seconds * ${CK_TIMEOUT_MULTIPLIER:-1})) "$@"
}

# debug WITH|WITHOUT PROGRAM ARGUMENTS...: GDB in batch mode, cairn loaded or not.
debug() {
	with=$1 program=$2
	shift 2
	load='echo'
	[ "$with" = with ] && load="jit-reader-load $MODULE"
	within "${LIMIT:-120}" "$GDB" -nx -q -batch \
		-iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' \
		-ex 'set exec-wrapper env -i' -ex "$load" "$@" "$program" </dev/null 2>&1
}

# debug_each WITH|WITHOUT PROGRAM FILE: the commands of a file one by one; an error ends none but its
# own.
debug_each() {
	with=$1 program=$2 file=$3
	set --
	while read -r line; do
		set -- "$@" -ex "$line"
	done <"$file"
	debug "$with" "$program" "$@"
}

# What differs between two runs of anything: process numbers, and the directory of the build.
settle() {
	sed -e "s|$tmp/../|DIR/|g" -e "s|$tmp|DIR|g" -e 's|DIR/\(eh\|no\)/|DIR/|g' \
		-e 's/LWP [0-9]*/LWP N/g' -e 's/process [0-9]*/process N/g'
}

# compare NAME: $tmp/NAME.eh and $tmp/NAME.no must be equal, and hold something.
compare() {
	[ "$(wc -l <"$tmp/$1.eh")" -ge "${2:-3}" ] || {
		cat "$tmp/$1.eh"
		fail "$1: the complete build shows too little"
	}
	diff -u "$tmp/$1.eh" "$tmp/$1.no" >"$tmp/$1.diff" || {
		head -n 40 "$tmp/$1.diff"
		fail "$1"
	}
}

# said NUMBER REGEX: so many lines of $tmp/said
said() {
	found=$(grep -c -- "$2" "$tmp/said" || :)
	[ "$found" = "$1" ] || {
		cat "$tmp/said"
		fail "$found times \"$2\", not $1"
	}
}

# await_stops COUNT FILE: until GDB's records in FILE tell of so many stops, which come some time after the command
# for them; at most 30 s
await_stops() {
	tries=0
	: >>"$2"
	until [ "$(grep -c '^\*stopped' "$2")" -ge "$1" ] || [ $tries -ge 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

# records FILE: it is what the machine interface said, and nothing else.
# record = [token] ("^" | "*" | "+" | "=") class ("," results)?  |  ("~" | "@" | "&") c-string
records() {
	awk '{ sub(/\r$/, "") }
	     /^\(gdb\) *$/ { next }
	     /^[~@&]"([^"\\]|\\.)*"$/ { next }
	     /^[0-9]*\^(done|running|connected|error|exit)(,[A-Za-z].*)?$/ { next }
	     /^[0-9]*[*+=][a-z-]+(,[a-z].*)?$/ { next }
	     { print "no MI record: " $0; bad = 1 }
	     END { exit bad }' "$1" || fail 'the machine interface'
}
