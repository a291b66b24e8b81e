#!/bin/sh
# SPDX-License-Identifier: MIT
# autoload.sh: what `meson install` with -Dlldb_autoload=true puts into /usr/lib/lldb/plugins LLDB 17 and newer load by
# themselves.  It is installed into a directory, which is laid over /usr/lib for one LLDB alone: needs root.
. "$(dirname "$0")/lib.sh"
root=${here%/tests/*}
for tool in meson ninja; do
	command -v $tool >/dev/null || skip "no $tool on this machine"
done
version=$("$LLDB" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
[ "$version" -ge 17 ] || skip "LLDB $version does not look there"
[ "$(id -u)" = 0 ] || skip 'only root may lay one folder over another'

meson setup "$tmp/build" "$root" -Dprefix=/usr -Dlldb=enabled -Dlldb_autoload=true >"$tmp/said" 2>&1 &&
	ninja -C "$tmp/build" >"$tmp/said" 2>&1 &&
	meson install -C "$tmp/build" --no-rebuild --quiet --destdir "$tmp/root" >"$tmp/said" 2>&1 || {
	tail -n 5 "$tmp/said"
	fail 'cairn cannot be built or installed'
}
link=$tmp/root/usr/lib/lldb/plugins/cairn-lldb.so
[ -L "$link" ] || fail 'no link in /usr/lib/lldb/plugins'
[ -f "$tmp/root$(readlink "$link")" ] || fail "the link leads to $(readlink "$link"), which is not installed"

# started LOWER: LLDB with those directories as /usr/lib
started() {
	HOME="$tmp" unshare --mount sh -c 'mount -t overlay overlay -o "lowerdir=$1" /usr/lib && shift && exec "$@"' \
		sh "$1" "$LLDB" -x -b -o 'cairn status' </dev/null >"$tmp/said" 2>&1
}
mkdir "$tmp/empty"
started "$tmp/empty:/usr/lib" && fail 'cairn is installed here already: the test would show nothing'
grep -q "'cairn' is not a valid command" "$tmp/said" || {
	cat "$tmp/said"
	skip 'no folder can be laid over /usr/lib here'
}
started "$tmp/root/usr/lib:/usr/lib" || {
	cat "$tmp/said"
	fail 'LLDB does not load the plugin by itself'
}
grep -q "^cairn [0-9.]* in LLDB $version" "$tmp/said" || {
	cat "$tmp/said"
	fail 'no answer of cairn'
}
echo "LLDB $version loads the plugin by itself"
