#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does layers.sh notice each kind of violation, with file and line?
#
#	layers_test.sh ROOT

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0

fresh() {
	rm -rf "$tree/core" "$tree/plugin" "$tree/docs"
	mkdir -p "$tree/docs" "$tree/plugin/gdb" "$tree/core/include"
	for dir in base formats/elf formats/sframe engine os debuginfo output cli; do
		mkdir -p "$tree/core/$dir"
		: >"$tree/core/$dir/x.h"
	done
	cp "$root/docs/architecture.md" "$tree/docs/"
	: >"$tree/core/include/cairn.h"
}

# check FILE TEXT EXPECTED: the text as line 2 of the file; the complaint, or nothing.
check() {
	fresh
	mkdir -p "$tree/$(dirname "$1")"
	printf '/* %s */\n%s\n' 'a comment' "$2" >"$tree/$1"
	got=$("$here/layers.sh" "$tree") && broken= || broken=yes
	want=${3:+$1:2: $3}
	if [ "$got" != "$want" ] || [ "$broken" != "${3:+yes}" ]; then
		echo "$1: $2"
		echo "  expected: $want"
		echo "  got:      $got"
		failed=1
	fi
}

# what is allowed
check core/formats/elf/a.c '#include "base/x.h"' ''
check core/formats/elf/a.c '#include "x.h"' ''
check core/formats/elf/a.c '#include "formats/elf/x.h"' ''
check core/engine/a.c '#include "formats/elf/x.h"' ''
check core/engine/a.c '#  include <cairn.h>' ''
check core/include/cairn.h '#include <cairn/base.h>' ''
check core/debuginfo/a.c '#include <elfutils/libdw.h>' ''
check core/debuginfo/a.c '#include <libelf.h>' ''
check core/cli/a.c '#include "debuginfo/x.h"' ''
check plugin/gdb/a.c '#include <gdb/jit-reader.h>' ''
check plugin/gdb/a.c '#include <cairn.h>' ''
check core/cli/a.c 'printf("x"); exit(1);' ''
check core/engine/a.c '/* printf("x") */ snprintf(b, 1, "abort()");' ''
check core/engine/a.c '// #include "cli/x.h"' ''

# arrows one way
check core/base/a.c '#include "formats/elf/x.h"' 'base includes formats/elf/x.h'
check core/formats/elf/a.c '#include "engine/x.h"' 'formats includes engine/x.h'
check core/engine/a.h '#include "os/x.h"' 'engine includes os/x.h'
check core/engine/a.c '#include "output/x.h" /* y */' 'engine includes output/x.h'
check core/os/a.c '#include "formats/elf/x.h"' 'os includes formats/elf/x.h'
check core/output/a.c '	#  include "cli/x.h"' 'output includes cli/x.h'
check core/debuginfo/a.c '#include "engine/x.h"' 'debuginfo includes engine/x.h'
check core/include/cairn.h '#include <cairn.h>' 'include includes <cairn.h>'
check core/include/cairn.h '#include "base/x.h"' 'include includes base/x.h'
check core/include/cairn/base.h '#include "engine/x.h"' 'include includes engine/x.h'
check core/include/cairn/base.h '#include <libelf.h>' 'include includes <libelf.h>'
check core/engine/a.c '#include <cairn/base.h>' 'engine includes <cairn/base.h>, a part of <cairn.h>'
check plugin/gdb/a.c '#include <cairn/base.h>' 'plugin includes <cairn/base.h>, a part of <cairn.h>'

# formats stay apart
check core/formats/elf/a.c '#include "formats/sframe/x.h"' 'format elf uses format sframe'
check core/formats/elf/a.c '#include "../sframe/x.h"' '../sframe/x.h leaves its folder'

# libraries behind their door
check core/engine/a.c '#include <libelf.h>' 'engine includes <libelf.h>'
check core/cli/a.c '#include <gelf.h>' 'cli includes <gelf.h>'
check core/formats/elf/a.c '#include <dwarf.h>' 'formats includes <dwarf.h>'
check core/output/a.c '#include <elfutils/libdw.h>' 'output includes <elfutils/libdw.h>'
check core/engine/a.c '#include <gdb/jit-reader.h>' 'engine includes <gdb/jit-reader.h>'
check plugin/gdb/a.c '#include <libelf.h>' 'plugin includes <libelf.h>'

# plugins from outside
check plugin/gdb/a.c '#include "engine/x.h"' 'plugin includes engine/x.h'
check plugin/lldb/a.cpp '#include "base/x.h"' 'plugin includes base/x.h'
check plugin/gdb/a.c '#include "../../core/engine/x.h"' '../../core/engine/x.h leaves its folder'

# nothing includes tests
check core/cli/a.c '#include "tests/scan.h"' 'cli includes tests/scan.h'
check core/engine/a.c '#include "unit.h"' 'unit.h is not in this folder'

# folders without a line
fresh
mkdir "$tree/core/util"
: >"$tree/core/util/a.c"
echo >"$tree/core/util/a.c"
[ "$("$here/layers.sh" "$tree")" = \
	'core/util/a.c:1: a folder that docs/architecture.md does not name' ] || {
	echo 'not noticed: a new folder'
	failed=1
}

# neither print nor end the process
for call in 'printf("x")' 'fprintf(f, "x")' 'vfprintf(f, "x", a)' 'puts("x")' 'fputs("x", f)' \
	'fwrite(p, 1, 1, f)' 'putchar(1)' 'perror("x")' 'abort()' 'exit (1)' '_exit(1)'; do
	for layer in base formats/elf engine; do
		check "core/$layer/a.c" "	x = 1; $call;" "${layer%/*} prints, or ends the process"
	done
done

exit $failed
