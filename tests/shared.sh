#!/bin/sh
# SPDX-License-Identifier: MIT
# GSYM files whose parts share their bytes: what reads all of one ends soon, and in memory that is
# bounded by its size.  shared.sh CAIRN SHARED_GSYM
set -u
cairn=$1 make=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

size=2000000
memory=$((64 * 1024 + 10 * size / 1024)) # KiB, over those of a program that does nothing
idle=32768                               # KiB of address space, with its libraries
seconds=10

fail() {
	echo "shared: $1"
	exit 1
}

# run COMMAND...: under the limits; status 0 to 3
run() {
	(
		ulimit -t "$seconds"
		[ "${SANITIZED:-no}" = yes ] || ulimit -v $((memory + idle))
		exec "$@"
	) >"$work/out" 2>&1
	status=$?
	[ "$status" -le 3 ] || {
		tail -c 300 "$work/out"
		fail "status $status: $*"
	}
}

for kind in rows inlines nested overlap calls merged name tails paths; do
	file=$work/$kind.gsym
	"$make" "$kind" "$size" >"$file" || fail "no file $kind"
	run "$cairn" gsym verify "$file"
	case $kind in
	rows | inlines | nested | overlap | calls)
		[ "$status" = 3 ] && grep -q 'records share too many of their bytes at byte' "$work/out" ||
			fail "gsym verify $kind: nothing is told"
		;;
	esac
	run "$cairn" gsym stats "$file"
	run "$cairn" gsym find "$file" f
	run "$cairn" gsym create --quiet -j 1 -o "$work/made.gsym" "$file"
	run "$cairn" symbfile create --quiet -j 1 --only ranges -o "$work/made" "$file"
	run "$cairn" symbols write --quiet --machine amd64 -o "$work/made.o" "$file"
	run "$cairn" gsym lookup "$file" 0x1000 0x1010
	rm -f "$file"
done
echo 'shared: all end within bounds'
