#!/bin/sh
# SPDX-License-Identifier: MIT
# A stripped program and library whose debug files debuginfod has: GDB gets their symbols from cairn when the user
# asks for that, and only then.  The files are in the cache that all clients of debuginfod share, so that nobody
# is asked over a network here; tests/net/gsym_fetch.sh has servers.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip objcopy readelf
PATH=$(dirname "$(realpath "$CAIRN")"):$PATH
export PATH XDG_CACHE_HOME="$tmp/own" DEBUGINFOD_CACHE_PATH="$tmp/shared" DEBUGINFOD_URLS=
mkdir "$tmp/run" "$tmp/complete"
XDG_RUNTIME_DIR=$tmp/run
export XDG_RUNTIME_DIR

# publish FILE STRIPPED: its debug file is in the shared cache
publish() {
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	mkdir -p "$tmp/shared/$id"
	objcopy --only-keep-debug "$1" "$tmp/shared/$id/debuginfo"
	strip -s -o "$2" "$1"
}
"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 "$programs/plugs.c" -o "$tmp/complete/plugs" -ldl
"$CC_TARGET" -g -O1 -shared -fPIC -Wl,--build-id=sha1 -DNAME=first "$programs/plug.c" -o "$tmp/complete/first.so"
publish "$tmp/complete/plugs" "$tmp/plugs"
publish "$tmp/complete/first.so" "$tmp/first.so"

# session COMMANDS...: to $tmp/said
session() {
	for word; do
		set -- "$@" -ex "$word"
		shift
	done
	within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set confirm off' -iex 'set width 0' -iex "source $CAIRN_GDB" "$@" "$tmp/plugs" \
		</dev/null >"$tmp/said" 2>&1 || :
}
# said COUNT PATTERN
said() {
	[ "$(grep -c -e "$2" "$tmp/said")" = "$1" ] || {
		cat "$tmp/said"
		fail "not $1 times: $2"
	}
}

# unasked: nothing is fetched; what helps depends on whether there are servers
lacks="^cairn: no symbols for $tmp/plugs (build ID [0-9a-f]*): none beside it, in /usr/lib/debug or in the cache;"
DEBUGINFOD_URLS=http://127.0.0.1:9
session 'cairn symbols load' 'info line main'
said 1 'No symbols found for 1 module[.]'
said 1 "$lacks \"cairn symbols load -debuginfod\" asks the servers for them$"
DEBUGINFOD_URLS=
session 'cairn symbols load' 'info line main'
said 1 "$lacks 'cairn gsym create' creates them from an unstripped copy, and \"cairn add-gsym FILE\" adds them$"
[ ! -e "$tmp/own" ] || fail 'something was kept without -debuginfod'

# before there is a process, and by name
session 'cairn symbols load -debuginfod plugs' 'info line main'
said 1 "^$tmp/plugs: [1-9][0-9]* functions from $tmp/own/cairn/[0-9a-f]*[.]debuginfod[.]gsym$"
said 1 '^Line [0-9]* of ".*plugs.c"'

# the program has them now; the library gets them at a stop, as JSON
session "run $tmp/first.so first" continue \
	'cairn symbols load -debuginfod -json' 'info line deeper' 'cairn symbols load -debuginfod first.so'
said 1 '"loaded":\[{"module":".*plugs",.*{"module":".*first.so",'
said 1 '^Line [0-9]* of ".*plug.c"'
said 1 '^Nothing to load: '
[ "$(find "$tmp/own/cairn" -name '*.debuginfod.gsym' | wc -l)" = 2 ] || fail 'not two files'

# nobody has it: the program cairn reports why, and the command what it lacks
rm -r "$tmp/shared" "$tmp/own"
session 'cairn symbols load -debuginfod plugs'
said 1 'cairn: DEBUGINFOD_URLS names no server'
said 1 "no symbols for $tmp/plugs: no symbol file found"
