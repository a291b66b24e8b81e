#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Large and hostile logs: memory stays where it was, nothing is lost, and time does not
# run away.
#
#	markup_memory.sh CAIRN
#
# Each case may take 64 MB of address space above what the program has without input.
set -u
LC_ALL=C
export LC_ALL
cairn=$1
[ -r /proc/self/status ] || { echo "skipped: no /proc"; exit 77; }
. "$(dirname "$0")/../lib/test.sh"

# address space, in kB, when there is nothing to do
mkfifo "$work/fifo"
"$cairn" markup <"$work/fifo" >/dev/null &
process=$!
exec 3>"$work/fifo"
until grep -q '^State:.*sleeping' /proc/$process/status; do sleep 0.01; done
sleep 0.1
base=$(awk '$1 == "VmSize:" { print $2 }' /proc/$process/status)
exec 3>&-
wait
limit=$((base + 65536))

# $1: name; $2: bytes that must come out, or "some"; standard input is the log
check() {
	name=$1
	want=$2
	shift 2
	got=$( (ulimit -v $limit; exec "$cairn" markup "$@") 2>"$work/err" | wc -c)
	[ "$want" = some ] && [ "$got" -gt 0 ] && want=$got
	[ "$got" = "$want" ] && ! grep -q 'memory' "$work/err" && return
	echo "$name: $got bytes came out, not $want: $(tail -1 "$work/err")"
	failed=1
}
giga=1073741824
quarter=268435456

yes '2026-11-21 12:00:00 an ordinary line of a log, with {braces} in it' | head -c $quarter |
	check 'a log' $((quarter + 1))
yes 'all on one line, and no end of it; ' | tr -d '\n' | head -c $giga |
	check '1 GB on one line' $((giga + 1))
yes '{{{bt:0:0x1234' | tr -d '\n' | head -c $quarter | check 'elements without an end' $((quarter + 1))
yes '{{{' | tr -d '\n' | head -c $quarter | check 'braces' $((quarter + 1))
yes '{{{mmap:0x1000:0x10' | head -c $quarter | check 'a line each' $((quarter + 1))
{ echo '{{{hexdict:'; yes ' RIP: 0x1234 RSP: 0'; } | head -c $quarter |
	check 'a dump without an end' $((quarter + 1))
# 32 modules with a mapping each and many distinct frames
awk 'BEGIN { for (i = 0; i < 32; i++) { printf "{{{module:%d:m:elf:%08x}}}\n", i, i + 1
		printf "{{{mmap:0x%x000:0x1000:load:%d:rx:0}}}\n", 16 + i, i }
	for (i = 0; i < 500000; i++) printf "{{{bt:%d:0x%x:ra}}}\n", i % 50, 65536 + i % 131072 }' |
	check 'distinct frames' some
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "{{{module:%d:m:elf:%08x}}}\n", i, i }' |
	check 'a million modules' some
awk 'BEGIN { print "{{{module:0:m:elf:ab}}}"
	for (i = 1000000; i > 0; i--) printf "{{{mmap:0x%x000:0x1000:load:0:rx:0}}}\n", i }' |
	check 'mappings that descend' some
awk 'BEGIN { print "{{{module:0:m:elf:ab}}}"
	for (i = 0; i < 300000; i++) printf "{{{mmap:0x%x:0x100000:load:0:rx:0}}}\n", i * 16 }' |
	check 'mappings that overlap' some
exit $failed
