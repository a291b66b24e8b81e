#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn for machines on which nothing may be installed: scripts/tarball.sh [DIR].
#
# Builds in build-static, and writes DIR/cairn-VERSION-linux-MACHINE.tar.gz (DIR is the current one by
# default): a static `cairn`, without the network and without Swift's names; a module for any GDB with glibc
# 2.28 or newer; and install.sh, which copies them below a directory of the user and tells GDB's script where the
# module is.  Needs what scripts/setup.sh installs, and the static libraries that come with it.
set -eu
folder=$(cd "${1:-.}" && pwd)
cd "$(dirname "$0")/.."
. scripts/checkout.sh
export LC_ALL=C
machine=$(uname -m)
scripts/configure.sh build-static --prefix=/usr --libdir=lib --buildtype=release -Dauto_features=enabled \
	-Dstatic=true -Dprefer_static=true -Dnet=disabled -Dlldb=disabled -Dcheck=disabled -Dmanual=auto
ninja -C build-static core/cli/cairn plugin/gdb/cairn-gdb.so >build-static/compile.log 2>&1 || {
	grep -E 'error|FAILED' build-static/compile.log | head -n 20
	exit 1
}
cairn=build-static/core/cli/cairn module=build-static/plugin/gdb/cairn-gdb.so
! readelf -lW "$cairn" | grep -q INTERP || {
	echo "$cairn is not static"
	exit 1
}
tests/house/old_glibc.sh "$module" 2.28 >/dev/null

version=$("$cairn" --version | sed 's/.* //')
name=cairn-$version-linux-$machine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/bin" "$root/lib/cairn" "$root/share/cairn" "$root/share/doc/cairn/libraries"
strip -o "$root/bin/cairn" "$cairn"
strip -g -o "$root/lib/cairn/cairn-gdb.so" "$module"
# GDB's script as it is installed, but for the place of the module
sed 's|/usr/lib/cairn/cairn-gdb\.so|@MODULE@|' build-static/scripts/cairn-installed.gdb >"$root/share/cairn/cairn.gdb.in"
grep -q '@MODULE@' "$root/share/cairn/cairn.gdb.in" || {
	echo "GDB's script names no module"
	exit 1
}
cp scripts/packaging/tarball/install.sh "$root/install.sh"
sed "s/@VERSION@/$version/" scripts/packaging/tarball/README >"$root/README"
cp LICENSE "$root/share/doc/cairn/"
# the licences of what is inside the static program
for package in libc6-dev libelf-dev libdw-dev zlib1g-dev libdeflate-dev libzstd-dev liblzma-dev \
	liblz4-dev libbz2-dev; do
	[ ! -f "/usr/share/doc/$package/copyright" ] ||
		cp -L "/usr/share/doc/$package/copyright" "$root/share/doc/cairn/libraries/$package"
done
mkdir -p "$root/share/bash-completion/completions" "$root/share/zsh/site-functions" \
	"$root/share/fish/vendor_completions.d"
cp scripts/completions/cairn.bash "$root/share/bash-completion/completions/cairn"
cp scripts/completions/_cairn "$root/share/zsh/site-functions/"
cp scripts/completions/cairn.fish "$root/share/fish/vendor_completions.d/"
! command -v lowdown >/dev/null ||
	scripts/manual/manual.sh "$cairn" "$root/share/man" "$(sed -n "s/^manual_date = '\(.*\)'/\1/p" scripts/meson.build)"

# the same bytes from the same sources: names in order, nobody's files, the time of the last change
when=${SOURCE_DATE_EPOCH:-$(own_git log -1 --format=%ct 2>/dev/null || echo 0)}
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f -exec chmod 644 {} +
chmod 755 "$root/bin/cairn" "$root/install.sh"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" -cf - "$name" |
	gzip -9n >"$folder/$name.tar.gz"
echo "$folder/$name.tar.gz: $(wc -c <"$folder/$name.tar.gz") bytes, sha256 $(sha256sum "$folder/$name.tar.gz" | cut -d ' ' -f 1)"
