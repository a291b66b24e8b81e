#!/bin/sh
# SPDX-License-Identifier: MIT
# Names become readable by code of our own alone: no library is opened for one, so they are the same on every
# machine, and what nobody reads is left as it is.
#
#	alone.sh CAIRN
set -u
LC_ALL=C
export LC_ALL
cairn=$1
. "$(dirname "$0")/../../lib/test.sh"
cat >"$work/names" <<'END'
_ZN1aI1bIiEE1cEv
_ZNSt6vectorIiSaIiEE9push_backEOi
_ZN5crate4main17h0123456789abcdefE
_ZN3p0514gr$uf6$$udf$e_8_$u6570$8_$ue9$t_17h0071156945dbc21eE
_RINvC1a1bINtC1c1VhEE
_RNvC5crateu7caf_dma
___Z1fv_block_invoke_2
_D8demangle4testZ
?f@@YAXXZ
$s4main1fyyF
plain
END
cat >"$work/expected" <<'END'
a::c()
std::vector::push_back(int&&)
crate::main
p05::größe_::数::ét_
a::b::<c::V<u8>>
crate::café
invocation function for block in f()
_D8demangle4testZ
?f@@YAXXZ
$s4main1fyyF
plain
END
# without anything of the user's, where a Swift runtime could be named
env -i LC_ALL=C LD_DEBUG=files LD_DEBUG_OUTPUT="$work/loaded" "$cairn" symbfile name <"$work/names" >"$work/out" 2>"$work/err" || {
	echo "names alone: status $?: $(cat "$work/err")"
	exit 1
}
sed 's/ *$//' "$work/out" | diff "$work/expected" - || {
	echo 'names alone: other names'
	exit 1
}
[ -n "$(find "$work" -name 'loaded*' -size +0)" ] || {
	echo 'names alone: what is loaded cannot be seen here: not tested'
	exit 77
}
if grep 'dynamically loaded by' "$work"/loaded* >"$work/opened"; then
	echo "names alone: libraries are opened for names: $(cat "$work/opened")"
	exit 1
fi
echo "names alone: $(wc -l <"$work/names") names, and no library for them"
