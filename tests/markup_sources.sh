#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where does `cairn markup` find the names of a log?  markup_sources.sh CAIRN COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/sources.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset DEBUGINFOD_URLS
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
fixtures=$(cd "$(dirname "$0")/fixtures/markup" && pwd) || exit 2
cd "$work" || exit 2
for tool in objcopy nm; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
# folders for build IDs that end in a given byte
id=ca1f0123456789
"$@" -g -O2 -fPIC -shared -nostdlib -Wl,--build-id=0x${id}ee "$fixtures/larder.c" -o larder || exit 77
objcopy -g --strip-unneeded larder stripped
mkdir -p tree/.build-id/ca plain/.build-id/ca wrong/.build-id/ca symbols fetched empty
objcopy --only-keep-debug larder "tree/.build-id/ca/${id#ca}ee.debug"
cp larder "plain/.build-id/ca/${id#ca}ee"
cp "$fixtures/debug/.build-id/ca/${id#ca}ab.debug" "wrong/.build-id/ca/${id#ca}ee.debug"
"$cairn" symbfile create --quiet -o "symbols/${id}ee" larder || exit 1
fileid=$("$cairn" symbfile id stripped | cut -d ' ' -f 1)
cp "symbols/${id}ee.ranges" "fetched/$fileid.symbfile"

va=$(nm larder | awk '$3 == "cook" { print $1 }')
cat >log <<END
{{{module:0:$work/stripped:elf:${id}ee}}}
{{{mmap:0x7f0000000000:0x10000:load:0:rx:0x0}}}
{{{bt:0:0x7f0000$(echo "$va" | sed 's/^.*\(......\)$/\1/'):pc}}}
END

failed=0
# $1: what must be found; the others: options
check() {
	want=$1
	shift
	"$cairn" markup "$@" log >out 2>err
	grep -q "$want" out && return
	echo "not '$want' with $*:"
	cat out err
	failed=1
}
source='#0  .* cook .*larder\.c:[0-9]*:[1-9][0-9]* (.*stripped+0x'
no_column='#0  .* cook .*larder\.c:[0-9]*:0 (.*stripped+0x'
table='#0  .* cook <invalid>:0:0 (.*stripped+0x'
nothing='#0  *0x[0-9a-f]* (.*stripped+0x'

check "$nothing" --debug-file-directory=empty
check "$source" --debug-file-directory=tree
check "$source" --debug-file-directory=empty:plain
check "$source" --debug-file-directory=empty --exe=larder
check "$nothing" --debug-file-directory=wrong
grep -q "'$work/stripped' (build ID ${id}ee): the file that was found belongs to another build" err ||
	{ echo 'another build is not told:'; cat err; failed=1; }
check '#0 .* (.*stripped+0x' --compat=llvm --debug-file-directory=wrong

# a program that was stripped does no harm, and is better than nothing
check "$source" --debug-file-directory=tree --exe=stripped
check "$table" --debug-file-directory=empty --exe=stripped
check "$table" --debug-file-directory=empty --module-paths
check "$source" --debug-file-directory=tree --module-paths

# symbfiles, by the build and by the FileID of the program at hand
check "$no_column" --debug-file-directory=empty --gsym-directory=symbols
check "$nothing" --debug-file-directory=empty --gsym-directory=fetched
check "$no_column" --debug-file-directory=empty --gsym-directory=fetched --exe=stripped
check "$no_column" --debug-file-directory=empty --gsym-directory=fetched --module-paths
mkdir -p cache/cairn
cp "fetched/$fileid.symbfile" cache/cairn
check "$no_column" --debug-file-directory=empty --exe=stripped
rm -r cache

# what `cairn where` has made, which is asked last
"$cairn" where larder 0x1000 >/dev/null 2>&1
check "$no_column" --debug-file-directory=empty
check "$source" --debug-file-directory=tree

# Breakpad's addresses count from the first byte, which is at 0 in a library but not in all programs
for relative in 0x1000 0x401000; do
	cat >log <<END
{{{module:0:stripped:elf:${id}ab}}}
{{{mmap:0x7f0000001000:0x1000:load:0:rx:$relative}}}
{{{bt:0:0x7f0000001064:ra}}}
END
	want='#0  .* cook .*larder\.c:33:0 (stripped+0x1063)'
	[ $relative = 0x1000 ] || want='#0  *0x00007f0000001063 (stripped+0x401063)'
	check "$want" --debug-file-directory=empty --gsym-directory="$fixtures/breakpad"
done

cat >log <<END
{{{module:0:stripped:elf:${id}ab}}}
{{{mmap:0x7f0000001000:0x1000:load:0:rx:0x401000}}}
{{{mmap:0x7f0000000000:0x1000:load:0:r:0x400000}}}
{{{bt:0:0x7f0000001064:ra}}}
END
check '#0  .* cook .*larder\.c:33:0 (stripped+0x401063)' --debug-file-directory=empty \
	--gsym-directory="$fixtures/breakpad"

# a unit that takes more memory than is kept at first is not read again for each few questions: that
# took 9 s of processor time, and 0.2 s when it is kept
{
	printf '.text\n.globl larder\n.type larder,@function\nlarder:\n'
	yes nop | head -500000
	printf '.size larder,.-larder\n'
} >many.s
if "$@" -g -shared -nostdlib -Wl,--build-id=0x${id}cc many.s -o many; then
	mkdir -p many.tree/.build-id/ca
	mv many "many.tree/.build-id/ca/${id#ca}cc.debug"
	awk -v id=${id}cc 'BEGIN { printf "{{{module:0:many:elf:%s}}}\n", id
		print "{{{mmap:0x100000000:0x100000:load:0:rx:0}}}"
		for (i = 0; i < 4096; i++) printf "{{{bt:0:0x1%08x:pc}}}\n", 8192 + i * 100 }' >log
	(
		ulimit -t 4
		exec "$cairn" markup --debug-file-directory=many.tree log
	) >out 2>err
	[ "$(grep -c 'many\.s:[1-9]' out)" = 4096 ] || {
		echo "one large unit: $(grep -c 'many\.s:[1-9]' out) lines of 4096 came out: $(tail -1 err)"
		failed=1
	}
fi
exit $failed
