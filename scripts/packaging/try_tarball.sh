#!/bin/sh
# SPDX-License-Identifier: MIT
# The tarball of scripts/tarball.sh on a system that is older than the one it was made on:
# scripts/packaging/try_tarball.sh TARBALL [SUITE].
#
# Makes a fresh Debian of SUITE (default bullseye: glibc 2.31, GDB 10) with debootstrap, installs GDB there, and
# follows the tarball's README: install, set up GDB, the stack of a program without .eh_frame in GDB and from its
# core, remove.  Nothing may be left.  Needs root and a Debian archive; without these it says so and exits with 77.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/scripts/root.sh"

# try_in DIR: what a user does there
try_in() {
	mkdir -p "$1/src"
	cp "$tarball" "$1/src/"
	# the program of a machine with a newer assembler; it needs no library there
	cc -O2 -g -Wa,--gsframe -static "$top/docs/examples/shop.c" -o "$1/src/complete"
	strip -R .eh_frame -R .eh_frame_hdr -o "$1/src/shop" "$1/src/complete"
	in_root "$1" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends gdb' >/dev/null
	in_root "$1" gdb --version | head -n 1
	in_root "$1" ldd --version | head -n 1
	cat >"$1/src/follow" <<'END'
set -eu
cd /src
tar xzf cairn-*-linux-*.tar.gz
cairn-*/install.sh /opt/cairn
PATH=/opt/cairn/bin:$PATH
cairn gsym create --quiet -o shop.gsym complete
cairn setup --write gdb
cairn symbols write --quiet --for shop shop.gsym -o shop.debug
gdb -batch -ex 'symbol-file shop.debug' -ex run -ex bt -ex 'generate-core-file shop.core' shop >live 2>&1 || :
cairn bt -n 3 shop.core >core || :
cairn doctor >doctor || :
sed '1,/^#*$/d' /opt/cairn/share/cairn/cairn.gdb | grep -n '^[[:space:]]*\(#\|$\)' >comments || :
cairn-*/install.sh --remove /opt/cairn
find /opt/cairn >left
END
	in_root "$1" sh /src/follow || return
	# GDB 10 shows no inlined calls of such symbols
	expect "$1/src/live" 'item_total order_total main '
	expect "$1/src/core" 'taxed item_total order_total main '
	# of GDB 10, that it has no commands
	! grep '^fault' "$1/src/doctor" | grep -v 'gdb module .*no commands in GDB 11 and older' || return
	# GDB reads a byte at a time: the script is without what is for its reader alone
	[ ! -s "$1/src/comments" ] || {
		cat "$1/src/comments"
		return 1
	}
	[ "$(cat "$1/src/left")" = /opt/cairn ] || {
		cat "$1/src/left"
		return 1
	}
	echo "install, a stack in GDB, one from a core, removal: as they should be"
}

# expect FILE NAMES: the functions of the stack in it
expect() {
	got=$(sed -n -e 's/^#[0-9]*  0x[0-9a-f]* in /#0  /' -e 's/^#[0-9]*  \([a-z_]*\) (.*/\1/p' "$1" | tr '\n' ' ')
	[ "$got" = "$2" ] || {
		cat "$1"
		return 1
	}
}

tarball=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
suite=${2:-bullseye}
if [ "${3:-}" != --apart ]; then
	reason=$(root_hindrance "$suite")
	[ -z "$reason" ] || {
		echo "try_tarball.sh: $reason"
		exit 77
	}
	folder=$(mktemp -d "${TMPDIR:-/var/tmp}/cairn-old.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	status=0
	unshare --mount --pid --fork --kill-child --mount-proc "$0" "$tarball" "$suite" --apart "$folder/root" || status=$?
	exit $status
fi
make_root "$suite" "$4"
mount_root "$suite" "$4"
try_in "$4"
