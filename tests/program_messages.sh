#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages about programs that have to be made, and about places that cannot be written:
# program_messages.sh CAIRN COMPILER...
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
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

failed=0
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
says 'several.o: a relocatable file with several sections of code, whose addresses would collide; link it first' \
	"$cairn" gsym create several.o
rm prog.debug
says 'parted: its debug file is missing' "$cairn" gsym create parted
objcopy --only-keep-debug other prog.debug
says 'WORK/prog.debug: belongs to another build and is not used' "$cairn" gsym create parted
says 'other: belongs to another build than prog' "$cairn" symbfile create --debug other prog -o made
says 'unnamed: the program has no build ID to compare with; --force uses the symbols anyway' \
	"$cairn" gsym lookup --binary unnamed prog.gsym 0x1000
says 'prog.gsym: the program has no build ID to compare with; --force uses it anyway' \
	"$cairn" symbols write --for unnamed prog.gsym -o made.debug
strip unnamed
cp prog.gsym unnamed.gsym
says 'unnamed: this file contains no GSYM data, and no build ID to compare with a file beside it; --force uses that file anyway' \
	"$cairn" gsym lookup unnamed 0x1000

"$cairn" symbfile push --help >out 2>&1
if grep -q -e --api-key-file out && "$cairn" symbfile push --dry-run --url http://127.0.0.1:9 prog prog.ranges >/dev/null 2>&1; then
	says 'prog.ranges: the second file with ranges; it would replace the first' \
		"$cairn" symbfile push --dry-run --url http://127.0.0.1:9 prog prog.ranges prog.ranges
	echo key >key
	chmod 644 key
	says "key: warning: others may read this key; 'chmod 600' keeps it to yourself" \
		"$cairn" symbfile push --dry-run --url http://127.0.0.1:9 --api-key-file key prog prog.ranges
fi
: >file
says "WORK/file/cairn: cannot make this folder: Not a directory" \
	env XDG_CACHE_HOME="$work/file" "$cairn" symbfile fetch --url http://127.0.0.1:9 prog
exit $failed
