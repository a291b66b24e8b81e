#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where does `cairn markup` find the names of a log?  sources.sh CAIRN COMPILER...
set -u
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
. "$(dirname "$0")/../../lib/test.sh"
unset DEBUGINFOD_URLS
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
fixtures=$(cd "$(dirname "$0")/../../fixtures/markup" && pwd) || exit 2
cd "$work" || exit 2
for tool in objcopy nm; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
# directories for build IDs that end in a given byte
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
grep -q "'$work/stripped' (build ID ${id}ee): a file from another build was found" err ||
	{ echo 'another build is not told:'; cat err; failed=1; }
check '#0 .* (.*stripped+0x' --compat=llvm --debug-file-directory=wrong

# a program that was stripped does no harm, and is better than nothing
check "$source" --debug-file-directory=tree --exe=stripped
check "$table" --debug-file-directory=empty --exe=stripped
check "$table" --debug-file-directory=empty --module-paths
check "$source" --debug-file-directory=tree --module-paths

# symbfiles, by the build and by the FileID of the program at hand
check "$no_column" --debug-file-directory=empty --directory=symbols
check "$nothing" --debug-file-directory=empty --directory=fetched
check "$no_column" --debug-file-directory=empty --directory=fetched --exe=stripped
check "$no_column" --debug-file-directory=empty --directory=fetched --module-paths
mkdir -p cache/cairn
cp "fetched/$fileid.symbfile" cache/cairn
check "$no_column" --debug-file-directory=empty --exe=stripped
rm -r cache

# what `cairn where` has made, which has columns as DWARF has
"$cairn" where larder 0x1000 >/dev/null 2>&1
check "$source" --debug-file-directory=empty
check "$source" --debug-file-directory=tree

# Breakpad's addresses count from the first byte, which is at 0 in a library but not in all programs.  The functions of
# the file are at 0x1020 to 0x1070 from there.
breakpad="--debug-file-directory=empty --directory=$fixtures/breakpad"
# placed WANT MAPPINGS...: each is RELATIVE:SIZE:MODE; the address is in the code at ...1000
placed() {
	want=$1
	shift
	echo "{{{module:0:stripped:elf:${id}ab}}}" >log
	for mapping; do
		size=${mapping#*:}
		mode=${size#*:}
		echo "{{{mmap:0x7f${mapping%%:*}:${size%:*}:load:0:$mode:0x$(echo "${mapping%%:*}" | sed 's/^0*//;s/^$/0/')}}}"
	done >>log
	echo '{{{bt:0:0x7f00401064:ra}}}' >>log
	# shellcheck disable=SC2086 # options are words
	check "$want" $breakpad
}
cook='#0  .* cook .*larder\.c:33:0 (stripped+0x401063)'
nowhere='#0  *0x0000007f00401063 (stripped+0x401063)'
cat >log <<END
{{{module:0:stripped:elf:${id}ab}}}
{{{mmap:0x7f0000001000:0x1000:load:0:rx:0x1000}}}
{{{bt:0:0x7f0000001064:ra}}}
END
# shellcheck disable=SC2086 # options are words
check '#0  .* cook .*larder\.c:33:0 (stripped+0x1063)' $breakpad
placed "$cook" 00400000:0x1000:r 00401000:0x1000:rx
placed "$cook" 00401000:0x1000:rx 00400000:0x1000:r
placed "$cook" 00401020:0x50:rx            # sanitizers write sizes to the byte
placed "$cook" 00401000:0x1000:rx          # the page in which the functions are
placed "$nowhere" 00400000:0x2000:rx       # headers may be in it, or in a page before
placed "$cook" 00401000:0x1000:rx 00402000:0x1000:r
placed "$cook" 00400000:0x1000:r 00401000:0x3000:rx
placed "$nowhere" 00401000:0x2000:rx       # a page more than they fill
grep -q "'stripped' (build ID ${id}ab): the log does not show where the addresses of the Breakpad file begin; --exe can" err ||
	{ echo 'a file that cannot be placed is not reported:'; cat err; failed=1; }
placed "$nowhere" 00401000:0x2000:rx 00403000:0x1000:r
placed "$nowhere" 003fe000:0x1000:r 00401000:0x2000:rx # too low for these functions

# the program at hand shows it: how it is linked, and what of it the log maps, does not matter
layouts() {
	for layout in -Wl,-z,separate-code -Wl,-z,noseparate-code -Wl,-Ttext-segment=0x7000000; do
		"$@" -g -O2 -static -no-pie -nostdlib -Wl,-e,cook -Wl,--build-id=0x${id}dd "$layout" \
			"$fixtures/larder.c" -o fixed 2>/dev/null || continue
		made=$((made + 1))
		rm -rf breakpad debug
		mkdir -p breakpad debug/.build-id/ca
		"$cairn" gsym create --quiet fixed -o fixed.gsym || exit 1
		base=$(readelf -lW fixed | awk '$1 == "LOAD" { print $3; exit }')
		"$cairn" gsym dump fixed.gsym | awk -f "${fixtures%/tests/*}/tests/debuggers/breakpad.awk" |
			awk -v base="${base#0x}" -f "${fixtures%/tests/*}/tests/debuggers/rebase.awk" >"breakpad/${id}dd.sym"
		objcopy --strip-all fixed bare
		objcopy --only-keep-debug fixed "debug/.build-id/ca/${id#ca}dd.debug"
		va=$(nm fixed | awk '$3 == "cook" { print $1 }')
		cooked=$(addr2line -e fixed -fs "0x$va" | tr '\n' ' ' | sed 's/ .*[/ ]/ .*/;s/ *$//')
		cooked="#0  *0x[0-9a-f]* $cooked:0 ("
		# so much code that functions in the second page do not prove it, and functions in the first do
		alone='#0  *0x[0-9a-f]* (.*bare+0x'
		[ "$layout" != -Wl,-z,noseparate-code ] || alone=$cooked
		cat >log <<END
{{{module:0:$work/bare:elf:${id}dd}}}
{{{mmap:0x7f0000000000:0x100000:load:0:rx:$(printf '0x%x' "$base")}}}
{{{bt:0:$(printf '0x%x' $((0x$va - base + 0x7f0000000000))):pc}}}
END
		check "$alone" --debug-file-directory=empty --directory=breakpad
		check "$cooked" --debug-file-directory=empty --directory=breakpad --exe=bare
		check "$cooked" --debug-file-directory=empty --directory=breakpad --module-paths
		check "$cooked" --debug-file-directory=debug --directory=breakpad
		# a program of another build shows nothing
		check "$alone" --debug-file-directory=empty --directory=breakpad --exe=stripped
		# a log without modules
		echo "{{{bt:0:0x$va:pc}}}" >log
		check "$cooked" --debug-file-directory=empty --directory=breakpad --exe=bare
	done
}
made=0
layouts "$@"
[ $made -gt 0 ] || echo 'no program that is linked to one address could be made'

# Names are the bytes that llvm-symbolizer writes, but on a terminal they cannot drive it.
mkdir -p odd
printf 'MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F100 p\nFILE 0 a.c\nFUNC 1000 10 0 ev\033[31mil\342\200\256name\n1000 10 3 0\n' \
	>odd/0102030405060708090a0b0c0d0e0f10.sym
cat >log <<'END'
{{{module:0:p:elf:0102030405060708090a0b0c0d0e0f10}}}
{{{mmap:0x1000:0x1000:load:0:rx:0x1000}}}
{{{bt:0:0x1004:pc}}}
END
raw=$(printf 'ev\033[31mil\342\200\256name')
if command -v script >/dev/null; then
	for style in --style=llvm --compat=llvm; do
		"$cairn" markup --directory=odd $style log | grep -qF "$raw a.c:3" || {
			echo "$style: other bytes than those of the symbol file"
			failed=1
		}
		script -qec "'$cairn' markup --color=never --directory=odd $style log" /dev/null </dev/null >out
		grep -qF 'ev\x1b[31mil\xe2\x80\xaename a.c:3' out || {
			echo "$style on a terminal: the name is not escaped: $(cat -v out)"
			failed=1
		}
	done
else
	echo 'not run: markup on a terminal needs script'
fi

# a unit that takes more memory than is kept at first is not read again for each few questions: that
# took 9 s of processor time, and 0.2 s when it is kept
{
	printf '.text\n.globl larder\n.type larder,@function\nlarder:\n'
	yes nop | head -250000
	printf '.size larder,.-larder\n'
} >many.s
if "$@" -g -shared -nostdlib -Wl,--build-id=0x${id}cc many.s -o many; then
	mkdir -p many.tree/.build-id/ca
	mv many "many.tree/.build-id/ca/${id#ca}cc.debug"
	awk -v id=${id}cc 'BEGIN { printf "{{{module:0:many:elf:%s}}}\n", id
		print "{{{mmap:0x100000000:0x100000:load:0:rx:0}}}"
		for (i = 0; i < 4096; i++) printf "{{{bt:0:0x1%08x:pc}}}\n", 8192 + i * 50 }' >log
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
