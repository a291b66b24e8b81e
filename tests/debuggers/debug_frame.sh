#!/bin/sh
# SPDX-License-Identifier: MIT
# A program with .sframe whose call frame information is in .debug_frame, which is in files alone: GDB
# unwinds it as without cairn.  In the program's file, in a separate debug file found by its name or
# by the build ID, compressed, live and in a core; and without it cairn answers.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy readelf gdbserver

cat >"$tmp/program.c" <<'END'
#include <stdlib.h>
volatile int sink;
void __attribute__((noinline)) stop_here(int n)
{
	sink += n;
}
int __attribute__((noinline)) recurse(int depth)
{
	int kept = depth * 3;
	if (depth == 0) {
		stop_here(depth);
		return 1;
	}
	return recurse(depth - 1) / 3 + kept;
}
/* the last thing it does is a call: GDB shows such frames by the debug information of both */
int __attribute__((noinline)) tail(int n) { return recurse(n); }
int main(int argc, char **argv)
{
	int before = argc + 40;
	return tail(argc + 2) + before == 0;
}
END
# GDB maps the sections of a file that are as large as those of real programs
i=0
while [ $i -lt 1000 ]; do
	echo "struct record$i { int first, second; } record$i; int field$i(void) { return record$i.second; }"
	i=$((i + 1))
done >>"$tmp/program.c"
# compile NAME FLAGS...: in a directory of its own
compile() {
	mkdir "$tmp/$1"
	out=$tmp/$1/program
	shift
	"$CC_TARGET" -g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -Wl,--build-id=sha1 \
		-Wa,--gsframe "$@" "$tmp/program.c" -o "$out" 2>"$tmp/errors" ||
		skip "the compiler makes no such program: $(head -n 1 "$tmp/errors")"
}
# sections FILE: the names of those that matter here
sections() {
	readelf -SW "$1" | grep -oE '\.(sframe|eh_frame|z?debug_frame) ' | tr -d '\n'
}
holds() {
	case "$(sections "$1")" in *"$2"*) ;; *) fail "$1 has no $2" ;; esac
}

compile whole
holds "$tmp/whole/program" .sframe
holds "$tmp/whole/program" .debug_frame
compile bare -Wl,--build-id=none # known by its headers alone
compile packed -gz=zlib
readelf -t "$tmp/packed/program" | grep -A 4 ' \.debug_frame' | grep -q COMPRESSED ||
	objcopy --compress-debug-sections=zlib "$tmp/packed/program"
for kind in linked named; do
	mkdir "$tmp/$kind"
	objcopy --only-keep-debug "$tmp/whole/program" "$tmp/$kind/program.debug"
done
objcopy --strip-all --add-gnu-debuglink="$tmp/linked/program.debug" "$tmp/whole/program" "$tmp/linked/program"
objcopy --strip-all "$tmp/whole/program" "$tmp/named/program"
id=$(readelf -n "$tmp/whole/program" | sed -n 's/.*Build ID: //p')
rest=${id#??}
mkdir -p "$tmp/store/.build-id/${id%"$rest"}"
mv "$tmp/named/program.debug" "$tmp/store/.build-id/${id%"$rest"}/$rest.debug"
mkdir "$tmp/stripped"
objcopy --strip-all --remove-section .eh_frame --remove-section .eh_frame_hdr \
	"$tmp/whole/program" "$tmp/stripped/program"

cat >"$tmp/look" <<'END'
bt
info frame
up
info frame
info locals
up
up
p $rbx
info registers
up
info frame
finish
END
# both NAME PROGRAM ARGUMENTS...: what GDB shows with cairn is what it shows alone
both() {
	name=$1 program=$2
	shift 2
	LIMIT=60 debug without "$program" "$@" -x "$tmp/look" >"$tmp/alone" || :
	LIMIT=60 debug with "$program" "$@" -x "$tmp/look" >"$tmp/loaded" || :
	for run in alone loaded; do
		settle <"$tmp/$run" | sed -e 's/^\[New LWP.*//' -e 's/pid = [0-9]*/pid = N/' >"$tmp/$name.$run"
	done
	mv "$tmp/$name.alone" "$tmp/$name.eh"
	mv "$tmp/$name.loaded" "$tmp/$name.no"
	compare "$name" 30
	grep -qE '^#([4-9]|[1-9][0-9]) .*main' "$tmp/$name.eh" || fail "$name: GDB alone does not unwind it"
	echo "$name: the same with cairn"
}

for kind in whole bare packed linked; do
	both $kind "$tmp/$kind/program" -ex 'break stop_here' -ex run
done
both named "$tmp/named/program" -iex "set debug-file-directory $tmp/store" -ex 'break stop_here' \
	-ex run

for kind in whole linked; do
	debug without "$tmp/$kind/program" -ex 'break stop_here' -ex run \
		-ex "generate-core-file $tmp/core.$kind" >/dev/null
	sed '/finish/d' "$tmp/look" >"$tmp/look.core"
	mv "$tmp/look" "$tmp/look.live"
	mv "$tmp/look.core" "$tmp/look"
	both "core-$kind" "$tmp/$kind/program" -ex "core-file $tmp/core.$kind"
	mv "$tmp/look.live" "$tmp/look"
done

# a process that runs already: it waits in stop_here(), and GDB comes by `attach` or a server
cat >"$tmp/wait.c" <<'END'
#include <unistd.h>
extern volatile int sink;
void waits(void) { sink += (int)read(0, (char[1]){ 0 }, 1); }
END
sed -e 's/^volatile int sink;/&\nvoid waits(void);/' -e 's/sink += n;/waits();/' "$tmp/program.c" >"$tmp/waiting.c"
cat "$tmp/wait.c" >>"$tmp/waiting.c"
mv "$tmp/waiting.c" "$tmp/program.c"
compile waiting
holds "$tmp/waiting/program" .sframe
holds "$tmp/waiting/program" .debug_frame
mkfifo "$tmp/hold"
grep -v '^finish' "$tmp/look" >"$tmp/look.attach"
mv "$tmp/look.attach" "$tmp/look"
exec 9<>"$tmp/hold"
"$tmp/waiting/program" <&9 &
pid=$!
waited=0
until grep -q '^0 ' "/proc/$pid/syscall" 2>/dev/null || [ $waited -ge 300 ]; do
	sleep 0.1
	waited=$((waited + 1))
done
both attach "$tmp/waiting/program" -ex "attach $pid" -ex 'frame function stop_here'
echo >&9
wait "$pid" || :

both gdbserver "$tmp/whole/program" -ex 'set sysroot /' -ex "target remote | env -i \
$(command -v gdbserver) --once - $tmp/whole/program" -ex 'break stop_here' -ex continue

# without it cairn answers as ever
at=$(readelf -sW "$tmp/whole/program" | awk '$8 == "stop_here" { print $2 }')
debug with "$tmp/stripped/program" -ex starti -ex "tbreak *(0x555555554000 + 0x$at)" -ex continue \
	-ex bt >"$tmp/said"
[ "$(grep -c '^#' "$tmp/said")" -ge 6 ] || {
	cat "$tmp/said"
	fail 'cairn does not answer without call frame information'
}
