#!/bin/sh
# SPDX-License-Identifier: MIT
# GSYM files of Debian's large debug packages hold what their input holds: packages.sh CAIRN
# CAIRN_PACKAGES is a directory for what is downloaded (110 MB, by apt-get), which is used again.
set -u
cairn=$1
packages="libc6-dbg python3.11-dbg valgrind-dbg"
. "$(dirname "$0")/../lib/test.sh"

skip() {
	echo "packages: skipped, $1"
	exit 77
}

[ -n "${CAIRN_PACKAGES:-}" ] || skip "CAIRN_PACKAGES names no folder for Debian's debug packages"
command -v dpkg-deb >/dev/null || skip "without dpkg-deb"
mkdir -p "$CAIRN_PACKAGES" || exit 2
for package in $packages; do
	[ -d "$CAIRN_PACKAGES/$package" ] && continue
	(cd "$work" && apt-get -q download "$package" >download 2>&1) || skip "$package cannot be downloaded"
	dpkg-deb -x "$work/$package"_*.deb "$work/$package" || exit 2
	mv "$work/$package" "$CAIRN_PACKAGES/$package" || exit 2
	rm -f "$work/$package"_*.deb
done

files=0
for file in $(for package in $packages; do find "$CAIRN_PACKAGES/$package/usr/lib/debug" -name '*.debug'; done); do
	"$cairn" gsym create --quiet --verify "$file" -o "$work/made.gsym" 2>"$work/errors" && files=$((files + 1)) && continue
	grep -q "no functions" "$work/errors" && continue
	echo "packages: $file: $(cat "$work/errors")"
	exit 1
done
[ $files -gt 0 ] || {
	echo "packages: no file in $CAIRN_PACKAGES was converted"
	exit 1
}
echo "packages: $files files hold what their input holds"
