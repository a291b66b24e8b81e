#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where cairn looks for files, a FIFO or a device is not opened at all: to open one may do something by itself. The
# kernel tells of each opening, so that nothing has to be waited for. What the user names is opened, whatever it is.
#
#	unopened.sh CAIRN WATCH_OPENS COMPILER FIND_SYMBOLS HOLD_CRASH [JIT_PROGRAM]
set -u
LC_ALL=C
export LC_ALL
cairn=$1 watch=$2 cc=$3 find_symbols=$4 hold=$(cd "$(dirname "$5")" && pwd)/$(basename "$5") jit=${6:-}
for tool in objcopy mkfifo timeout readelf; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
tmp=$(mktemp -d /tmp/unopened.XXXXXX) || exit 2 # where perf maps are: links do not lead to another disk
pid=
trap '[ -z "$pid" ] || { kill -KILL $pid 2>/dev/null; rm -f "/tmp/perf-$pid.map"; }; rm -rf "$tmp"' EXIT
HOME=$tmp/home XDG_CACHE_HOME=$tmp/cache DEBUGINFOD_CACHE_PATH=$tmp/fetched DEBUGINFOD_URLS=http://127.0.0.1:1/
export HOME XDG_CACHE_HOME DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
mkdir "$tmp/home"
failed=0 places=0
mkfifo "$tmp/fifo"
# /dev/null by another name: nobody else opens that
kinds=fifo
mknod "$tmp/device" c 1 3 2>/dev/null && : 2>/dev/null <"$tmp/device" && kinds="fifo device"
[ "$kinds" = fifo ] && echo 'without devices: none can be made here'

# watched KIND COMMAND...: does it open that, within ten seconds of a machine that has nothing else to do?
watched() {
	kind=$1
	shift
	"$watch" "$tmp/$kind" timeout $((10 * ${CK_TIMEOUT_MULTIPLIER:-1})) "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ $status != 77 ] || { echo "skipped: $(cat "$tmp/err")"; exit 77; }
}

# unopened PLACE COMMAND...: where PLACE is each of them, or a link to it
unopened() {
	place=$1
	shift
	mkdir -p "$(dirname "$place")"
	places=$((places + 1))
	for lying in $kinds; do
		for how in ln 'ln -s'; do
			rm -f "$place"
			$how "$tmp/$lying" "$place" || { failed=1; return; }
			watched "$lying" "$@"
			[ $status = 0 ] || { echo "a $lying, by '$how', at ${place#"$tmp/"}: $(basename "$1") $2: status $status"; failed=1; }
		done
	done
	rm -f "$place"
}

cat >"$tmp/prog.c" <<'END'
__attribute__((noinline)) int twice(int x) { return 2 * x; }
int main(int c, char **v) { (void)v; return twice(c) - 2; }
END
$cc -g -O1 -no-pie -Wl,--build-id=sha1 "$tmp/prog.c" -o "$tmp/whole" || exit 2
id=$(readelf -n "$tmp/whole" | sed -n 's/.*Build ID: //p')
at=0x$(nm "$tmp/whole" | sed -n 's/ T twice$//p')
tree=.build-id/${id%"${id#??}"}/${id#??}
objcopy -S "$tmp/whole" "$tmp/bare"
( cd "$tmp" && objcopy --only-keep-debug whole prog.debug && objcopy -S --add-gnu-debuglink=prog.debug whole prog && rm prog.debug )
{
	echo '{{{reset}}}'
	echo "{{{module:0:prog:elf:$id}}}"
	echo '{{{mmap:0x400000:0x10000:load:0:rx:0x400000}}}'
	echo "{{{pc:$at}}}"
} >"$tmp/log"
printf '%s\0aaaaaaaaaaaaaaaaaaaa' "$tmp/supplement" >"$tmp/absolute"
printf 'supplement\0aaaaaaaaaaaaaaaaaaaa' >"$tmp/relative"
for each in absolute relative; do
	objcopy --add-section .gnu_debugaltlink="$tmp/$each" "$tmp/whole" "$tmp/with-$each"
done

# The watch sees what is opened: that is what the user does who names one.
printf '{{{symbol:_Z1fv}}}\n' >"$tmp/text"
for each in $kinds; do
	[ $each != fifo ] || cat "$tmp/text" >"$tmp/fifo" &
	watched "$each" "$cairn" gsym dump "$tmp/$each"
	[ $status = 3 ] || { echo "a $each that is named is not opened: status $status"; failed=1; }
	wait
done
cat "$tmp/text" >"$tmp/fifo" &
"$cairn" markup "$tmp/fifo" | grep -qF 'f()' || { echo 'a FIFO that is named is not read'; failed=1; }
wait $!
"$cairn" markup /dev/stdin <"$tmp/text" | grep -qF 'f()' || { echo '/dev/stdin is not read'; failed=1; }

for each in absolute relative; do
	unopened "$tmp/supplement" "$cairn" gsym create --quiet -o "$tmp/made" "$tmp/with-$each"
	unopened "$tmp/supplement" "$cairn" where --no-cache "$tmp/with-$each" "$at"
done
mkdir -p "$(dirname "$tmp/debug/$tree")"
cp "$tmp/with-absolute" "$tmp/debug/$tree.debug"
unopened "$tmp/supplement" "$cairn" markup --compat=llvm --debug-file-directory="$tmp/debug" "$tmp/log"
for place in prog.debug .debug/prog.debug; do
	unopened "$tmp/$place" "$cairn" gsym create --quiet -o "$tmp/made" "$tmp/prog"
done
unopened "$tmp/debug/$tree.debug" "$cairn" markup --debug-file-directory="$tmp/debug" "$tmp/log"
unopened "$tmp/bare.gsym" "$cairn" gsym lookup "$tmp/bare" "$at"
unopened "$tmp/bare.gsym" "$find_symbols" "$tmp/bare"
unopened "$tmp/whole.dwp" "$cairn" gsym create --quiet -o "$tmp/made" "$tmp/whole"
unopened "$tmp/cache/cairn/$id.gsym" "$cairn" where "$tmp/bare" "$at"
unopened "$tmp/cache/cairn/$id.gsym" "$find_symbols" "$tmp/bare"
unopened "$tmp/fetched/$id/debuginfo" "$cairn" where --debuginfod --no-cache "$tmp/bare" "$at"
mkdir "$tmp/folder"
unopened "$tmp/folder/inside" "$cairn" gsym create --quiet --tree "$tmp/folder" -o "$tmp/store"

# the split file of a skeleton unit
cat >"$tmp/split.s" <<END
	.text
	.globl main
main:	ret
end:
	.section .note.GNU-stack,"",@progbits
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x4a
	.byte 0
	.uleb128 0x76, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0
	.byte 0
	.section .debug_info,"",@progbits
	.long unit_end - unit
unit:	.short 5
	.byte 4, 8
	.long 0
	.quad 1
	.uleb128 1
	.asciz "$tmp/split.dwo"
	.quad main, end
unit_end:
END
if $cc -no-pie -Wl,--build-id=sha1 "$tmp/split.s" -o "$tmp/split" 2>"$tmp/err"; then
	unopened "$tmp/split.dwo" "$cairn" dwarf dump --summary "$tmp/split"
	unopened "$tmp/split.dwo" "$cairn" gsym create --quiet -o "$tmp/made" "$tmp/split"
else
	echo "without split units: $(head -n 1 "$tmp/err")"
fi

# what a core names as its files, and what lies beside it
mkdir "$tmp/in"
cat >"$tmp/crash.c" <<'END'
#include <stdlib.h>
int main(void) { abort(); }
END
$cc -g "$tmp/crash.c" -Wl,--build-id=sha1 -o "$tmp/crash"
cp "$tmp/crash" "$tmp/crashed"
case $(cat /proc/sys/kernel/core_pattern 2>/dev/null) in
'' | *'|'* | */* | *%*) echo 'without cores: core_pattern is not the plain name of a file here' ;;
*)
	"$hold" "$tmp/in" "$tmp/crash" >"$tmp/said" </dev/null
	mv "$tmp"/in/core* "$tmp/core" || echo 'without cores: the kernel writes none here'
	[ -z "$jit" ] || "$hold" "$tmp/in" "$jit" abort >"$tmp/said" </dev/null
	mv "$tmp"/in/core* "$tmp/in/made.core" 2>/dev/null
	;;
esac
if [ -s "$tmp/core" ]; then
	id=$(readelf -n "$tmp/crash" | sed -n 's/.*Build ID: //p')
	unopened "$tmp/crash" "$cairn" bt "$tmp/core"
	unopened "$tmp/crash" sh -c "cat '$tmp/core' | '$cairn' bt -"
	unopened "$tmp/debug/.build-id/${id%"${id#??}"}/${id#??}" "$cairn" bt --debug-file-directory="$tmp/debug" "$tmp/core"
fi
# of code that no module has: what names it is looked for beside the core
if [ -s "$tmp/in/made.core" ]; then
	read -r number rest <"$tmp/said"
	rm -f "/tmp/perf-$number.map"
	for name in "perf-$number.map" "jit-$number.dump"; do
		unopened "$tmp/in/$name" "$cairn" bt "$tmp/in/made.core"
		unopened "$tmp/maps/$name" "$cairn" bt --directory="$tmp/maps" "$tmp/in/made.core"
	done
	unopened "$tmp/in/made.perf-map" "$cairn" bt "$tmp/in/made.core"
fi

# what a process names its code in
if [ -n "$jit" ]; then
	"$jit" >"$tmp/said" &
	pid=$!
	tries=0
	until grep -q ready "$tmp/said" || [ $tries = 200 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	"$cairn" bt --pid $pid >"$tmp/out" 2>&1
	if grep -q 'cannot be traced' "$tmp/out" || [ $tries = 200 ]; then
		echo 'without processes: they may not be traced here'
	else
		unopened "/tmp/perf-$pid.map" "$cairn" bt --pid $pid
	fi
fi
# in a root directory without /proc there is another way to what was looked at
if [ "$(id -u)" = 0 ] && unshare -m umount -l /proc 2>/dev/null; then
	cp "$tmp/whole" "$tmp/prog.debug"
	unshare -m sh -c "umount -l /proc; '$cairn' gsym create --quiet -o '$tmp/made' '$tmp/prog'" && [ -s "$tmp/made" ] ||
		{ echo 'without /proc no debug file is read'; failed=1; }
	unopened "$tmp/prog.debug" unshare -m sh -c "umount -l /proc; '$cairn' gsym create --quiet -o '$tmp/made' '$tmp/prog'"
else
	echo 'with /proc only: it cannot be unmounted here'
fi
[ $failed = 0 ] && echo "$places places, with $kinds"
exit $failed
