#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of stripped programs by files of `cairn sframe create`, beside those of the complete builds: sframe_stacks.sh [SUITE]
#
# Runs the tests of GDB, LLDB and `cairn bt` that compare them, here and in the GDB of SUITE (sid; "none": here alone), in which
# programs run that are built here, and prints a table: what was compared, and how many frames were equal. The build is in build/. What
# cannot run is listed as skipped with its reason. The status is 1 if a stack differs.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
: >"$work/table"
failed=0

# compare DEBUGGER WHAT COMMAND...
compare() {
	debugger=$1 what=$2
	shift 2
	"$@" >"$work/said" 2>&1 </dev/null
	status=$?
	case $status in
	0) printf '%-10s  %-34s  %s\n' "$debugger" "$what" "$(tail -n 1 "$work/said")" ;;
	77) printf '%-10s  %-34s  %s\n' "$debugger" "$what" "$(tail -n 1 "$work/said")" ;;
	*)
		failed=1
		printf '%-10s  %-34s  FAILED\n' "$debugger" "$what"
		tail -n 20 "$work/said" >&2
		;;
	esac
}

export CAIRN="$root/build/core/cli/cairn" CAIRN_GDB="$root/build/scripts/cairn.gdb" MODULE="$root/build/plugin/gdb/cairn-gdb.so"
export LLDB_PLUGIN="$root/build/plugin/lldb/cairn-lldb.so" STEPS="$root/build/tests/debuggers/lldb/lldb-commands.so"
export KERNEL_CORE="$root/build/tests/tools/kernel_core"
tests=tests/debuggers
gdb="GDB $(gdb -nx -batch -ex 'output $_gdb_major' 2>/dev/null)"
compare "$gdb" 'amd64, live' sh $tests/live.sh -O2 -DSIDE_FILE
compare "$gdb" 'amd64, core' sh $tests/core.sh -O2 -DSIDE_FILE
compare "$gdb" 'amd64, attached and remote' sh $tests/outside.sh -O2 -DSIDE_FILE
compare "$gdb" 'amd64, cairn add-sframe' sh $tests/add_sframe.sh -O2
compare "$gdb" 'aarch64, core' sh $tests/side_cross.sh gdb aarch64 -O2 -fomit-frame-pointer
compare "$gdb" 's390x, core' sh $tests/side_cross.sh gdb s390x -O2
lldb="LLDB $(${LLDB:-lldb-19} --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')"
compare "$lldb" 'amd64, live, core, attached, remote' sh $tests/lldb/side_files.sh -O2
compare "$lldb" 'amd64, each instruction, registers' sh $tests/lldb/steps.sh made -O2
compare "$lldb" 'aarch64, core' sh $tests/side_cross.sh lldb aarch64 -O2 -fomit-frame-pointer
compare "$lldb" 's390x, core' sh $tests/side_cross.sh lldb s390x -O2
compare 'cairn bt' 'amd64, cores' sh $tests/bt_cores.sh side -O2 -fomit-frame-pointer
compare 'cairn bt' 'amd64, processes' sh $tests/bt_processes.sh side -O2 -fomit-frame-pointer
compare 'cairn bt' 'aarch64, core' sh $tests/side_cross.sh cairn aarch64 -O2 -fomit-frame-pointer
compare 'cairn bt' 'aarch64, core, as GDB shows it' sh $tests/bt_cross.sh aarch64 side -O2 -fomit-frame-pointer
compare 'cairn bt' 's390x, core' sh $tests/side_cross.sh cairn s390x -O2
compare 'cairn bt' 's390x, core, as GDB shows it' sh $tests/bt_cross.sh s390x side -O2
suite=${1:-sid}
if [ "$suite" != none ]; then
	ONLY=tables scripts/matrix.sh "$suite" >"$work/matrix" 2>&1
	status=$?
	newest=$(sed -n 's/^GNU gdb .* \([0-9]*\)\.[0-9.]*$/GDB \1/p' "$work/matrix" | head -n 1)
	case $status in
	0 | 77) ;;
	*)
		failed=1
		cat "$work/matrix" >&2
		;;
	esac
	sed -n "s/^\(ok\|FAILED\): \([^:]*\):* *\(.*\)/\2|\1 \3/p" "$work/matrix" | while IFS='|' read -r what said; do
		printf '%-10s  %-34s  %s\n' "${newest:-GDB}" "$(echo "$what" | sed 's/ -DSIDE_FILE//; s/\.sh//; s/_cross gdb/ core/')" "${said#ok }"
	done
	[ $status != 77 ] || tail -n 1 "$work/matrix"
fi
exit $failed
