#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages about programs and files that have to be made, and about places that cannot be written:
# program_messages.sh CAIRN ODD_FILES COMPILER...
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
odd_files=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
shift 2
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
unset CAIRN_API_KEY
for tool in objcopy strip; do
	command -v $tool >/dev/null || {
		echo "skipped: no $tool on this machine"
		exit 77
	}
done
echo 'int f(void) { return 1; } int g(void) { return 2; } int main(void) { return f(); }' >prog.c
"$@" -g -ffunction-sections -c prog.c -o several.o &&
	"$@" -g -Wl,--build-id=none prog.c -o unnamed &&
	"$@" -g -Wl,--build-id prog.c -o prog &&
	"$@" -g -O2 -Wl,--build-id prog.c -o other || {
	echo 'skipped: no program can be linked'
	exit 77
}
objcopy --only-keep-debug prog prog.debug
strip -o parted prog
objcopy --add-gnu-debuglink=prog.debug parted

# says MESSAGE COMMAND...: the command prints that line
says() {
	message=$1
	shift
	"$@" >out 2>&1 </dev/null
	sed "s|$work|WORK|g" out | grep -aqxF "cairn: $message" || {
		echo "not printed: $message"
		cat out
		failed=1
	}
}

"$cairn" gsym create --quiet prog
"$cairn" symbfile create --quiet prog -o prog
says 'several.o: is a relocatable file with several code sections at overlapping addresses; link the file first' \
	"$cairn" gsym create several.o
mv prog.debug whole.debug
absent="its debug file is at none of these paths; --directory DIR also searches DIR"
"$cairn" gsym create parted >out 2>&1
grep -q "^cairn: parted: '.*$work/prog.debug, $work/.debug/prog.debug, /usr/lib/debug$work/prog.debug': $absent\$" out || fail "not named: $(cat out)"
# no GSYM file is beside it there
mkdir d e
cp parted e
"$cairn" where --no-cache --directory d e/parted 0x1 >out 2>&1
grep -q "^cairn: e/parted: '.*d/prog.debug, .*': $absent\$" out || fail "where: not named: $(cat out)"

# The file that .gnu_debuglink names is found in the directories of --directory, by the build ID or the checksum; without a program
# its name is that of the module.
cp whole.debug d/prog.debug
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
va=0x$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
echo "{{{module:0:prog:elf:$id}}}{{{mmap:0:0x1000000:load:0:rx:0}}}{{{pc:$va}}}" >log
printf '{"frames":[{"build_id":"%s","module":"/x/prog","address":"%s","kind":"va"}]}' "$id" "$va" >request
objcopy --only-keep-debug unnamed d/nameless.debug &&
	(cd d && strip -o ../e/nameless_parted ../unnamed && objcopy --add-gnu-debuglink=nameless.debug ../e/nameless_parted)
finds() {
	"$@" >out 2>&1 </dev/null
	grep -q 'prog\.c' out || fail "$*: $(cat out)"
}
finds "$cairn" where --no-cache --directory d e/parted "$va"
finds "$cairn" where --no-cache --directory d e/nameless_parted "0x$(nm unnamed | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')"
finds "$cairn" addr2line --directory d -e e/parted "$va"
finds "$cairn" markup --directory d log
finds sh -c "'$cairn' symbolize --directory d <request"
"$cairn" gsym create --quiet --directory d -o made e/parted && finds "$cairn" gsym lookup made "$va"
cp other d/prog.debug
"$cairn" where --no-cache --directory d e/parted "$va" >out 2>&1
grep -q 'prog\.c' out && fail 'a debug file of another build is used'
rm -r d e
objcopy --only-keep-debug other prog.debug
says 'WORK/prog.debug: ignored: from another build' "$cairn" gsym create parted
says 'other: does not belong to the same build as prog' "$cairn" symbfile create --debug other prog -o made
says 'unnamed: the program has no build ID to compare with; use --force to accept the symbols anyway' \
	"$cairn" gsym lookup --binary unnamed prog.gsym 0x1000
says 'prog.gsym: the program has no build ID to compare with; use --force to accept the file anyway' \
	"$cairn" symbols write --for unnamed prog.gsym -o made.debug
strip unnamed
cp prog.gsym unnamed.gsym
says 'unnamed: contains neither GSYM data nor a build ID, so no GSYM file next to it can be verified; use --force to skip this check' \
	"$cairn" gsym lookup unnamed 0x1000

"$cairn" symbfile push --help >out 2>&1
if grep -q -e --api-key-file out && "$cairn" symbfile push --dry-run --url http://127.0.0.1:9 prog prog.ranges >/dev/null 2>&1; then
	says 'prog.ranges: a second file with ranges would replace the first; nothing was sent' \
		"$cairn" symbfile push --dry-run --url http://127.0.0.1:9 prog prog.ranges prog.ranges
	echo key >key
	chmod 644 key
	says "key: warning: other users can read this key; restrict access with 'chmod 600'" \
		"$cairn" symbfile push --dry-run --url http://127.0.0.1:9 --api-key-file key prog prog.ranges
fi
# names of 5,000 characters
long=$(head -c 5000 /dev/zero | tr '\0' n)
says 'prog: the output path is too long' "$cairn" gsym create -o "$long" prog
says 'prog: the output path is too long' "$cairn" symbfile create -o "$long" prog
says "$long: the output path is too long" \
	"$cairn" symbfile fetch --url http://127.0.0.1:9 --output "$long" prog
almost=$(head -c 4094 /dev/zero | tr '\0' n)
says 'prog: the output path is too long' "$cairn" gsym create --segment-size 100 -o "$almost" prog

# what is damaged, unknown, or there twice
head -c $(($(wc -c <prog.ranges) - 3)) prog.ranges >cut.ranges
at=$("$cairn" symbfile verify cut.ranges 2>&1 | sed -n 's/.*\(at byte [0-9]* (0x[0-9a-f]*)\).*/\1/p' | head -n 1)
says "cut.ranges: the file ends inside a message $at; using the part before the damage" \
	"$cairn" symbfile lookup cut.ranges 0x1000
says 'made.gsym: not written; use --keep-going to write the undamaged part' "$cairn" gsym create -o made.gsym cut.ranges
[ ! -e made.gsym ] || { echo 'written all the same'; failed=1; }
"$cairn" gsym create --keep-going -o made.gsym cut.ranges >out 2>&1 || { cat out; failed=1; }
"$@" -g -Wl,--build-id="0x$(head -c 64 /dev/zero | tr '\0' a)" prog.c -o wide
says 'wide.gsym: written as version 2 because the build ID is longer than 20 bytes' "$cairn" gsym create wide
says 'prog: cannot be loaded at 0x400000: the file has no segments or overlaps another --exe file' \
	"$cairn" markup --exe prog@0x400000 --exe prog@0x400000
cp prog strange # of an unknown machine
printf '\377\376' | dd of=strange bs=1 seek=18 conv=notrunc 2>/dev/null
says 'strange: no return pads are written because cairn does not recognize the call instructions of this machine' \
	"$cairn" symbfile create -o strange strange
awk 'BEGIN {
	print "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 prog\nFUNC 1000 10 0 f\n1000 10 1 0\nODD record"
	print "STACK CFI INIT 1000 10 .cfa: $rsp 8 +"
	for (i = 0; i < 11; i++) print "FUNC x" }' >lines.sym
says 'lines.sym: 6 more malformed lines' "$cairn" gsym create -o made.gsym lines.sym
says 'lines.sym: contains 11 malformed lines and 1 lines with unknown keywords' "$cairn" gsym create --strict -o made.gsym lines.sym
says "lines.sym: ignored: 1 unwind rules, 0 parameter sizes, 0 'm' flags (code shared by several symbols)" \
	"$cairn" gsym create --verbose -o made.gsym lines.sym

# cores and minidumps that no system writes
for kind in modules program core values go; do
	"$odd_files" $kind >odd.$kind || exit 2
done
says 'odd.modules: too many threads, mappings or modules; 103 of them are omitted' "$cairn" bt odd.modules
says "odd.core: the core does not contain the program's headers, and the program's file was not found; specify the file as PROGRAM" \
	"$cairn" bt odd.core
says "odd.core: the core does not contain the program's headers, so the load address of PROGRAM is unknown; PROGRAM may be packed with UPX" \
	"$cairn" bt odd.core prog
says "odd.core: '/nowhere/libgone.so': the core does not contain this library's headers, and the library's file was not found" \
	"$cairn" bt odd.core odd.program
says 'odd.values: too many values look like backtraces; some are omitted' "$cairn" cbf find odd.values
says "odd.go: reading Go's function table exceeds the work limit; the remaining functions are omitted" \
	"$cairn" gsym create -o made.gsym odd.go
cp odd.core narrow
printf '\001' | dd of=narrow bs=1 seek=4 conv=notrunc 2>/dev/null
says 'narrow: only memory of 64-bit little-endian processes can be searched' "$cairn" cbf find narrow

# a program that lies alone, and one in a directory that a debugger does not accept
mkdir -p alone/core/cli alone/scripts "a\"b/core/cli" "a\"b/scripts"
cp "$cairn" alone/core/cli/cairn
cp "$cairn" "a\"b/core/cli/cairn"
: >"a\"b/scripts/cairn.gdb"
says "WORK/alone/scripts/cairn.gdb: not installed: cairn was built without its plugin for gdb; 'meson setup' reports the missing dependency" \
	alone/core/cli/cairn setup gdb
says 'the directory of this program is unknown, or its path contains characters that debuggers do not accept' \
	"a\"b/core/cli/cairn" setup gdb
if [ -e "$(dirname "$cairn")/cairn-net" ]; then
	says "WORK/alone/core/cli/cairn-net: cannot start: No such file or directory; this program is part of cairn, so reinstall cairn" \
		alone/core/cli/cairn symbfile push --url http://127.0.0.1:9 prog
fi

: >file
says "WORK/file/cairn: cannot create the directory: Not a directory" \
	env XDG_CACHE_HOME="$work/file" "$cairn" symbfile fetch --url http://127.0.0.1:9 prog
# where nothing can be kept, the answer comes all the same; no file of symbols is beside this copy
mkdir bare && cp prog bare
build_id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
says "WORK/file/cairn/$build_id.gsym: not cached: Not a directory" \
	env XDG_CACHE_HOME="$work/file" "$cairn" where bare/prog 0x1000

# a process of root, for somebody else
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work" alone alone/core alone/core/cli
	says "process 1: cannot be traced: permission denied; the process may belong to another user or already have a tracer, kernel.yama.ptrace_scope may forbid it, or CAP_SYS_PTRACE may be required" \
		setpriv --reuid 65534 --regid 65534 --clear-groups alone/core/cli/cairn bt --pid 1
fi
exit $failed
