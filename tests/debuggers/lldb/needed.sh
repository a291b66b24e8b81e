#!/bin/sh
# SPDX-License-Identifier: MIT
# needed.sh: LLDB ends when a plugin calls a function that it does not have.  So all that the plugin needs
# of LLDB is in this LLDB, and what is weak is in LLDB 17 and newer.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'

# LLDB_LIBRARY: its liblldb, where that cannot be asked for
library=${LLDB_LIBRARY:-}
[ -n "$library" ] || {
	started=$(command -v "$LLDB")
	program=$(sed -n 's/^exec \([^ ]*\) .*/\1/p' "$started" 2>/dev/null | head -n 1)
	library=$(env LD_LIBRARY_PATH="$(sed -n 's/^export LD_LIBRARY_PATH=//p' "$started" 2>/dev/null)" \
		ldd "${program:-$(readlink -f "$started")}" | awk '/liblldb/ { print $3 }')
}
[ -f "$library" ] || fail "no liblldb of $LLDB"
version=$("$LLDB" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')

nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$tmp/has"
nm -D --undefined-only "$LLDB_PLUGIN" |
	awk -v weak=$((version >= 17)) '$2 ~ /4lldb/ && ($1 == "U" || weak) { print $2 }' |
	LC_ALL=C sort >"$tmp/wants"
[ "$(wc -l <"$tmp/wants")" -gt 50 ] || fail 'the plugin needs hardly anything of LLDB: is it one?'
comm -23 "$tmp/wants" "$tmp/has" >"$tmp/lacks"
[ ! -s "$tmp/lacks" ] || {
	cat "$tmp/lacks"
	fail "LLDB $version does not have these"
}
# linked to one version, it would load in no other
! readelf -d "$LLDB_PLUGIN" | grep NEEDED | grep lldb || fail 'the plugin is linked to LLDB'
echo "LLDB $version has all $(wc -l <"$tmp/wants") functions that the plugin needs"
