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

# The layers below folders, as docs/architecture.md names them.
below() {
	for top; do
		sed -n "s:^\\($top/[a-z_]*\\) .*:\\1:p" "$root/docs/architecture.md"
	done
}

fresh() {
	rm -rf "$tree/core" "$tree/plugin" "$tree/docs"
	mkdir -p "$tree/docs" "$tree/core/include"
	for dir in base model isa formats/elf formats/sframe os output net $(below engine debuginfo cli); do
		mkdir -p "$tree/core/$dir"
		: >"$tree/core/$dir/x.h"
	done
	for dir in $(below plugin/gdb); do
		mkdir -p "$tree/$dir"
		: >"$tree/$dir/x.h"
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
check core/engine/unwind/a.c '#include "formats/elf/x.h"' ''
check core/engine/unwind/a.c '#  include <cairn.h>' ''
check core/include/cairn.h '#include <cairn/base.h>' ''
check core/debuginfo/libdw/a.c '#include <elfutils/libdw.h>' ''
check core/debuginfo/libdw/a.c '#include <libelf.h>' ''
check core/cli/gsym/a.c '#include "debuginfo/elf/x.h"' ''
check plugin/gdb/a.c '#include <gdb/jit-reader.h>' ''
check plugin/gdb/a.c '#include <cairn.h>' ''
check core/cli/gsym/a.c 'printf("x"); exit(1);' ''
check core/engine/unwind/a.c '/* printf("x") */ snprintf(b, 1, "abort()");' ''
check core/engine/unwind/a.c '// #include "cli/front/x.h"' ''

# arrows one way
check core/base/a.c '#include "formats/elf/x.h"' 'base includes formats/elf/x.h'
check core/formats/elf/a.c '#include "engine/unwind/x.h"' 'formats includes engine/unwind/x.h'
check core/engine/unwind/a.h '#include "os/x.h"' 'engine/unwind includes os/x.h'
check core/engine/unwind/a.c '#include "output/x.h" /* y */' 'engine/unwind includes output/x.h'
check core/os/a.c '#include "formats/elf/x.h"' 'os includes formats/elf/x.h'
check core/output/a.c '	#  include "cli/front/x.h"' 'output includes cli/front/x.h'
check core/debuginfo/libdw/a.c '#include "engine/unwind/x.h"' 'debuginfo/libdw includes engine/unwind/x.h'
check core/include/cairn.h '#include <cairn.h>' 'include includes <cairn.h>'
check core/include/cairn.h '#include "base/x.h"' 'include includes base/x.h'
check core/include/cairn/base.h '#include "engine/unwind/x.h"' 'include includes engine/unwind/x.h'
check core/include/cairn/base.h '#include <libelf.h>' 'include includes <libelf.h>'
check core/engine/unwind/a.c '#include <cairn/base.h>' 'engine/unwind includes <cairn/base.h>, a part of <cairn.h>'
check plugin/gdb/a.c '#include <cairn/base.h>' 'plugin/gdb includes <cairn/base.h>, a part of <cairn.h>'

# one arrow that each layer below a folder may not have
while read -r layer other; do
	check "core/$layer/a.c" "#include \"$other/x.h\"" "$layer includes $other/x.h"
done <<'END'
model formats/elf
isa model
engine/target engine/modules
engine/names engine/symbols
engine/cfi engine/sframe
engine/sframe engine/modules
engine/backtraces engine/modules
engine/modules engine/unwind
engine/unwind engine/symbols
engine/symbfile_index engine/symbfile_writer
engine/function_sources engine/symbols
engine/gsym_writer engine/function_sources
engine/symbfile_writer engine/symbols
engine/symbols engine/elf_writer
engine/elf_writer engine/modules
engine/markup engine/symbols
engine/symbol_server engine/symbols
debuginfo/budget debuginfo/elf
debuginfo/elf debuginfo/dwarf
debuginfo/dwarf debuginfo/functions
debuginfo/functions debuginfo/program
debuginfo/libdw debuginfo/program
debuginfo/program debuginfo/lookup
debuginfo/lookup debuginfo/program
net engine/symbols
cli/front cli/source
cli/source cli/gsym
cli/cbf cli/gsym
cli/dwarf cli/gsym
cli/gsym cli/symbfile
cli/markup cli/source
cli/sframe cli/gsym
cli/symbfile cli/gsym
END
check core/debuginfo/dwarf/a.c '#include <libelf.h>' 'debuginfo/dwarf includes <libelf.h>'
check core/debuginfo/elf/a.c '#include <elfutils/libdw.h>' 'debuginfo/elf includes <elfutils/libdw.h>'
check core/engine/symbols/a.c '#include <libiberty/demangle.h>' \
	'engine/symbols includes <libiberty/demangle.h>'
check core/cli/source/a.c '#include "engine/symbols/x.h"' ''

# and inside a plugin
while read -r layer other; do
	check "plugin/gdb/$layer/a.c" "#include \"$other/x.h\"" "plugin/gdb/$layer includes $other/x.h"
done <<'END'
protocol session
symbols queries
unwinder protocol
session queries
queries loading
loading commands
END
check plugin/gdb/commands/a.c '#include "loading/x.h"' ''
check plugin/gdb/a.c '#include "commands/x.h"' ''
check plugin/gdb/a.c '#include "commands/y.h"' 'plugin/gdb includes commands/y.h'
check plugin/gdb/commands/a.c '#include <gdb/jit-reader.h>' \
	'plugin/gdb/commands includes <gdb/jit-reader.h>'

# formats stay apart
check core/formats/elf/a.c '#include "formats/sframe/x.h"' 'format elf uses format sframe'
check core/formats/elf/a.c '#include "../sframe/x.h"' '../sframe/x.h leaves its folder'

# libraries behind their door
check core/engine/unwind/a.c '#include <libelf.h>' 'engine/unwind includes <libelf.h>'
check core/cli/gsym/a.c '#include <gelf.h>' 'cli/gsym includes <gelf.h>'
check core/formats/elf/a.c '#include <dwarf.h>' 'formats includes <dwarf.h>'
check core/output/a.c '#include <elfutils/libdw.h>' 'output includes <elfutils/libdw.h>'
check core/engine/unwind/a.c '#include <gdb/jit-reader.h>' 'engine/unwind includes <gdb/jit-reader.h>'
check plugin/gdb/a.c '#include <libelf.h>' 'plugin/gdb includes <libelf.h>'

# plugins from outside
check plugin/gdb/a.c '#include "engine/unwind/x.h"' 'plugin/gdb includes engine/unwind/x.h'
check plugin/lldb/a.cpp '#include "base/x.h"' 'plugin includes base/x.h'
check plugin/gdb/a.c '#include "../../core/engine/x.h"' '../../core/engine/x.h leaves its folder'

# nothing includes tests
check core/cli/gsym/a.c '#include "tests/scan.h"' 'cli/gsym includes tests/scan.h'
check core/engine/unwind/a.c '#include "unit.h"' 'unit.h is not in this folder'

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
	for layer in base model isa engine/unwind; do
		check "core/$layer/a.c" "	x = 1; $call;" "$layer prints, or ends the process"
	done
	check core/formats/elf/a.c "	x = 1; $call;" 'formats prints, or ends the process'
done

exit $failed
