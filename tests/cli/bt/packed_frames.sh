#!/bin/sh
# SPDX-License-Identifier: MIT
# packed_frames.sh CAIRN: the .debug_frame of a program's .gnu_debugdata leads on where nothing else does, so that
# the stack is that of the complete program, by the same rules; without it frames are guessed.
set -eu
export LC_ALL=C
cairn=$1
: "${GDB:=gdb}" "${CC_TARGET:=cc}"
for tool in "$GDB" "$CC_TARGET" objcopy xz; do
	command -v "$tool" >/dev/null || {
		echo "skipped: no $tool"
		exit 77
	}
done
programs=$(cd "$(dirname "$0")/../../fixtures/programs" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/packed-frames.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/all" "$tmp/packed" "$tmp/bare" "$tmp/cache"
export XDG_CACHE_HOME="$tmp/cache"

"$CC_TARGET" -g -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer \
	-fno-optimize-sibling-calls -pthread -w -DWITH_PLUGIN=0 "$programs/stacks.c" -o "$tmp/all/stacks"
strip --remove-section=.debug_frame -o "$tmp/bare/stacks" "$tmp/all/stacks"
objcopy --only-keep-debug --remove-section='.debug_[ailrs]*' --remove-section=.debug_frame_hdr \
	--keep-section=.debug_frame "$tmp/all/stacks" "$tmp/symbols"
readelf -SW "$tmp/symbols" 2>/dev/null | grep -q debug_frame || {
	echo 'the compressed file has no .debug_frame'
	exit 1
}
xz "$tmp/symbols"
objcopy --add-section .gnu_debugdata="$tmp/symbols.xz" "$tmp/bare/stacks" "$tmp/packed/stacks"
"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -ex 'run inlined' -ex "generate-core-file $tmp/core" \
	"$tmp/all/stacks" </dev/null >"$tmp/said" 2>&1
[ -s "$tmp/core" ] || {
	echo "skipped: GDB writes no core: $(tail -n 1 "$tmp/said")"
	exit 77
}

# The address of each frame, and what led from it to its caller.
list_frames() {
	"$cairn" bt --explain "$tmp/core" "$tmp/$1/stacks" 2>&1 |
		sed -n 's/^#[0-9]* *\(0x[0-9a-f]*\) .*/\1/p; s/.* its caller by \([a-z-]*\),.*/\1/p; /stopped/p' >"$tmp/$1.got"
}
for kind in all packed bare; do list_frames $kind; done
if grep -q stopped "$tmp/all.got" || ! cmp "$tmp/all.got" "$tmp/packed.got"; then
	"$cairn" bt "$tmp/core" "$tmp/packed/stacks" || :
	exit 1
fi
! cmp -s "$tmp/bare.got" "$tmp/all.got" || {
	echo 'nothing depends on the section: nothing was tested'
	exit 1
}
echo 'stacks equal'
