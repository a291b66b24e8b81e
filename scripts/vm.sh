#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests of the suite `vm` on the existing build: scripts/vm.sh [BUILD]
#
# They start a small virtual machine, because they change settings of the kernel. What they need and the
# ordinary tests do not is got here, on Debian: qemu and busybox are installed (by root), the kernel is only
# unpacked, into ${XDG_CACHE_HOME:-~/.cache}/cairn-vm. It is some 200 MB.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ -f "$build/build.ninja" ] || { echo "no build in $build: meson setup $build"; exit 1; }
[ "$(dpkg --print-architecture)" = amd64 ] || { echo 'skipped: the virtual machine is one of amd64'; exit 77; }

if ! command -v qemu-system-x86_64 >/dev/null || ! command -v busybox >/dev/null; then
	[ "$(id -u)" = 0 ] || { echo 'as root: apt-get install --no-install-recommends qemu-system-x86 busybox-static'; exit 77; }
	apt-get install -y --no-install-recommends qemu-system-x86 busybox-static
fi

folder=${XDG_CACHE_HOME:-$HOME/.cache}/cairn-vm
if ! ls "$folder"/boot/vmlinuz-* >/dev/null 2>&1; then
	mkdir -p "$folder"
	package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	[ -n "$package" ] || { echo 'apt knows no linux-image-cloud-amd64; apt-get update?'; exit 1; }
	(cd "$folder" && apt-get download "$package" && dpkg-deb -x "$package"_*.deb . && rm "$package"_*.deb)
fi
CAIRN_VM_KERNEL=$(ls "$folder"/boot/vmlinuz-* | tail -n 1)
export CAIRN_VM_KERNEL
exec meson test -C "$build" --suite vm --verbose
