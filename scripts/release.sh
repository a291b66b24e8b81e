#!/bin/sh
# SPDX-License-Identifier: MIT
# A release of HEAD: scripts/release.sh VERSION [DIR].
#
# Checks that meson.build, docs/CHANGELOG.md and the manual agree about VERSION; makes the source archive
# DIR/cairn-VERSION.tar.xz by `meson dist`, twice; and builds and installs that archive twice, in directories, time zones,
# locales, file modes and times, search paths, kernels' names, numbers of jobs and (as root) users and
# host names that differ. The archives must be equal, and what is installed must have equal hashes, which are in
# DIR/cairn-VERSION.sha256.  DIR is build-release by default.
set -eu
version=${1:?usage: scripts/release.sh VERSION [DIR]}
cd "$(dirname "$0")/.."
. scripts/checkout.sh
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
[ -z "$(own_git status --porcelain --untracked-files=no)" ] || fail 'commit first: there are changes'

work=$(mktemp -d "${TMPDIR:-/var/tmp}/cairn-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 711 "$work"
when=$(own_git log -1 --format=%ct)

# run_as USER DIR ENVIRONMENT...: DIR/run, as that user when root runs this
run_as() {
	user=$1 where=$2
	shift 2
	mkdir -p "$where/home"
	if [ "$(id -u)" = 0 ] && [ "$user" != root ]; then
		chown -R "$user" "$where"
		set -- setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env "$@"
	else
		set -- env "$@"
	fi
	$elsewhere "$@" HOME="$where/home" CCACHE_DISABLE=1 sh "$where/run"
}

# archive_in DIR USER ENVIRONMENT...: DIR/archive.tar.xz.  What `meson dist` writes has the owner and the time of
# who runs it; here names are in order, and the owner, the modes and the time are those of no machine.
archive_in() {
	where=$1 user=$2
	shift 2
	clone_checkout "$where/tree"
	cat >"$where/run" <<END
set -eu
cd $where/tree
git update-index -q --refresh
meson setup ../dist -Dauto_features=disabled -Dtests=false >../log
meson dist -C ../dist --no-tests --formats xztar >>../log
mkdir ../unpacked
tar -xJf ../dist/meson-dist/cairn-$version.tar.xz -C ../unpacked
tar -C ../unpacked --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$when -cf - \
	cairn-$version | xz -6 -T1 >../archive.tar.xz
END
	run_as "$user" "$where" "$@"
}
elsewhere='' touched=''
archive_in "$work/one" root TZ=UTC LC_ALL=C
sleep 2 # files of another time
(
	umask 077
	archive_in "$work/two-with-a-longer-name" nobody TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANGUAGE=de
)
cmp "$work/one/archive.tar.xz" "$work/two-with-a-longer-name/archive.tar.xz" || fail 'two archives differ'
cp "$work/one/archive.tar.xz" "$folder/cairn-$version.tar.xz"
echo "cairn-$version.tar.xz: made twice, equal, $(wc -c <"$folder/cairn-$version.tar.xz") bytes; its manual is of $date"

# build_in DIR USER JOBS ENVIRONMENT...: the archive, installed to DIR/root
build_in() {
	where=$1 user=$2 jobs=$3
	shift 3
	mkdir -p "$where"
	tar -xJf "$folder/cairn-$version.tar.xz" -C "$where"
	[ -z "$touched" ] || find "$where" -exec touch -d "$touched" {} +
	cat >"$where/run" <<END
set -eu
cd $where/cairn-$version
meson setup out --prefix=/usr --libdir=lib --buildtype=release -Db_ndebug=false -Dtests=false \
	-Dc_args=-ffile-prefix-map=$where/cairn-$version=. -Dcpp_args=-ffile-prefix-map=$where/cairn-$version=. >log 2>&1
ninja -C out -j $jobs >>log 2>&1 || { tail -n 20 log; exit 1; }
DESTDIR=$where/root meson install -C out --no-rebuild >>log 2>&1
END
	run_as "$user" "$where" "$@"
	(cd "$where/root" && find . -type f -exec sha256sum {} + | LC_ALL=C sort -k 2) >"$work/$(basename "$where").sums"
	(cd "$where/root" && find . -type l -exec ls -l {} + | sed 's/.* \(\.\/.* -> .*\)/\1/' | LC_ALL=C sort) \
		>>"$work/$(basename "$where").sums"
}

elsewhere='' touched=''
build_in "$work/first" root 1 TZ=UTC LC_ALL=C
sleep 2 # files of another time
(
	umask 002
	touched='2011-02-03 04:05:06'
	elsewhere='setarch --uname-2.6'
	[ "$(id -u)" != 0 ] || ! unshare --uts true 2>/dev/null ||
		elsewhere="unshare --uts -- sh $work/renamed setarch --uname-2.6"
	printf 'hostname elsewhere.example && exec "$@"\n' >"$work/renamed"
	build_in "$work/and-a-second-one-with-a-longer-name" nobody 3 TZ=Asia/Tokyo \
		PATH="/nowhere:$PATH:/elsewhere" CAIRN_UNKNOWN=1 LC_ALL=C.UTF-8 LANGUAGE=de
)
diff "$work/first.sums" "$work/and-a-second-one-with-a-longer-name.sums" || fail 'two builds differ'
files=$(wc -l <"$work/first.sums")
[ "$files" -gt 50 ] || fail 'hardly anything was installed'
cp "$work/first.sums" "$folder/cairn-$version.sha256"
echo "two builds are equal: $files files, $folder/cairn-$version.sha256"
