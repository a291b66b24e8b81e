#!/bin/sh
# SPDX-License-Identifier: MIT
# Where do libraries go on a Debian without dpkg-dev?  libdir.sh SOURCE
#
# Meson by itself puts them into lib64 there, which neither ld.so nor pkg-config looks into.
set -u
source=$1
. "$(dirname "$0")/../lib/test.sh"
[ -e /etc/debian_version ] || skip 'this is no Debian'
[ -d /usr/lib64 ] && [ ! -L /usr/lib64 ] || skip 'without /usr/lib64 Meson does not think of it'

# all programs but one, and no wrapper of compilers, which would find itself
mkdir "$work/bin"
for folder in $(echo "$PATH" | tr ':' '\n' | grep -v ccache | awk '!seen[$0]++'); do
	find "$folder" -maxdepth 1 \( -type f -o -type l \) ! -name dpkg-architecture -exec ln -s -t "$work/bin" {} + 2>/dev/null
done
PATH=$work/bin meson setup "$work/build" "$source" -Dauto_features=disabled -Dtests=false >"$work/log" 2>&1 || {
	tail -n 5 "$work/log"
	exit 1
}
meson introspect --installed "$work/build" | tr ',' '\n' | sed 's/.*: *"\(.*\)".*/\1/' >"$work/installed"
grep -q 'libcairn.*\.so' "$work/installed" || fail "no library is installed: $(cat "$work/installed")"
! grep '/lib64/' "$work/installed" || fail 'these are not found'
for path in lib/libcairn.so lib/libcairn-dwarf.so lib/libcairn-jit.so lib/libcairn.a lib/pkgconfig/cairn.pc; do
	grep -q "^/usr/local/$path" "$work/installed" || fail "no /usr/local/$path in $(cat "$work/installed")"
done
# the flags that a program is built with
for pc in cairn cairn-dwarf cairn-jit; do
	found=$(PKG_CONFIG_PATH=$work/build/meson-private pkg-config --libs $pc) || fail "no $pc.pc"
	case $found in
	*lib64*) fail "$pc: $found" ;;
	esac
done
exit $failed
