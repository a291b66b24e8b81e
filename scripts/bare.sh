#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's promise, tried on a machine that has nothing: scripts/bare.sh [--keep] [--demo] [SUITE].
#
# Makes a fresh Debian of SUITE (default bookworm) with debootstrap under ${TMPDIR:-/var/tmp}, puts
# a clean clone of HEAD into /root there, and ../shared beside it when there is one, and runs scripts/demo.sh
# and scripts/test.sh in it.  What the two need beyond the smallest Debian they install themselves.
# The last line counts the tests; exit status 0 says that none failed.  The system is removed at the
# end, but for --keep.  With --demo the tests do not run: only scripts/demo.sh and what scripts/test.sh installs and builds
# before them, each with the seconds that it takes.  Needs root and a Debian archive; without these it says so and exits
# with 77.
set -eu
cd "$(dirname "$0")/.."
. scripts/root.sh
. scripts/checkout.sh

# try_promise SUITE DIR COMMAND...: called apart
try_promise() {
	make_root "$1" "$2" || {
		echo "bare.sh: no Debian $1 could be made"
		return 1
	}
	# in the home of root, which nobody else may read: tests that become another user must bear that
	chmod 700 "$2/root"
	clone_checkout "$2/root/cairn"
	mount_root "$1" "$2"
	if [ -d ../shared ]; then
		mkdir "$2/root/shared"
		mount --bind ../shared "$2/root/shared"
		mount -o remount,bind,ro "$2/root/shared"
	fi
	system=$1 root=$2
	shift 2
	for command; do
		echo "== $system: $command"
		began=$(date +%s)
		# what demo.sh builds is what test.sh would build: not twice
		in_root "$root" SETUP_OPTIONS=tests sh -c "cd /root/cairn && exec $command" </dev/null || return
		ended=$(($(date +%s) - began))
		[ "$command" = scripts/test.sh ] || echo "== $system: $command took $ended s"
	done
	in_root "$root" apt-get -qq autoclean >/dev/null
}

if [ "${1:-}" = --apart ]; then
	shift
	try_promise "$@"
	exit
fi

keep=
[ "${1:-}" != --keep ] || {
	keep=yes
	shift
}
second=scripts/test.sh
[ "${1:-}" != --demo ] || {
	second='scripts/setup.sh --tests'
	shift
}
suite=${1:-bookworm}
reason=$(root_hindrance "$suite")
[ -z "$reason" ] || {
	echo "bare.sh: $reason"
	exit 77
}
[ -z "$(own_git status --porcelain)" ] ||
	echo 'bare.sh: what is not committed is not tried'

work=$(mktemp -d "${TMPDIR:-/var/tmp}/cairn-bare.XXXXXX")
folder=$work/root
child=
end() {
	status=$?
	trap - EXIT
	[ -z "$child" ] || kill -KILL "$child" 2>/dev/null || :
	[ -z "$child" ] || wait "$child" 2>/dev/null || :
	[ -n "$keep" ] || rm -rf "$work"
	exit $status
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

echo "== $suite: a fresh Debian in $folder"
# waited for so, a signal ends this at once
apart "$PWD/scripts/bare.sh" --apart "$suite" "$folder" scripts/demo.sh "$second" &
child=$!
status=0
wait "$child" || status=$?
child=
exit $status
