#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn sframe create --tree: tree_of_programs.sh CAIRN CC...
# Each program of a directory gets the table that it gets alone, under its build ID; a second run makes what is missing or damaged; the
# sums are those of the files; one that is damaged costs its own table.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

fail() {
	echo "sframe create --tree: $1"
	exit 1
}

mkdir -p tree/below
for n in 1 2 3; do
	echo "int twice(int n) { return n * $n; } int main(void) { return twice($n); }" >prog.c
	"$@" -O2 -Wl,--build-id=sha1 prog.c -o "tree/below/prog$n" 2>/dev/null
done
"$cairn" sframe create --quiet tree/below/prog1 -o alone1 2>/dev/null && command -v readelf >/dev/null || {
	echo "sframe create --tree: skipped, no table can be made here, or there is no readelf"
	exit 77
}
cp tree/below/prog1 tree/again
ln -s below/prog2 tree/link
echo text >tree/text
echo 'int lonely;' | "$@" -x c -shared -nostdlib -Wl,--build-id=sha1 - -o tree/data 2>/dev/null

# stored N: the file of prog N in the store
stored() {
	id=$(readelf -n "tree/below/prog$1" 2>/dev/null | sed -n 's/.*Build ID: //p')
	echo "store/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).sframe"
}

"$cairn" sframe create --tree tree -j 2 --report -o store >report || fail "$(cat report)"
grep -q '3 made, 0 already there, . without call frame information, 0 failed' report || fail "$(cat report)"
bytes=0
for n in 1 2 3; do
	"$cairn" sframe create --quiet "tree/below/prog$n" -o alone && cmp -s alone "$(stored $n)" || fail "another table of prog$n"
	bytes=$((bytes + $("$cairn" sframe create --json "tree/below/prog$n" -o alone | sed 's/.*"bytes":\([0-9]*\).*/\1/')))
done
grep -q "^store: SFrame version 3, .* $bytes bytes" report || fail "the sum is not $bytes: $(cat report)"
grep -q '^  described  ' report || fail "no report: $(cat report)"
head -c 100 "$(stored 2)" >cut && cp cut "$(stored 2)" && rm "$(stored 3)"
"$cairn" sframe create --tree tree --json -o store >report || fail "$(cat report)"
[ "$(grep -c '"state":"made"' report)" -eq 2 ] && [ "$(grep -c '"state":"kept"' report)" -eq 1 ] || fail "again: $(cat report)"
"$cairn" sframe create --quiet tree/below/prog2 -o alone && cmp -s alone "$(stored 2)" || fail 'what was cut stays'
"$cairn" sframe create --tree tree --as rows --quiet -o rows >report && [ ! -s report ] || fail "rows: $(cat report)"
[ "$(find rows -name '*.rows' | wc -l)" -eq 3 ] || fail 'row tables'
mkdir empty
"$cairn" sframe create --tree empty -o store >report 2>message
[ $? -eq 1 ] && grep -q 'empty: no file in it has call frame information and a build ID' message || fail "an empty folder: $(cat message)"
