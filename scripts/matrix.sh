#!/bin/sh
# SPDX-License-Identifier: MIT
# The host tests in the GDB of another Debian: scripts/matrix.sh SUITE [FOLDER].
#
# Makes a small system of that suite in FOLDER (default /var/tmp/cairn-SUITE) with debootstrap, when
# it is not there yet, and runs in it what is already built here: the module that Debian 12's
# compiler made must work in every GDB.  Needs root, for debootstrap and chroot.  The folder stays,
# to be used again.
set -eu
suite=${1:?usage: scripts/matrix.sh SUITE [FOLDER]}
folder=${2:-/var/tmp/cairn-$suite}
case $folder in
/*) ;;
*) folder=$PWD/$folder ;;
esac
cd "$(dirname "$0")/.."
. scripts/root.sh
root=$PWD
module=$root/build/plugin/gdb/cairn-gdb.so
[ -f "$module" ] || { echo "matrix.sh: build first: no $module"; exit 2; }
if [ "${3:-}" != --apart ]; then
	reason=$(root_hindrance "$suite")
	[ -z "$reason" ] || { echo "matrix.sh: $reason"; exit 77; }
	apart "$root/scripts/matrix.sh" "$suite" "$folder" --apart
fi

in_folder() {
	in_root "$folder" LC_ALL=C "$@"
}

[ -x "$folder/usr/bin/gdb" ] || make_root "$suite" "$folder"
mount_root "$suite" "$folder"
# at the same path, so that the module's own path is right
mkdir -p "$folder$root"
mount --bind "$root" "$folder$root"
if [ ! -x "$folder/usr/bin/gdb" ]; then
	in_folder sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends gdb gdbserver gcc libc6-dev binutils' >/dev/null
fi

in_folder gdb --version | head -n 1
passed=0 failed=0
tell() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
		echo "ok: $1: $(tail -n 1 /tmp/matrix.$$)"
	else
		failed=$((failed + 1))
		echo "FAILED: $1"
		tail -n 15 /tmp/matrix.$$
	fi
	rm -f /tmp/matrix.$$
}

# What makes symbols is here, and need not be there: only GDB and the programs run there.
share=$(mktemp -d)
mkdir -p "$folder$share"
mount --bind "$share" "$folder$share"
trap 'umount "$folder$share" && rmdir "$folder$share"; rm -rf "$share"' EXIT
printf '#!/bin/sh\nexec chroot %s gdb "$@"\n' "$folder" >"$share/gdb"
chmod +x "$share/gdb"
for test in symbols.sh follow.sh before.sh mi_before.sh sessions.sh; do
	status=0
	TMPDIR=$share GDB=$share/gdb RUN="chroot $folder" MODULE=$module CAIRN=$root/build/core/cli/cairn \
		CAIRN_GDB=$root/build/scripts/cairn.gdb sh "$root/tests/host/$test" </dev/null \
		>/tmp/matrix.$$ 2>&1 || status=$?
	tell "$test" $status
done

while read -r test flags; do
	# shellcheck disable=SC2086 # flags are words
	status=0
	in_folder MODULE="$module" CAIRN_GDB="$root/build/scripts/cairn.gdb" \
		sh "$root/tests/host/$test" $flags </dev/null >/tmp/matrix.$$ 2>&1 || status=$?
	tell "$test $flags" $status
done <<'END'
live.sh -O0
live.sh -O2
live.sh -O2 -fno-omit-frame-pointer
live.sh -O2 -static
core.sh -O2
outside.sh -O2
commands.sh -O0
commands.sh -O2
steps.sh -O0 -no-pie
steps.sh -O2 -no-pie
jit.sh
robust.sh
contexts.sh
mi.sh
colors.sh
readers.sh
recipe.sh
END
echo "$passed passed, $failed failed"
[ $failed = 0 ]
