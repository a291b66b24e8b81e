#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Cores that are cut or damaged, as a file and in a pipe: cairn bt prints what could be had, tells what was wrong,
# and ends with status 1, or with 3 when nothing could be had; in 10 s of processor time and 256 MB.
#
#	broken_cores.sh CAIRN LARGE_CORE POUR
#
# The core is `large_core deep`: segment 0 holds the notes, from byte 288, with 356 bytes for each of two threads;
# segment 1 is the code, segments 2 and 3 are stacks of 2 MiB. A segment's header is at 64 + 56 N.
set -u
LC_ALL=C
export LC_ALL
cairn=$1
large_core=$2
pour=$3
. "$(dirname "$0")/../lib/test.sh"
"$large_core" deep sparse "$work/whole" || exit 2

# poke OFFSET BYTES: in octal, as printf wants them
poke() {
	printf "$2" | dd of="$work/core" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

# check NAME FORM STATUS THREADS MESSAGE: of the core as a file or in a pipe
check() {
	case $2 in
	file) (ulimit -v ${SPACE:-262144} && spend 10 "$cairn" bt --quiet "$work/core") >"$work/out" 2>"$work/errors" ;;
	pipe) "$pour" "$work/core" | (ulimit -v 262144 && spend 10 "$cairn" bt --quiet -) >"$work/out" 2>"$work/errors" ;;
	esac
	status=$?
	threads=$(grep -c '^Thread ' "$work/out")
	if [ $status != "$3" ] || [ "$threads" != "$4" ] || ! grep -q "$5" "$work/errors" "$work/out"; then
		echo "$1, $2: status $status, $threads threads: $(head -n 2 "$work/errors")"
		failed=1
	fi
}

# both NAME STATUS THREADS MESSAGE [MESSAGE-OF-THE-PIPE]
both() {
	check "$1" file "$2" "$3" "$4"
	check "$1" pipe "$2" "$3" "${5:-$4}"
}

cut_at() {
	head -c "$1" "$work/whole" >"$work/core"
}
fresh() {
	cp "$work/whole" "$work/core"
}
ones='\377\377\377\377\377\377\377\177'

cut_at 0
both 'nothing' 3 0 'the file is empty'
cut_at 40
both 'cut in its header' 3 0 'data ends'
cut_at 150
both 'cut in its program headers' 3 0 'program headers are missing'
cut_at 800
both 'cut in its notes' 1 1 'notes: '
cut_at 100000
both 'cut in its memory' 1 2 'the file ends before all dumped memory'
fresh
poke 292 '\377\377\377\377'
both 'a note of 4 GiB' 3 0 'notes: '
fresh
poke 64 '\377\377\377\157'
both 'no notes' 3 0 'the core has no notes'
fresh
poke 208 "$ones"
both 'a segment of 8 EiB' 1 2 'the file ends before all dumped memory'
fresh
poke 96 "$ones"
both 'notes of 8 EiB' 1 2 'notes: '
fresh
poke 248 '\000\000\000\000\000\177\000\000'
both 'two segments at one address' 1 2 '^Backtrace stopped: '
fresh
poke 184 '\000\020\000\000\000\000\000\000'
check 'two segments of the same bytes' pipe 1 2 'overlapping parts are omitted'
fresh
poke 18 '\002\000'
both 'another machine' 1 2 'cannot unwind the stacks of programs for'
fresh
poke 16 '\003\000'
both 'a library' 3 0 'not a core file'
# 70,502 segments: their number is in a section header after the memory, and those of the stacks come last.
"$large_core" segments sparse "$work/core" || exit 2
size=$(wc -c <"$work/core")
SPACE=6291456 # the file is mapped
# Status 1 is of the first caller alone, a guess without the program.
check 'more segments than the header counts' file 1 500 '^#49 '
truncate -s $((size - 1)) "$work/core"
both 'their number cut off' 1 500 'the number of program headers is missing'
check 'and all stacks are there' file 1 500 '^#49 '
printf '\001' | dd of="$work/core" bs=1 seek=$((size - 20)) conv=notrunc 2>/dev/null
truncate -s $size "$work/core"
check 'another number' pipe 1 500 'is not the one recorded'
exit $failed
