#!/bin/sh
# SPDX-License-Identifier: MIT
# Does docs/swift.md tell the truth? Its commands between `<!-- Swift -->` and `<!-- end -->` are run, and each line of output
# that the page shows must be printed, in this order; addresses, IDs and directories may differ.
#
#	swift_page.sh CAIRN DOCS [SID]
#
# SID is the root directory of a system with swiftc and libc6-dev (default $SWIFT_ROOT), in which the other commands run; without
# it, swiftc is taken from this machine. Skipped where there is neither.
set -u
cairn=$(realpath "$1") docs=$2 sid=${3:-${SWIFT_ROOT:-}}
. "$(dirname "$0")/../../lib/test.sh"
read -r pattern </proc/sys/kernel/core_pattern
[ "$pattern" = core ] && [ "$(cat /proc/sys/kernel/core_uses_pid)" = 0 ] && [ "$(ulimit -Hc)" = unlimited ] ||
	skip "the kernel writes no file 'core' here: core_pattern is $pattern"
place=$work
if [ -n "$sid" ]; then
	[ "$(id -u)" = 0 ] || skip 'only root can enter SWIFT_ROOT'
	[ -x "$sid/usr/bin/swiftc" ] && [ -f "$sid/usr/include/stdio.h" ] || skip 'needs swiftc and libc6-dev in SWIFT_ROOT'
	place=$(mktemp -d "$sid/tmp/cairn-page.XXXXXX")
	mounted=
	# the compiler finds its own libraries through /proc
	[ -e "$sid/proc/self" ] || { mount -t proc proc "$sid/proc" 2>/dev/null && mounted=$sid/proc; }
	trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$work" "$place"' EXIT
	trap 'exit 1' HUP INT TERM
	[ -e "$sid/proc/self" ] || skip 'SWIFT_ROOT has no /proc, and none can be mounted'
else
	command -v swiftc >/dev/null || skip 'needs swiftc, or Swift in SWIFT_ROOT'
fi
cp "$docs/examples/harbor.swift" "$place/"

# run COMMAND: in the directory of the program, with cairn from here
run() {
	case $1 in
	'cairn '*) (cd "$place" && eval "\"$cairn\" ${1#cairn } ${sid:+--sysroot \"$sid\"}") ;;
	*)
		if [ -n "$sid" ]; then
			chroot "$sid" sh -c "cd '${place#"$sid"}' && $1"
		else
			(cd "$place" && eval "$1")
		fi
		;;
	esac
}

# alike: lines without addresses, IDs and directories
alike() {
	sed -E -e 's/0x[0-9a-f]+/0x/g; s/LWP [0-9]+/LWP N/g; s/IntegerTypes\.swift:[0-9]+/IntegerTypes.swift/' \
		-e 's#(at|from) /[^ ]*/#\1 #'
}

sed -n '/^<!-- Swift -->$/,/^<!-- end -->$/s/^    //p' "$docs/swift.md" >"$work/page"
commands=0
: >"$work/left"
while IFS= read -r line || [ -n "$line" ]; do
	case $line in
	'$ '*)
		commands=$((commands + 1))
		run "${line#\$ }" 2>"$work/err" </dev/null | alike >"$work/left"
		;;
	... | '') ;;
	*)
		wanted=$(printf '%s\n' "$line" | alike)
		at=$(grep -nxF -e "$wanted" "$work/left" | head -n 1 | cut -d : -f 1)
		if [ -n "$at" ]; then
			sed -i "1,${at}d" "$work/left"
		else
			fail "not printed: $wanted"
			head -n 20 "$work/left" "$work/err"
		fi
		;;
	esac
done <"$work/page"
[ "$commands" -ge 4 ] || fail "only $commands commands in the page"
exit $failed
