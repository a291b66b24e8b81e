#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does layers.sh notice each kind of violation, with file and line?
#
#	layers_test.sh ROOT

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd)
trees=$(mktemp -d) || exit 1
trap 'rm -rf "$trees"' EXIT
failed=0

# The layers below directories, as docs/architecture.md names them.
below() {
	for top; do
		sed -n "s:^\\($top/[a-z0-9_/]*\\) .*:\\1:p" "$root/docs/architecture.md"
	done
}

# plant TREE: its directories, each with a header.
plant() {
	mkdir -p "$1/docs" "$1/plugin/lldb" "$1/core/include/cairn"
	for dir in base isa formats/elf formats/sframe os traces markup output unpack symbols debuginfo $(below base jit_producer os unwind symbols process writers server debuginfo cli); do
		mkdir -p "$1/core/$dir"
		: >"$1/core/$dir/x.h"
	done
	for dir in $(below plugin/gdb plugin/common); do
		mkdir -p "$1/$dir"
		: >"$1/$dir/x.h"
	done
	cp "$root/docs/architecture.md" "$1/docs/"
}

# check FILE TEXT EXPECTED: the text as line 2 of a file of its own in the directory of FILE; the
# complaint, or nothing.  All files of a tree are checked at the end by one call of layers.sh.
number=0
check() {
	number=$((number + 1))
	file=${1%.*}$number.${1##*.}
	tree=$trees/good
	if [ -n "$3" ]; then
		tree=$trees/bad
		echo "$file:2: $3" >>"$trees/expected"
	fi
	printf '/* %s */\n%s\n' 'a comment' "$2" >"$tree/$file"
}

plant "$trees/good"
plant "$trees/bad"

# what is allowed
check core/formats/elf/a.c '#include "base/x.h"' ''
check core/formats/elf/a.c '#include "x.h"' ''
check core/formats/elf/a.c '#include "formats/elf/x.h"' ''
check core/unwind/step/a.c '#include "formats/elf/x.h"' ''
check core/writers/frames/a.c '#include "unwind/step/x.h"' ''
check core/writers/elf/a.c '#include "writers/frames/x.h"' ''
check core/unwind/step/a.c '#  include <cairn.h>' ''
check core/include/cairn.h '#include <cairn/base.h>' ''
check core/debuginfo/a.c '#include <elfutils/libdw.h>' ''
check core/debuginfo/a.c '#include <libelf.h>' ''
check core/cli/gsym/a.c '#include "debuginfo/x.h"' ''
check plugin/gdb/a.c '#include <gdb/jit-reader.h>' ''
check plugin/gdb/a.c '#include <cairn.h>' ''
check core/cli/gsym/a.c 'printf("x"); exit(1);' ''
check core/unwind/step/a.c '/* printf("x") */ snprintf(b, 1, "abort()");' ''
check core/unwind/step/a.c '// #include "cli/front/x.h"' ''
check core/unpack/a.c '#include <lz4frame.h>' ''
check core/debuginfo/a.c '#include "unpack/x.h"' ''

# arrows one way
check core/base/a.c '#include "formats/elf/x.h"' 'base includes formats/elf/x.h'
check core/formats/elf/a.c '#include "unwind/step/x.h"' 'formats includes unwind/step/x.h'
check core/unwind/step/a.h '#include "os/x.h"' 'unwind/step includes os/x.h'
check core/unwind/step/a.c '#include "output/x.h" /* y */' 'unwind/step includes output/x.h'
check core/writers/frames/a.c '#include "writers/elf/x.h"' 'writers/frames includes writers/elf/x.h'
check core/writers/elf/a.c '#include "unwind/step/x.h"' 'writers/elf includes unwind/step/x.h'
check core/os/a.c '#include "unwind/step/x.h"' 'os includes unwind/step/x.h'
check core/process/stacks/a.c '#include "output/x.h"' 'process/stacks includes output/x.h'
check core/output/a.c '	#  include "cli/front/x.h"' 'output includes cli/front/x.h'
check core/debuginfo/a.c '#include "unwind/step/x.h"' 'debuginfo includes unwind/step/x.h'
check core/include/cairn.h '#include <cairn.h>' 'include includes <cairn.h>'
check core/include/cairn.h '#include "base/x.h"' 'include includes base/x.h'
check core/include/cairn/base.h '#include "unwind/step/x.h"' 'include includes unwind/step/x.h'
check core/include/cairn/base.h '#include <libelf.h>' 'include includes <libelf.h>'
check core/unwind/step/a.c '#include <cairn/base.h>' 'unwind/step includes <cairn/base.h>, a part of <cairn.h>'
check plugin/gdb/a.c '#include <cairn/base.h>' 'plugin/gdb includes <cairn/base.h>, a part of <cairn.h>'
check core/unwind/step/a.c '#include <cairn/dwarf.h>' 'unwind/step includes <cairn/dwarf.h>'
check core/debuginfo/a.c '#include <cairn/dwarf.h>' ''

# one arrow that each layer below a directory may not have
while read -r layer other; do
	check "core/$layer/a.c" "#include \"$other/x.h\"" "$layer includes $other/x.h"
done <<'END'
process/snapshot os
process/stacks debuginfo
symbols writers/elf
symbols debuginfo
writers/symbfile writers/gsym
os locate
base formats/elf
isa formats
traces unwind/tables
unwind/tables unwind/step
unwind/step symbols
writers/gsym writers/elf
writers/frames writers/gsym
writers/elf unwind/tables
markup symbols
server/net symbols
debuginfo writers/gsym
cli/cbf cli/gsym
cli/gsym cli/symbfile
cli/markup debuginfo
cli/sframe cli/gsym
cli/symbfile cli/gsym
END
check core/debuginfo/a.c '#include <lz4frame.h>' 'debuginfo includes <lz4frame.h>'
check core/unpack/a.c '#include "os/x.h"' 'unpack includes os/x.h'
check core/symbols/a.c '#include <libelf.h>' \
	'symbols includes <libelf.h>'
check core/debuginfo/a.c '#include "symbols/x.h"' ''

# and inside a plugin
while read -r layer other; do
	check "plugin/gdb/$layer/a.c" "#include \"$other/x.h\"" "plugin/gdb/$layer includes $other/x.h"
done <<'END'
protocol unwinder
protocol queries
unwinder protocol
unwinder queries
END
check plugin/gdb/a.c '#include "protocol/x.h"' ''
check plugin/gdb/queries/a.c '#include "common/base/x.h"' ''
check plugin/gdb/unwinder/a.c '#include "common/base/x.h"' 'plugin/gdb/unwinder includes common/base/x.h'
check plugin/lldb/a.cpp '#include "common/session/x.h"' ''
check plugin/common/base/a.c '#include "common/session/x.h"' \
	'plugin/common/base includes common/session/x.h'
check plugin/common/session/a.c '#include "common/commands/x.h"' \
	'plugin/common/session includes common/commands/x.h'
check plugin/gdb/queries/a.c '#include "common/commands/x.h"' \
	'plugin/gdb/queries includes common/commands/x.h'
check plugin/common/session/a.c '#include "gdb/protocol/x.h"' \
	'plugin/common/session includes gdb/protocol/x.h'
check plugin/gdb/a.c '#include "queries/x.h"' ''
check plugin/gdb/a.c '#include "queries/y.h"' 'plugin/gdb includes queries/y.h'
check plugin/gdb/queries/a.c '#include <gdb/jit-reader.h>' \
	'plugin/gdb/queries includes <gdb/jit-reader.h>'

# formats stay apart
check core/formats/elf/a.c '#include "formats/sframe/x.h"' 'format elf uses format sframe'
check core/formats/cbf.c '#include "formats/pprof.h"' "format cbf$((number + 1)) uses format pprof"
check core/formats/elf/a.c '#include "../sframe/x.h"' '../sframe/x.h leaves its folder'

# libraries behind their door
check core/unwind/step/a.c '#include <libelf.h>' 'unwind/step includes <libelf.h>'
check core/cli/crash/a.c '#include "debuginfo/x.h"' 'cli/crash includes debuginfo/x.h'
check core/cli/crash/a.c '#include <curl/curl.h>' 'cli/crash includes <curl/curl.h>'
check core/cli/bt/a.c '#include "cli/crash/x.h"' 'cli/bt includes cli/crash/x.h'
check core/cli/gsym/a.c '#include <gelf.h>' 'cli/gsym includes <gelf.h>'
check core/formats/elf/a.c '#include <dwarf.h>' 'formats includes <dwarf.h>'
check core/output/a.c '#include <elfutils/libdw.h>' 'output includes <elfutils/libdw.h>'
check core/unwind/step/a.c '#include <gdb/jit-reader.h>' 'unwind/step includes <gdb/jit-reader.h>'
check plugin/gdb/a.c '#include <libelf.h>' 'plugin/gdb includes <libelf.h>'

# plugins from outside
check plugin/gdb/a.c '#include "unwind/step/x.h"' 'plugin/gdb includes unwind/step/x.h'
check plugin/lldb/a.cpp '#include "base/x.h"' 'plugin/lldb includes base/x.h'
check plugin/gdb/a.c '#include "../../core/unwind/x.h"' '../../core/unwind/x.h leaves its folder'

# nothing includes tests
check core/cli/gsym/a.c '#include "tests/lib/scan.h"' 'cli/gsym includes tests/lib/scan.h'
check core/unwind/step/a.c '#include "unit.h"' 'unit.h is not in this folder'

# directories without a line
mkdir "$trees/bad/core/util"
echo >"$trees/bad/core/util/a.c"
echo 'core/util/a.c:1: a folder that docs/architecture.md does not name' >>"$trees/expected"

# neither print nor end the process
for call in 'printf("x")' 'fprintf(f, "x")' 'vfprintf(f, "x", a)' 'puts("x")' 'fputs("x", f)' \
	'fwrite(p, 1, 1, f)' 'putchar(1)' 'perror("x")' 'abort()' 'exit (1)' '_exit(1)'; do
	for layer in base isa traces markup unwind/step symbols process/snapshot writers/elf server/protocol; do
		check "core/$layer/a.c" "	x = 1; $call;" "$layer prints, or ends the process"
	done
	check core/formats/elf/a.c "	x = 1; $call;" 'formats prints, or ends the process'
done

if "$here/layers.sh" "$trees/bad" >"$trees/got"; then
	echo 'violations, and layers.sh succeeds'
	failed=1
fi
for list in expected got; do
	LC_ALL=C sort "$trees/$list" >"$trees/$list.sorted"
done
diff "$trees/expected.sorted" "$trees/got.sorted" || {
	echo 'expected (<) and got (>) differ'
	failed=1
}
"$here/layers.sh" "$trees/good" || {
	echo 'what is allowed was reported'
	failed=1
}
echo "$number files checked"
exit $failed
