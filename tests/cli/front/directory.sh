#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `--directory` names directories of symbols of any kind in all verbs: a stripped program has its debug file in one of
# them, its library a GSYM file in the other.  The names that the option had work, too, and no help shows them.
# directory.sh CAIRN COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
unset DEBUGINFOD_URLS
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
cd "$work" || exit 2
command -v objcopy >/dev/null || skip 'no objcopy'

cat >inner.c <<'END'
#include <unistd.h>
int inner(void)
{
	write(1, "ready\n", 6);
	return pause() + 1;
}
END
cat >outer.c <<'END'
int inner(void);
static __attribute__((noinline)) int outer(void)
{
	return inner() + 1;
}
int main(void)
{
	return outer() + 1;
}
END
mkdir -p debug symbols/.build-id/ca debug/.build-id/ca
"$@" -g -O1 -fPIC -shared -Wl,--build-id=0xca11 inner.c -o libinner.so &&
	"$@" -g -O1 -Wl,--build-id=0xca22 outer.c -o program -L. -linner -Wl,-rpath,"$work" || exit 77
"$cairn" gsym create --quiet -o symbols/.build-id/ca/11.gsym libinner.so || exit 1
objcopy --only-keep-debug program debug/.build-id/ca/22.debug
va=$(nm program | awk '$3 == "main" { print $1 }')
strip program libinner.so

mkfifo ready
./program >ready &
pid=$!
undo() { kill $pid 2>/dev/null; }
trap 'undo; rm -rf "$work"' EXIT
read -r word <ready || exit 1
"$cairn" minidump --quiet --pid $pid -o dump || exit 1
cat >log <<END
{{{module:0:program:elf:ca22}}}
{{{mmap:0x7f0000000000:0x10000:load:0:rx:0x0}}}
{{{bt:0:0x7f0000$(echo "$va" | sed 's/^.*\(......\)$/\1/'):pc}}}
END

# $1: the expressions of which each must match a line, separated by blanks; the others: a command
check() {
	want=$1
	shift
	"$cairn" "$@" >out 2>err
	for one in $want; do
		grep -Eq "$one" out && continue
		echo "not '$one' with: cairn $*"
		cat out err
		failed=1
	done
}

debug=$work/debug symbols=$work/symbols
# what it waits in is pause(), or still write()
both='outer.*outer\.c:4 inner.*inner\.c:[45]'
for input in "--pid $pid" dump; do
	check "$both" bt --directory "$debug" --directory "$symbols" $input
	check "$both" bt --directory="$symbols:$debug" $input
	check "$both" bt --debug-file-directory "$debug" --directory "$symbols" $input
	check 'outer.*outer\.c:4' bt --directory "$debug" $input
	grep -q 'inner\.c' out && { echo "lines of the library came from nowhere:"; cat out; failed=1; }
done
check 'main.*outer\.c:7:' markup --directory "$debug" log
check 'main.*outer\.c:7:' markup --directory "$symbols" --directory "$debug" log
check 'main.*outer\.c:7:' markup --debug-file-directory "$debug" --gsym-directory "$symbols" log
check 'outer\.c:7' where --directory "$debug" program "0x$va"
check 'inner\.c' gsym lookup --directory "$work/no" --directory "$symbols" libinner.so inner

for verb in bt markup open minidump crash where 'cbf decode' 'profile convert'; do
	"$cairn" $verb --help >out
	grep -q -e '--directory DIR' out && ! grep -Eq -e '--(debug-file|gsym)-directory' out && continue
	echo "the help of '$verb' has another name:"
	grep directory out
	failed=1
done
exit $failed
