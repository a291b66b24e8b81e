#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt of cores of other machines, written by an emulator, shows the frames that GDB shows for the
# complete program. Such a core has no list of files, and no header of a module.
#
#	bt_cross.sh MACHINE complete|sframe|side|pointers|debug-frame FLAGS...
#
# The kinds are those of bt_cores.sh.
set -eu
export LC_ALL=C
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
: "${CAIRN?path of cairn}"
GDB=gdb-multiarch
machine=$1
kind=$2
shift 2
triple=$machine-linux-gnu
sysroot=/usr/$triple
emulator=qemu-$machine
compiler="clang --target=$triple"
case $machine in
aarch64) compiler=$triple-gcc ;;
powerpc)
	compiler=$triple-gcc
	emulator=qemu-ppc
	;;
ppc64le)
	triple=powerpc64le-linux-gnu
	sysroot=/usr/$triple
	compiler="clang --target=$triple"
	;;
esac

skip() {
	echo "skipped: $1"
	exit 77
}
for tool in $GDB ${compiler%% *} $triple-objcopy $triple-nm "$emulator"; do
	command -v "$tool" >/dev/null || skip "no $tool on this machine"
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-bt.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/bt_frames.sh"
mkdir "$tmp/all" "$tmp/cut" "$tmp/cache"
export XDG_CACHE_HOME="$tmp/cache"
failed=0

remove_tables() {
	case $kind in
	complete | debug-frame) cp "$1" "$2" ;;
	sframe) $triple-objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$1" "$2" ;;
	pointers)
		$triple-objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr \
			--remove-section .sframe "$1" "$2"
		;;
	side)
		$triple-objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$1" "$2"
		"$CAIRN" sframe create --quiet "$1" -o "$2.sframe"
		;;
	esac
}

# The emulator's own core of PROGRAM with a case; the machine may write one of the emulator as well.
dump_core() {
	(
		cd "$tmp"
		rm -f core* qemu_*.core
		ulimit -c unlimited
		timeout 60 $emulator ${processor:+-cpu $processor} -s 262144 -L "$sysroot" "$1" "$2" >said 2>&1
	) || :
	set -- "$tmp"/qemu_*.core
	[ -s "$1" ] && mv "$1" "$tmp/dumped" && rm -f "$tmp"/core*
}

debug() {
	timeout 60 $GDB -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set libthread-db-search-path /none' -iex "set sysroot $sysroot" \
		-ex 'set width 0' -ex 'set backtrace past-main on' -ex 'set backtrace past-entry on' \
		-ex 'set print frame-arguments none' -ex "core-file $tmp/dumped" \
		-ex "thread apply all bt" "$1" </dev/null 2>&1 |
		grep -E "^(Thread|#)"
}

# What is past a signal frame is the list of callers; GDB 13 cannot leave all of them.
judge_signal() {
	awk '$3 != "??" { print $3 }' "$tmp/cairn" >"$tmp/names"
	sed '1,/^die$/d' "$tmp/names" | sed '/^main$/q' | tr '\n' ' ' >"$tmp/order"
	[ "$(cat "$tmp/order")" = "on_signal signal fault $(echo $1 main) " ] && grep -q '^exit status 0' "$tmp/errors" || {
		echo "$machine $kind $2: the signal frame was not followed"
		cat "$tmp/bt" "$tmp/errors"
		failed=1
	}
}

# Past the first frame GDB shows the 0 that ends the stack of ppc64. Where a thread begins is a label in an
# assembly source, which is a function for one of both.
drop_ends() {
	case $machine in
	ppc64le | powerpc) grep -vE "^[0-9]+ ([1-9]|..+) \?\? -$" || : ;;
	*) sed "s, thread_start -, ?? -," ;;
	esac
}

compare_case() {
	dump_core "$tmp/cut/stacks" "$1" || skip "$emulator writes no core: $(cat "$tmp/said")"
	status=0
	"$CAIRN" bt --quiet --sysroot "$sysroot" "$tmp/dumped" "$tmp/cut/stacks" >"$tmp/bt" 2>"$tmp/errors" || status=$?
	echo "exit status $status" >>"$tmp/errors"
	settle <"$tmp/bt" | sed "s, thread_start -, ?? -," >"$tmp/cairn"
	case $1 in
	signal) judge_signal handle signal; return ;;
	altstack) judge_signal 'handle handle_elsewhere' altstack; return ;;
	esac
	dump_core "$tmp/all/stacks" "$1"
	debug "$tmp/all/stacks" | settle | drop_ends >"$tmp/gdb"
	[ -s "$tmp/gdb" ] || { echo "$machine $kind $1: GDB shows no frames"; failed=1; return; }
	if ! cmp -s "$tmp/gdb" "$tmp/cairn" || [ "$(cat "$tmp/errors")" != 'exit status 0' ]; then
		echo "$machine $kind $1: not as GDB shows it"
		diff "$tmp/gdb" "$tmp/cairn" | head -n "${LINES_SHOWN:-20}" || :
		cat "$tmp/errors"
		failed=1
	fi
}

# GDB cannot strip signatures in such a core: return addresses are not signed in its program
processor=""
plain=$*
case " $* " in *" -mbranch-protection"*) processor=max plain=${*%-mbranch-protection*} ;; esac
# shellcheck disable=SC2086 # a compiler and its options
$compiler -g -pthread -w -no-pie "$@" -DWITH_PLUGIN=0 "$programs/stacks.c" -o "$tmp/signed" 2>"$tmp/errors" ||
	skip "the compiler cannot make it: $(head -n 1 "$tmp/errors")"

# shellcheck disable=SC2086
$compiler -g -pthread -w -no-pie $plain -DWITH_PLUGIN=0 "$programs/stacks.c" -o "$tmp/all/stacks"
list_aliases "$tmp/all/stacks" $triple-nm
remove_tables "$tmp/signed" "$tmp/cut/stacks"
cases="inlined recurse null garbage sort threads"
# the emulator puts signal frames of ppc64 where no kernel does
[ "$machine" = ppc64le ] || cases="$cases signal altstack"
# where the stack overflows, the function has no record of its own yet
[ "$kind" = pointers ] || cases="$cases overflow"
# there gcc's rows for the first instruction of powerpc's end with one that is no statement, which GDB passes over
case "$machine $*" in "powerpc "*-O2*) cases=${cases% overflow} ;; esac
for case in ${CASES:-$cases}; do
	compare_case "$case"
done
[ "$failed" = 0 ] && echo 'stacks equal'
exit "$failed"
