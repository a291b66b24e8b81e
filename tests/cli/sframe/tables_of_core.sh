#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn sframe create --core: tables_of_core.sh CAIRN CC... A core of a program without call frame information; the complete build is
# known by its build ID alone. The store that is made of both gives cairn bt the frames, has tables of libraries, too, and is not made
# again; what has no file is named.
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
XDG_CACHE_HOME=$work/cache HOME=$work
export XDG_CACHE_HOME HOME

fail() {
	echo "sframe create --core: $1"
	exit 1
}

for tool in gdb objcopy readelf "$1"; do
	command -v "$tool" >/dev/null || {
		echo "sframe create --core: skipped, no $tool on this machine"
		exit 77
	}
done
cat >prog.c <<'C'
#include <stdlib.h>
int __attribute__((noinline)) deeper(volatile int *n)
{
	if (*n > 5)
		abort();
	++*n;
	return deeper(n) + *n;
}
int main(void)
{
	volatile int n = 0;
	return deeper(&n);
}
C
"$@" -O2 -fomit-frame-pointer -Wl,--build-id=sha1 prog.c -o whole 2>/dev/null &&
	objcopy -S --remove-section .eh_frame --remove-section .eh_frame_hdr whole prog || fail 'no program'
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
timeout 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex run -ex 'generate-core-file core' ./prog </dev/null >said 2>&1
[ -s core ] || {
	echo "sframe create --core: skipped, GDB writes no core: $(tail -n 1 said)"
	exit 77
}

# without the complete build
"$cairn" sframe create --core core -o none >said 2>&1
[ $? -eq 1 ] && grep -q "prog: no file with build ID $id contains call frame information; use --directory to specify a directory that contains .build-id" said ||
	fail "without the file: $(cat said)"
"$cairn" bt --quiet --explain core prog >before 2>/dev/null
! grep -q 'its caller by sframe' before || fail "there is a table: $(cat before)"

place=$(echo "$id" | sed 's/^../&\//')
mkdir -p "files/.build-id/$(dirname "$place")"
cp whole "files/.build-id/$place"
"$cairn" sframe create --core core --directory files -o store >said 2>&1 || fail "$(cat said)"
table=store/.build-id/$place.sframe
[ -s "$table" ] || fail "no table of the program: $(cat said)"
"$cairn" sframe verify "$table" --against whole >found || fail "another table: $(cat found)"
[ "$(find store -name '*.sframe' | wc -l)" -ge 2 ] || fail "no table of a library: $(cat said)"
"$cairn" bt --quiet --explain --directory store core prog >after 2>/dev/null
[ "$(grep -c 'its caller by sframe' after)" -ge 7 ] || fail "the table is not used: $(cat after)"
"$cairn" sframe create --core core --directory files -o store >said 2>&1 && [ ! -s said ] || fail "made again: $(cat said)"
"$@" -O2 -static -Wl,--build-id=none prog.c -o alone 2>/dev/null || fail 'no static program'
timeout 100 gdb -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex run -ex 'generate-core-file alone.core' ./alone </dev/null >said 2>&1
"$cairn" sframe create --core alone.core -o store >said 2>&1
[ $? -eq 1 ] && grep -q 'no module has both a file and a build ID' said || fail "a core without modules: $(cat said)"
echo text >text
"$cairn" sframe create --core text -o store >said 2>&1
[ $? -eq 3 ] || fail "a text is a core: $(cat said)"
exit 0
