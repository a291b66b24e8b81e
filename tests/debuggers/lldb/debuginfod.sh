#!/bin/sh
# SPDX-License-Identifier: MIT
# A stripped program whose debug file debuginfod has: LLDB gets its symbols from cairn when the user asks for that, and
# only then.  As tests/debuggers/debuginfod.sh, without a network.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
PATH=$(dirname "$(realpath "$CAIRN")"):$PATH
export PATH XDG_CACHE_HOME="$tmp/own" DEBUGINFOD_CACHE_PATH="$tmp/shared" DEBUGINFOD_URLS=

"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 "$programs/plugs.c" -o "$tmp/complete" -ldl
strip -s -o "$tmp/plugs" "$tmp/complete"
id=$(readelf -n "$tmp/complete" | sed -n 's/.*Build ID: //p')
mkdir -p "$tmp/shared/$id"
objcopy --only-keep-debug "$tmp/complete" "$tmp/shared/$id/debuginfo"

session() {
	within "${LIMIT:-300}" "$LLDB" -x -b -O 'settings set use-color false' \
		-O 'settings set symbols.enable-external-lookup false' -O "plugin load $LLDB_PLUGIN" \
		"$@" "$tmp/plugs" </dev/null >"$tmp/said" 2>&1 || :
}
# said COUNT PATTERN
said() {
	[ "$(grep -c -e "$2" "$tmp/said")" = "$1" ] || {
		cat "$tmp/said"
		fail "not $1 times: $2"
	}
}

session -o 'cairn symbols load'
[ ! -e "$tmp/own" ] || fail 'something was kept without -debuginfod'
session -o 'cairn symbols load -debuginfod plugs' -o 'source info -n main' -o 'cairn symbols load -debuginfod'
said 1 "^$tmp/plugs: [1-9][0-9]* functions from $tmp/own/cairn/$id[.]debuginfod[.]gsym$"
said 1 'plugs.c:21$'
said 1 '^Nothing to load: '

rm -r "$tmp/shared" "$tmp/own"
session -o 'cairn symbols load -debuginfod plugs'
said 1 'cairn: DEBUGINFOD_URLS names no server'
said 1 "no symbols for $tmp/plugs: no symbol file found"
