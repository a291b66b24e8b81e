#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn modules` names the files of modules that nobody has asked GDB for yet, before any symbols are loaded.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET"

echo 'int main(void) { return 0; }' >"$tmp/named.c"
"$CC_TARGET" -g "$tmp/named.c" -Wl,--build-id=sha1 -o "$tmp/named"
within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set width 0' \
	-ex "source $CAIRN_GDB" -ex 'break main' -ex run -ex 'cairn where $pc' -ex 'cairn modules' -ex 'cairn modules -json' \
	"$tmp/named" </dev/null >"$tmp/said" 2>&1 || :
grep -q '^  module   module at 0x' "$tmp/said" || fail "GDB was asked for names before: $(cat "$tmp/said")"
grep -q "^0x[0-9a-f]*-0x[0-9a-f]*  $tmp/named  .*build ID" "$tmp/said" || fail "no name: $(cat "$tmp/said")"
! grep '^0x' "$tmp/said" | grep -q 'module at' || fail "a module without its name: $(cat "$tmp/said")"
grep -q "\"name\":\"$tmp/named\"" "$tmp/said" || fail 'no name in JSON'
