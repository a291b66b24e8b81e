#!/bin/sh
# SPDX-License-Identifier: MIT
# Cores of other machines, written by an emulator, of a program without call frame information for which a table was made
# (cairn sframe create): GDB and LLDB with cairn, and cairn bt, show the frames that GDB or LLDB alone show for the complete program.
#
#	side_cross.sh gdb|lldb|cairn MACHINE FLAGS...
#
# GDB is a GDB for many machines (GDB=gdb-multiarch).  Frames of the signal trampoline, where an emulator differs from a kernel, are
# in bt_cross.sh.
[ "$1" = gdb ] || : "${MODULE:=none}" # it is asked of GDB alone
. "$(dirname "$0")/lib.sh"
: "${CAIRN:?path of cairn}" "${CAIRN_GDB:=}" "${LLDB_PLUGIN:=}"
debugger=$1 machine=$2
shift 2
triple=$machine-linux-gnu
sysroot=/usr/$triple
compiler="clang --target=$triple"
[ "$machine" = aarch64 ] && compiler=$triple-gcc
need "${compiler%% *}" $triple-objcopy "qemu-$machine" $triple-nm
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

# shellcheck disable=SC2086 # a compiler and its options
$compiler -g -pthread -w -no-pie -Wl,--build-id=sha1 "$@" -DWITH_PLUGIN=0 "$programs/stacks.c" -o "$tmp/eh/stacks" 2>"$tmp/said" ||
	skip "the compiler cannot make it: $(head -n 1 "$tmp/said")"
# LLDB takes what cairn gives it only where there are no lines: names of functions are in the symbol table
[ "$debugger" = lldb ] && $triple-objcopy --strip-debug "$tmp/eh/stacks"
bare=
[ "$debugger" = lldb ] && bare=-S # or LLDB guesses by the names
# shellcheck disable=SC2086 # one word or none
$triple-objcopy $bare --remove-section .eh_frame --remove-section .eh_frame_hdr --remove-section .debug_frame "$tmp/eh/stacks" "$tmp/no/stacks"
"$CAIRN" sframe create --quiet "$tmp/eh/stacks" -o "$tmp/no/stacks.sframe"

# dump_core KIND CASE: the emulator's core, $tmp/core.KIND
dump_core() {
	(
		cd "$tmp"
		rm -f qemu_*.core
		ulimit -c unlimited
		timeout 60 "qemu-$machine" -s 262144 -L "$sysroot" "$tmp/$1/stacks" "$2" >said 2>&1
	) || :
	set -- "$1" "$tmp"/qemu_*.core
	[ -s "$2" ] || skip "qemu-$machine writes no core: $(cat "$tmp/said")"
	mv "$2" "$tmp/core.$1"
	rm -f "$tmp"/core.[0-9]*
}

# frames_of_DEBUGGER KIND WITH: with cairn or without
frames_of_gdb() {
	set -- "$1" "$2" echo echo
	# these cores have no headers of modules, by which cairn would know them: GDB is asked
	[ "$2" = with ] && set -- "$1" "$2" "source $CAIRN_GDB" 'cairn sync'
	within 100 "${GDB_CROSS:-gdb-multiarch}" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set libthread-db-search-path /none' -iex "set sysroot $sysroot" -ex 'set width 0' -ex "$3" \
		-ex "set backtrace limit $limit" -ex 'set print frame-arguments presence' -ex "core-file $tmp/core.$1" -ex "$4" -ex 'thread apply all bt' "$tmp/$1/stacks" \
		</dev/null 2>&1 | grep -E '^(Thread|#)' | sed 's/(LWP [0-9]*)/(LWP N)/'
}

frames_of_lldb() {
	kind=$1 with=$2
	set --
	[ "$with" = with ] && set -- -O "plugin load $LLDB_PLUGIN" -O 'cairn set auto-symbols on'
	within 100 "${LLDB:-lldb-19}" -x -b -O 'settings set use-color false' -O 'settings set symbols.enable-external-lookup false' \
		"$@" -O "platform select --sysroot $sysroot remote-linux" \
		-O 'settings set frame-format "f ${frame.index} ${frame.pc} ${frame.reg.sp}\n"' \
		-o "target create --core $tmp/core.$kind $tmp/$kind/stacks" -o 'thread backtrace all' </dev/null 2>&1 |
		sed -n 's/^.*\(f [0-9]* 0x\)/\1/p'
}

# Names and addresses of the frames that cairn finds by the side file, and of those that it finds in the complete program.
frames_of_cairn() {
	table=$tmp/no/stacks.sframe
	[ "$2" = with ] || mv "$table" "$tmp/away"
	"$CAIRN" bt --quiet --sysroot "$sysroot" "$tmp/core.$1" "$tmp/$1/stacks" 2>/dev/null |
		sed 's/LWP [0-9]*/LWP N/; s/process [0-9]*/process N/' | grep -v '^core ' | settle
	[ "$2" = with ] || mv "$tmp/away" "$table"
}

frames=0 worse=0 limit=unlimited
# LLDB shows one frame above a call of 0, and of a stack that overflowed, in such a core of s390x, of the complete program, too
cases='inlined recurse null threads overflow'
[ "$debugger:$machine" != lldb:s390x ] || cases='inlined recurse threads'
for case in ${CASES:-$cases}; do
	dump_core eh $case
	dump_core no $case
	frames_of_$debugger eh without >"$tmp/$case.eh"
	frames_of_$debugger no with >"$tmp/$case.no"
	compare "$case" 3
	limit=100 # without a table a stack may lead in circles
	frames_of_$debugger no without >"$tmp/without"
	limit=unlimited
	cmp -s "$tmp/without" "$tmp/$case.eh" || worse=$((worse + 1))
	frames=$((frames + $(grep -cE '^ *(#|f )[0-9]' "$tmp/$case.eh" || :)))
done
echo "$frames frames equal; without a table those of $worse cases are not"
