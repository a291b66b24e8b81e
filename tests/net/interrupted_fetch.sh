#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C while a file is fetched leaves nothing half-made: before each call that changes something on the disk, SIGINT
# comes (../tools/interrupt.c).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/net.sh"
cairn=$CAIRN library=$INTERRUPT
. "$here/../lib/interrupts.sh"

"$MAKE_SYMBFILE" 300 >"$work/a"
serve
expect 0 "$CAIRN" symbfile push --url "$url" --file-id "$id" "$work/a"
cd "$work" || exit 2
mkdir start
XDG_CACHE_HOME=$work/out HOME=$work/out
export XDG_CACHE_HOME HOME
each 0 symbfile fetch --quiet --url "$url" "$id"
each 0 symbfile fetch --quiet --url "$url" --output out/file "$id"

ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
echo 'int main(void) { return 0; }' >prog.c
if "$ldconfig" -p | grep -q 'libdebuginfod\.so\.1' && ${CC_TARGET:-cc} -g -Wl,--build-id -o prog prog.c; then
	build=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	# what debuginfod's clients have fetched before
	mkdir -p "client/$build"
	cp prog "client/$build/debuginfo"
	DEBUGINFOD_CACHE_PATH=$work/client DEBUGINFOD_URLS=$url
	export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
	each 0 gsym fetch --quiet "$build"
else
	echo 'not tested: gsym fetch, without libdebuginfod or a compiler'
fi
exit $failed
