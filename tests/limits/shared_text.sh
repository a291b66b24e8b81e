#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Cores and minidumps whose lists share one text, made by shared_text.c: `cairn bt` ends in 6 s of processor
# time, those whose names cost most in 2 s, and in 192 MiB of address space, and tells what it left out. It prints
# 1 MiB and 64 times the file, control characters as long as they are printed, and 400 bytes for each frame or entry.
#
#	shared_text.sh CAIRN SHARED_TEXT
set -u
LC_ALL=C
export LC_ALL
cairn=$1
make=$2
. "$(dirname "$0")/../lib/test.sh"

# bounded KIND MESSAGE OPTION...: the message, if there is one, is expected on standard error
bounded() {
	kind=$1 message=$2
	shift 2
	(ulimit -v 196608 && ulimit -f 1048576 && spend $seconds "$cairn" bt --quiet "$@" "$work/$kind") >"$work/out" 2>"$work/err"
	status=$?
	[ $status -le 3 ] && ! grep -q 'out of memory' "$work/err" &&
		{ [ -z "$message" ] || grep -qF "$message" "$work/err"; } || {
		echo "$kind $*: exit status $status: $(head -n 1 "$work/err")"
		failed=1
	}
	[ "$(wc -c <"$work/out")" -le $most ] || {
		echo "$kind $*: $(wc -c <"$work/out") bytes of output, at most $most"
		failed=1
	}
}

texts='the names and IDs of threads and modules exceed the limit; the rest is omitted'
notes='note segments share their bytes; the remaining segments are omitted'
for kind in $("$make"); do
	"$make" "$kind" >"$work/$kind" || exit 2
	most=$((1048576 + 64 * $(wc -c <"$work/$kind") + 400 * 65000))
	case $kind in
	minidump-loader | minidump-modules) seconds=2 ;;
	*) seconds=6 ;;
	esac
	case $kind in
	minidump-names | minidump-controls) message='' ;;
	minidump-*) message=$texts ;;
	core-threads | core-files) message=$notes ;;
	*) message='' ;;
	esac
	for form in '' --json --folded --markup --list-modules '--list-modules --json'; do
		# shellcheck disable=SC2086 # words
		bounded "$kind" "$message" $form
	done
	rm "$work/$kind"
done
exit $failed
