#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The start of the command loads no library of a network: these took fifteen million instructions of each start.
# The verbs that need them are in a program of their own, which is found in a build, where it is installed, and
# where both were moved to; without it the verb tells what is missing.
#
#	command_start.sh CAIRN CAIRN-NET BINDIR LIBEXECDIR
set -u
cairn=$1 net=$2 bindir=$3 libexecdir=$4
command -v readelf >/dev/null || { echo 'skipped: no readelf'; exit 77; }
. "$(dirname "$0")/../lib/test.sh"
readelf -d "$net" | grep -q 'NEEDED.*libcurl' || fail 'cairn-net has no libcurl: what is tested?'
if readelf -d "$cairn" | grep -E 'NEEDED.*(libcurl|libmicrohttpd|libgnutls|libssl)'; then
	fail 'cairn loads libraries of a network at its start'
fi

# answers WHERE PROGRAM: the three verbs come from the other program, with its status
answers() {
	for verb in fetch push serve; do
		"$2" symbfile $verb --help | grep -q "^usage: cairn symbfile $verb" || fail "$1: $verb --help"
		"$2" symbfile $verb --no-such-option >"$work/out" 2>&1
		[ $? = 2 ] || fail "$1: $verb: another exit status"
		grep -q "cairn symbfile $verb --help" "$work/out" || fail "$1: $verb: $(cat "$work/out")"
	done
}
answers 'in a build' "$cairn"

# below a prefix; an absolute directory for such programs cannot be moved
case $libexecdir in
/*) ;;
*)
	mkdir -p "$work/moved/$bindir" "$work/moved/$libexecdir/cairn"
	cp "$cairn" "$work/moved/$bindir/cairn"
	cp "$net" "$work/moved/$libexecdir/cairn/cairn-net"
	answers 'moved' "$work/moved/$bindir/cairn"
	rm "$work/moved/$libexecdir/cairn/cairn-net"
	"$work/moved/$bindir/cairn" symbfile fetch >"$work/out" 2>&1
	[ $? = 3 ] || fail 'without cairn-net: another exit status'
	grep -q "^cairn: $work/moved/$libexecdir/cairn/cairn-net: cannot start: " "$work/out" ||
		fail "without cairn-net: $(cat "$work/out")"
	;;
esac
exit $failed
