#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does opens.sh notice a source that opens something by its name, and does it let pass what is named?
#
#	opens_test.sh COMPILER...

here=$(cd "$(dirname "$0")" && pwd)
compiler=$*
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/core/os" "$tree/core/a" "$tree/plugin/a" "$tree/docs" "$tree/build"
if ! command -v nm >/dev/null; then
	echo "opens: nm is not there"
	exit 77
fi

# check FILE SOURCE EXPECTED [LINE]: what opens.sh finds in a file when the block has that line.
check() {
	rm -f "$tree"/core/*/*.c "$tree"/plugin/*/*.c
	printf '%s\n' "$2" >"$tree/$1"
	$compiler -D_GNU_SOURCE -O2 -fPIC -c "$tree/$1" -o "$tree/build/one.o" || exit 1
	printf '    "file": "../%s",\n    "output": "one.o"\n' "$1" >"$tree/build/compile_commands.json"
	printf '```opens\n%s\n```\n' "$4" >"$tree/docs/SECURITY.md"
	got=$("$here/opens.sh" "$tree/build" "$tree") && broken= || broken=yes
	if [ "$got" != "$3" ] || [ "$broken" != "${3:+yes}" ]; then
		echo "source:   $2"
		echo "expected: $3"
		echo "got:      $got"
		failed=1
	fi
}

unnamed='opens by name, and docs/SECURITY.md does not say why: '
one=core/a/one.c
opening='#include <fcntl.h>
int f(const char *p) { return open(p, O_RDONLY); }'
check $one 'int f(void) { return 1; }' ''
check $one "$opening" "$unnamed$one: open"
check core/os/file.c "$opening" ''
check plugin/a/one.c "$opening" "${unnamed}plugin/a/one.c: open"
check core/os/file.c "$opening" 'docs/SECURITY.md: need not be named: core/os/file.c' 'core/os/file.c for a reason'
check $one "$opening" '' "$one what the user names"
check $one "$opening" "docs/SECURITY.md: no reason: $one" "$one"
check $one "#define _FILE_OFFSET_BITS 64
$opening" "$unnamed$one: open64"
check $one '#include <stdio.h>
void *f(const char *p) { return fopen(p, "r"); }' "$unnamed$one: fopen"
check $one '#include <dirent.h>
void *f(const char *p) { return opendir(p); }' "$unnamed$one: opendir"
check $one '#include <unistd.h>
#include <sys/syscall.h>
long f(const char *p) { return syscall(SYS_openat2, -100, p, 0, 0); }' "$unnamed$one: syscall"
check $one 'void *dwarf_begin_elf(void *, int, void *); void *f(void *e) { return dwarf_begin_elf(e, 0, 0); }' \
	"$unnamed$one: dwarf_begin_elf"
check $one 'int f(void) { return 1; }' "docs/SECURITY.md: opens nothing: $one" "$one what the user names"
check $one 'int f(void) { return 1; }' 'docs/SECURITY.md: there is no core/a/two.c' 'core/a/two.c what the user names'

exit $failed
