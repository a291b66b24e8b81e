#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds cairn and shows its main job on a stripped program that crashes: frames where GDB has none, names and lines
# from a file of a few hundred bytes, and the same from the core without a debugger.  demo.sh --help
set -eu
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
	[ "$1" = --help ] || [ "$1" = -h ] || exec >&2
	cat <<'END'
usage: scripts/demo.sh

Installs the Debian packages that are missing (with apt-get, as root or by sudo), builds cairn into build/, and shows
what it does with a program that crashes. Nothing else is left outside this folder. To undo it: remove the folder, and
the packages that it names with `apt-get autoremove NAME...`.
END
	[ "$1" = --help ] || [ "$1" = -h ] || exit 2
	exit 0
fi
scripts/setup.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
top=$PWD
cairn=$top/build/core/cli/cairn
cp docs/examples/shop.c "$work"
cd "$work"
cc -O2 -g -Wa,--gsframe shop.c -o shop
"$cairn" gsym create --quiet shop
objcopy --strip-all --remove-section .eh_frame --remove-section .eh_frame_hdr shop

# debug COUNT OPTION...: the innermost frames of the crash in GDB, at most COUNT; those that lie in no code are marked
debug() {
	count=$1
	shift
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set width 0' "$@" ./shop </dev/null 2>&1 |
		grep '^#' | head -n "$count" | sed -e "s|$work/||g" -e '/ 0x[0-9a-f]* in ??/{
			/ 0x0000\(5555\|7f\|aaaa\|ffff\)/!s/$/      <- no code, but what lay on the stack/
		}'
}

echo "shop has crashed. It is stripped: no names, no .eh_frame, only .sframe."
echo "GDB alone:"
debug 4 -ex run -ex bt
echo
echo "GDB with cairn:"
debug 3 -ex "jit-reader-load $top/build/plugin/gdb/cairn-gdb.so" -ex run \
	-ex "generate-core-file $work/core" -ex bt
echo
echo "GDB with cairn and shop.gsym, a file of $(($(wc -c <shop.gsym))) bytes:"
debug 4 -ex "source $top/build/scripts/cairn.gdb" -ex run -ex 'cairn symbols load' -ex bt
echo
echo "The core file without a debugger, by 'cairn bt core':"
"$cairn" bt --quiet core | grep '^#' | head -n 4 | sed "s|$work/||g"
echo
echo "Next: 'build/core/cli/cairn setup --write gdb' makes GDB load it; docs/tour.md takes five minutes."
