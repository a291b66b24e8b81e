#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cairn bt of cores and minidumps of real programs, which are too large for this repository and lie beside it.
#
#	real.sh CAIRN DIR
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$2
. "$(dirname "$0")/../../lib/test.sh"
[ -d "$folder" ] || skip "needs files of $folder"
export XDG_CACHE_HOME="$work"
ran=0

# unpack NAME FILE...: the unpacked core, where all of the files are there
unpack() {
	for file in "$@"; do
		[ -f "$folder/$file" ] || { echo "not tested: $file, which is not here"; return 1; }
	done
	xz -dc "$folder/$1" >"$work/core" || return 1
	ran=1
}
# shows PROGRAM TEXT...: `cairn bt -1` of the core has a line with each of the texts, in this order
shows() {
	"$cairn" bt -1 --quiet "$work/core" "$folder/$1" >"$work/out" 2>"$work/errors"
	shift
	last=0
	for text in "$@"; do
		line=$(grep -nF -- "$text" "$work/out" | sed "s/:.*//" | awk -v last=$last '$1 > last { print; exit }')
		[ -n "$line" ] || { fail "no line \"$text\" after line $last: $(head -n 40 "$work/out")"; return; }
		last=$line
	done
}

# QEMU's user mode: the second thread has the signal, and the code of the trampoline is not in the core
unpack q.riscv64.cx.xz q.riscv64 &&
	shows q.riscv64 'SIGSEGV' ' crashed)' ' in boom ' ' in sorter ' '<signal handler called>' ' in thr ' ' in __thread_start '
# GHC: frames on a stack of its own
unpack ghc.core.xz hs && shows hs '#0 ' ' in s36o_info ' ' in Main_main1_info ' '#3  0x00000000004a5338 '

# glibc 2.43: a guard that is part of the stack's mapping
unpack so.cx.xz so && shows so 'just below the stack of thread 7938, which overflowed'

# Crashpad: libraries by their SONAMEs
if [ -f "$folder/crashpad.dmp" ] && readelf -n /usr/lib/chromium/chromium 2>/dev/null | grep -q b68ec8627d12f84ac4c8f0e818d2f326338a9da8; then
	ran=1
	guessed=$("$cairn" bt --quiet "$folder/crashpad.dmp" | grep -c '\[scan\]')
	[ "$guessed" -le 2 ] || fail "crashpad.dmp: $guessed guessed frames"
else
	echo 'not tested: crashpad.dmp, or the build of chromium that it is of, which is not here'
fi
[ $ran = 1 ] || skip 'no file is here'
exit $failed
