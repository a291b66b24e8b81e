#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that another program cuts short while cairn reads them: no signal ends it, its exit status
# and its message tell.  cut_files.sh CAIRN CORPUS
#
# A command writes into a FIFO, which holds 64 KB; when its first bytes are here, it waits for us,
# with most of the file still before it.
set -u
cairn=$1
. "$(dirname "$0")/../lib/test.sh"

fail() {
	echo "cut: $1"
	cat "$work/said"
	exit 1
}

# cut FILE SIZE COMMAND...: it dumps the file, which is cut meanwhile to that size
cut_while() {
	file=$1 size=$2
	shift 2
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	"$@" >"$work/fifo" 2>"$work/said" &
	pid=$!
	exec 9<"$work/fifo"
	dd bs=1 count=1 <&9 >"$work/first" 2>/dev/null
	dd if=/dev/null of="$file" bs=1 seek="$size" 2>/dev/null
	cat <&9 >"$work/rest"
	exec 9<&-
	wait "$pid"
	status=$?
	[ "$status" = 3 ] || fail "status $status: $*"
	grep -qxF "cairn: $file: truncated by another program while it was being read; run the command again when the file is complete" \
		"$work/said" ||
		fail "nothing is told: $*"
}

"$cairn" gsym create --quiet -o "$work/whole.gsym" "$cairn" || exit 2
"$cairn" symbfile create --quiet --only ranges -o "$work/whole" "$cairn" >"$work/said" 2>&1 || {
	cat "$work/said"
	exit 2
}
for size in 0 50 4097; do
	cp "$work/whole.gsym" "$work/a.gsym"
	cut_while "$work/a.gsym" "$size" "$cairn" gsym dump "$work/a.gsym"
	cp "$work/whole.gsym" "$work/a.gsym"
	cut_while "$work/a.gsym" "$size" "$cairn" gsym dump --json "$work/a.gsym"
	cp "$work/whole.ranges" "$work/a.ranges"
	cut_while "$work/a.ranges" "$size" "$cairn" symbfile dump "$work/a.ranges"
	cp "$cairn" "$work/program"
	cut_while "$work/program" "$size" "$cairn" dwarf dump "$work/program"
done

echo 'cut: told each time'
