#!/bin/sh
# SPDX-License-Identifier: MIT
# A release of HEAD: scripts/release.sh VERSION [FOLDER].
#
# Checks that meson.build, docs/CHANGELOG.md and the manual agree about VERSION; writes the source archive
# FOLDER/cairn-VERSION.tar.xz by `meson dist`; and builds and installs that archive twice, in folders, time zones,
# locales, file modes, numbers of jobs and (as root) users that differ. What is installed must have equal hashes; they
# are in FOLDER/cairn-VERSION.sha256.  FOLDER is build-release by default.
set -eu
version=${1:?usage: scripts/release.sh VERSION [FOLDER]}
cd "$(dirname "$0")/.."
top=$PWD
folder=${2:-$top/build-release}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

fail() {
	echo "release.sh: $1"
	exit 1
}
grep -q "^  version: '$version'," meson.build || fail "meson.build has another version than $version"
sed -n 's/^## //p' docs/CHANGELOG.md | head -n 1 | grep -q "^$version\( \|\$\)" ||
	fail "$version is not the first version in docs/CHANGELOG.md"
date=$(sed -n "s/^manual_date = '\(.*\)'/\1/p" scripts/meson.build)
grep -q "^## $version ($date)\$" docs/CHANGELOG.md || fail "the manual is of $date, and docs/CHANGELOG.md is not"
[ -z "$(git status --porcelain --untracked-files=no)" ] || fail 'commit first: there are changes'

work=$(mktemp -d "${TMPDIR:-/var/tmp}/cairn-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
meson setup "$work/dist" -Dauto_features=disabled -Dtests=false >/dev/null
meson dist -C "$work/dist" --no-tests --formats xztar >/dev/null
cp "$work/dist/meson-dist/cairn-$version.tar.xz" "$folder/"
echo "cairn-$version.tar.xz: $(wc -c <"$folder/cairn-$version.tar.xz") bytes; its manual is of $date"

# build_in FOLDER USER JOBS ENVIRONMENT...: the archive, installed to FOLDER/root
build_in() {
	where=$1 user=$2 jobs=$3
	shift 3
	mkdir -p "$where/home"
	tar -xJf "$folder/cairn-$version.tar.xz" -C "$where"
	cat >"$where/build" <<END
set -eu
cd $where/cairn-$version
meson setup out --prefix=/usr --libdir=lib --buildtype=release -Db_ndebug=false -Dtests=false \
	-Dc_args=-ffile-prefix-map=$where/cairn-$version=. -Dcpp_args=-ffile-prefix-map=$where/cairn-$version=. >log 2>&1
ninja -C out -j $jobs >>log 2>&1 || { tail -n 20 log; exit 1; }
DESTDIR=$where/root meson install -C out --no-rebuild >>log 2>&1
END
	if [ "$(id -u)" = 0 ] && [ "$user" != root ]; then
		chmod 711 "$work"
		chown -R "$user" "$where"
		set -- setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env "$@"
	else
		set -- env "$@"
	fi
	"$@" HOME="$where/home" CCACHE_DISABLE=1 sh "$where/build"
	(cd "$where/root" && find . -type f -exec sha256sum {} + | LC_ALL=C sort -k 2) >"$work/$(basename "$where").sums"
	(cd "$where/root" && find . -type l -exec ls -l {} + | sed 's/.* \(\.\/.* -> .*\)/\1/' | LC_ALL=C sort) \
		>>"$work/$(basename "$where").sums"
}

build_in "$work/first" root 1 TZ=UTC LC_ALL=C
sleep 2 # files of another time
(
	umask 002
	build_in "$work/and-a-second-one-with-a-longer-name" nobody 3 TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANGUAGE=de
)
diff "$work/first.sums" "$work/and-a-second-one-with-a-longer-name.sums" || fail 'two builds differ'
files=$(wc -l <"$work/first.sums")
[ "$files" -gt 50 ] || fail 'hardly anything was installed'
cp "$work/first.sums" "$folder/cairn-$version.sha256"
echo "two builds are equal: $files files, $folder/cairn-$version.sha256"
