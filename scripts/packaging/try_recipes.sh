#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipes for systems other than Debian: scripts/packaging/try_recipes.sh [--build].
#
# In a fresh Debian 12 with rpm, rpmlint and Nix: the RPM spec is read by rpmspec and rpmlint, which may find no
# errors, and the Nix file by nix-instantiate. With --build the RPMs are built, without what Fedora calls its
# packages (--nodeps). Needs root and a Debian archive; without these it says so and exits with 77.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/scripts/root.sh"
. "$top/scripts/checkout.sh"

try_in() {
	mkdir -p "$1/src/SOURCES"
	cp "$top/scripts/packaging/rpm/cairn.spec" "$top/scripts/packaging/rpm/cairn.rpmlintrc" "$top/scripts/packaging/nix/default.nix" "$1/src/"
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$top/meson.build")
	(cd "$top" && own_git archive --prefix="cairn-$version/" HEAD) | xz -1 >"$1/src/SOURCES/cairn-$version.tar.xz"
	cat >"$1/src/try" <<END
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends rpm rpmlint nix-bin >/dev/null
cd /src
grep -q "^Version: *$version\$" cairn.spec
grep -q 'version = "$version"' default.nix
nix-instantiate --parse default.nix >/dev/null
echo "nix-instantiate: read"
rpmspec -P cairn.spec >/dev/null
rpmlint --rpmlintrc cairn.rpmlintrc cairn.spec
if [ "$build" = --build ]; then
	apt-get install -y -qq --no-install-recommends gcc libc6-dev meson ninja-build pkg-config binutils libelf-dev libdw-dev \
		gdb libmicrohttpd-dev librabbitmq-dev libzstd-dev liblzma-dev liblz4-dev zlib1g-dev libdeflate-dev \
		libcurl4-openssl-dev lowdown patch file debugedit >/dev/null
	# Debian's rpm has no macros of Meson
	rpmbuild -bb --nodeps --define '_topdir /src' --define 'debug_package %{nil}' --define '_libdir /usr/lib64' \
		--define 'meson meson setup out --prefix=/usr --libdir=/usr/lib64 --libexecdir=/usr/libexec -Dauto_features=enabled' \
		--define 'meson_build meson compile -C out' \
		--define 'meson_install meson install -C out --no-rebuild --destdir %{buildroot}' cairn.spec >log 2>&1 || {
		tail -n 30 log
		exit 1
	}
	find RPMS -name '*.rpm' | LC_ALL=C sort
fi
END
	in_root "$1" sh /src/try
}

build=${1:-}
if [ "$build" = --apart ]; then
	build=$3
	make_root bookworm "$2"
	mount_root bookworm "$2"
	try_in "$2"
	exit
fi
reason=$(root_hindrance bookworm)
[ -z "$reason" ] || {
	echo "try_recipes.sh: $reason"
	exit 77
}
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/cairn-recipes.XXXXXX")
trap 'rm -rf "$folder"' EXIT
status=0
unshare --mount --pid --fork --kill-child --mount-proc "$0" --apart "$folder/root" "$build" || status=$?
exit $status
