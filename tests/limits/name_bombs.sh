#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names of a few hundred bytes that stand for gigabytes of text, or for years of work without any: each
# command that makes names readable ends, in little memory, and so does GDB with the object that it is
# given.
#
#	name_bombs.sh CAIRN
set -eu
LC_ALL=C
export LC_ALL
cairn=$1
. "$(dirname "$0")/../lib/test.sh"
tmp=$work

# doubled BEFORE PART FIRST COUNT BEHIND: "#" in PART is the number of the part before it
awk '
function id(n) { return n == 0 ? "" : n > 36 ? digit(int((n - 1) / 36)) digit((n - 1) % 36) : digit(n - 1) }
function digit(n) { return substr("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", n + 1, 1) }
function doubled(before, part, first, count, behind,   i, text) {
	for (i = 0; i < count; i++) {
		text = part
		gsub(/#/, id(first + i), text)
		before = before text
	}
	print before behind
}
BEGIN {
	for (count = 24; count <= 60; count += 36) {
		doubled("_Z1f4pairIiiE", "S_IS#_S#_E", 1, count, "")
		doubled("_Z1fFvvE", "FvS#_S#_E", 0, count, "")
		doubled("_Z1fIJiEEvDpFv1A", "MS#_S#_", 1, count, "E")
		doubled("_Z", "N1AcvT_I", 0, count, "i" substr("EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE", 1, 2 * count) "v")
	}
	print "_RNvMIC1aFGzzzzzzzzzz_EuEu1b"
}' >"$tmp/names"
awk '
BEGIN { print "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 bombs" }
{ printf "FUNC %x 10 0 %s\n%x 10 1 0\n", 4096 * NR, $0, 4096 * NR }' >"$tmp/bombs.sym" <"$tmp/names"
sed 's/.*/{{{symbol:&}}}/' "$tmp/names" >"$tmp/log"

# Of one input: 64 MB and ten times its size, in KiB.
memory=$((64 * 1024 + 10 * $(wc -c <"$tmp/bombs.sym") / 1024))

# bounded COMMAND...: within 10 s of a processor and so much address space, all libraries among it;
# the inputs are smaller than bombs.sym but for what is made of that, which has the same names.
bounded() {
	(
		[ -n "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || ulimit -v "$memory" # they want terabytes
		spend 10 "$@"
	) >>"$tmp/said" 2>"$tmp/errors" || {
		cat "$tmp/errors"
		echo "failed: $*"
		exit 1
	}
}

# peak COMMAND...: the same of the memory that all threads use, whose stacks and heaps are address
# space
peak() {
	if [ -n "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || ! command -v time >/dev/null; then
		bounded "$@"
		return
	fi
	(
		spend 10 time -f %M -o "$tmp/peak" "$@"
	) >>"$tmp/said" 2>"$tmp/errors" && [ "$(tail -n 1 "$tmp/peak")" -le "$memory" ] || {
		cat "$tmp/errors" "$tmp/peak"
		echo "failed, or took more than $memory KiB: $*"
		exit 1
	}
}
bounded "$cairn" markup "$tmp/log"
bounded "$cairn" markup --compat=llvm "$tmp/log"
# shellcheck disable=SC2046 # names have no blank
bounded "$cairn" symbfile name $(cat "$tmp/names")
# a million substitutions: above the limit of a name, which stays as it is
awk 'BEGIN { printf "_Z1f1a"; for (i = 0; i < 1000000; i++) printf "S_"; print "" }' >"$tmp/million"
(
	ulimit -t 10
	[ -n "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || ulimit -v "$memory" # they want terabytes
	"$cairn" symbfile name <"$tmp/million" >"$tmp/million.said"
) && cmp "$tmp/million" "$tmp/million.said" || { echo 'failed: a million substitutions'; exit 1; }
bounded "$cairn" gsym create -j 1 -o "$tmp/bombs.gsym" "$tmp/bombs.sym"
peak "$cairn" gsym create -o "$tmp/bombs.gsym" "$tmp/bombs.sym"
bounded "$cairn" gsym dump "$tmp/bombs.gsym"
bounded "$cairn" gsym lookup "$tmp/bombs.gsym" 0x1000
bounded "$cairn" gsym dump --json "$tmp/bombs.gsym"
bounded "$cairn" symbfile create -j 1 -o "$tmp/bombs" "$tmp/bombs.gsym"
peak "$cairn" symbfile create -o "$tmp/bombs" "$tmp/bombs.gsym"
bounded "$cairn" symbfile dump "$tmp/bombs.ranges"
bounded "$cairn" symbols write --machine amd64 -o "$tmp/bombs.o" "$tmp/bombs.gsym"
said=$(wc -c <"$tmp/said")
[ "$said" -lt 200000 ] || {
	echo "$said bytes were printed"
	exit 1
}

# names that elements of a log share: the output is at most 1 MiB and 64 times the log, and the rest is left out
awk 'BEGIN {
	printf "{{{module:0:"; for (i = 0; i < 20000; i++) printf "n"; print ":elf:abcdef}}}"
	print "{{{mmap:0x0:0x1000000:load:0:rwx:0x0}}}"
	for (i = 0; i < 4000; i++) printf "{{{bt:%d:0x%x:pc}}}\n", i, 4096 + i
}' >"$tmp/modules"
awk 'BEGIN {
	for (i = 0; i < 4000; i++)
		printf "{{{module:%d:n:elf:abcdef}}}\n{{{mmap:0x%x000:0x1000:load:%d:rwx:0x0}}}\n", i, i, i
	for (i = 0; i < 2000; i++) print "{{{dumpfile:a:b}}}"
}' >"$tmp/dumps"

# shared NAME OPTION...: of what is left out a message tells
shared() {
	log=$1
	shift
	status=0
	"$cairn" markup "$@" "$tmp/$log" >"$tmp/shared" 2>"$tmp/errors" || status=$?
	most=$((1048576 + 64 * $(wc -c <"$tmp/$log") + 400 * $(wc -l <"$tmp/$log")))
	[ $status = 3 ] && [ "$(wc -c <"$tmp/shared")" -le $most ] &&
		grep -q 'names exceed the size limit; the rest of the log is omitted$' "$tmp/errors" || {
		echo "failed: markup $* $log: status $status, $(wc -c <"$tmp/shared") bytes of at most $most"
		exit 1
	}
}
shared modules
shared modules --flush=block
shared modules --json
shared dumps --json
shared dumps --dumpfile-output "$tmp/dumped"

# All frames of a function that has the costliest name, and all those of a module whose build ID has no end: what is done for
# each of them must not grow with these.
mkdir "$tmp/store"
{
	echo 'MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 costly'
	echo 'INFO CODE_ID ABCDEF0123456789'
	awk 'length > length(longest) { longest = $0 } END { print "FUNC 1000 1000000 0 " longest }' "$tmp/names"
	echo '1000 1000000 1 0'
} >"$tmp/store/abcdef0123456789.sym"
awk 'BEGIN {
	print "{{{module:0:m:elf:abcdef0123456789}}}\n{{{mmap:0x0:0x10000000:load:0:rx:0x0}}}"
	for (i = 0; i < 200000; i++) printf "{{{pc:0x%x}}}\n", 4096 + i
}' >"$tmp/costly"
bounded "$cairn" markup --directory "$tmp/store" "$tmp/costly"
grep -qx "cairn: $tmp/costly: demangling exceeds the work limit; the remaining names stay mangled" "$tmp/errors" || {
	echo 'failed: all frames have a costly name'
	exit 1
}
awk 'BEGIN {
	printf "{{{module:0:m:elf:"; for (i = 0; i < 200000; i++) printf "ab"
	print "}}}\n{{{mmap:0x0:0x10000000:load:0:rx:0x0}}}"
	for (i = 0; i < 100000; i++) printf "{{{pc:0x%x}}}\n", 4096 + i
}' >"$tmp/endless"
bounded "$cairn" markup "$tmp/endless"
grep -q ': the build ID is too long$' "$tmp/errors" || {
	echo 'failed: a build ID without end'
	exit 1
}
in_gdb='no GDB'
if command -v "${GDB:=gdb}" >/dev/null; then
	in_gdb='GDB ended'
	(
		ulimit -t 20
		ulimit -v 2000000
		"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex "file $tmp/bombs.o" \
			-ex 'info line *0x1000' -ex 'info functions f' -ex 'echo ended\n'
	) >"$tmp/gdb" 2>&1 </dev/null || :
	grep -q '^ended' "$tmp/gdb" || {
		tail -n 3 "$tmp/gdb" | cut -c 1-200
		echo 'GDB did not end'
		exit 1
	}
	grep -q '?_Z1f4pairIiiE' "$tmp/gdb" || {
		cut -c 1-200 "$tmp/gdb"
		echo 'the name is not marked'
		exit 1
	}
fi
echo "$(wc -l <"$tmp/names") names, $said bytes, $in_gdb"
