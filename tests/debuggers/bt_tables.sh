#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt by .eh_frame of forms that linkers do not write: a header without a search table, or with one of another form,
# leads to the same stack; addresses of a form that is not read are refused in words.
set -eu
export LC_ALL=C
: "${CAIRN?path of cairn}" "${GDB:=gdb}" "${CC_TARGET:=cc}"

skip() {
	echo "skipped: $1"
	exit 77
}

for tool in "$GDB" "$CC_TARGET" readelf; do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-tables.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
failed=0

cat >"$tmp/deep.c" <<'EOF'
#include <stdlib.h>

volatile int sink;

__attribute__((noinline, noclone)) int last(int x)
{
	sink += x;
	if (sink)
		*(volatile char *)0 = 1;
	return sink + x;
}

__attribute__((noinline, noclone)) int middle(int x)
{
	return last(x + 1) + sink;
}

int main(int argc, char **argv)
{
	(void)argv;
	return middle(argc) + sink;
}
EOF
"$CC_TARGET" -g -O1 -fomit-frame-pointer -no-pie -Wl,--build-id "$tmp/deep.c" -o "$tmp/as-linked"

# place SECTION: where it is in the file
place() {
	readelf -SW "$tmp/as-linked" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$1" '$1 == name { print $4 }'
}

# change NAME AT BYTES...: a program that differs there
change() {
	name=$1 at=$2
	shift 2
	cp "$tmp/as-linked" "$tmp/$name"
	for byte; do
		printf "\\$(printf %o "$byte")" | dd of="$tmp/$name" bs=1 seek="$at" conv=notrunc 2>/dev/null
		at=$((at + 1))
	done
}

header=$((0x$(place .eh_frame_hdr)))
frames=$((0x$(place .eh_frame)))
[ "$(od -An -tx1 -j $((frames + 9)) -N 3 "$tmp/as-linked" | tr -d ' \n')" = 7a5200 ] || skip 'the first CIE has other letters'

# What the core does not hold, and no core holds these tables, is read from the program that is given: one by its build ID.
"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex run -ex "generate-core-file $tmp/core" "$tmp/as-linked" \
	>"$tmp/said" 2>&1 </dev/null || :
[ -s "$tmp/core" ] || { cat "$tmp/said"; exit 1; }

# show NAME: the stack, without addresses and the program's name
show() {
	"$CAIRN" bt --quiet "$tmp/core" "$tmp/$1" 2>&1 |
		sed -n -e "s, from $tmp/.*, from PROGRAM," -e 's/^\(#[0-9]*  *\)0x[0-9a-f]* /\1/' -e '/^#/p' -e '/^Backtrace/p'
}

show as-linked >"$tmp/expected"
[ "$(grep -cE ' (last|middle|main) ' "$tmp/expected")" = 3 ] || { cat "$tmp/expected"; exit 1; }
change no-table $((header + 2)) 0xff 0xff
change table-of-words $((header + 3)) 0x00
change table-of-8-bytes $((header + 3)) 0x3c
for name in no-table table-of-words table-of-8-bytes; do
	show $name >"$tmp/shown"
	diff "$tmp/expected" "$tmp/shown" || { echo "$name: another stack"; failed=1; }
done

# refuse NAME ENCODING REASON: of the first CIE, which is that of the program's start
refuse() {
	change "$1" $((frames + 16)) "$2"
	show "$1" >"$tmp/shown"
	grep -qx "Backtrace stopped: the table cannot be interpreted here ($3, offset 0x[0-9a-f]*)" "$tmp/shown" ||
		{ echo "$1: not refused"; cat "$tmp/shown"; failed=1; }
}

refuse data 0x3b 'an address relative to the start of the data'
refuse indirect 0x9b 'an indirect address'
[ $failed = 0 ] && echo 'tables read'
exit $failed
