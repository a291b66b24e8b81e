#!/bin/sh
# SPDX-License-Identifier: MIT
# transcripts.sh [--accept | --show] [CASE...]
#
# Runs the GDB commands of each CASE.gdb beside this script, or of those named, and compares the
# session with CASE.out: on a live program, in a core, and through gdbserver.  One text must do for
# all three.  --accept writes CASE.out from the live session instead: read the difference before you
# commit it.  --show prints the live session of one case, with its values.
#
# A first line "# on KIND..." chooses other kinds: `none` is a program that does not run, `bare` one without
# symbols, `bare-core` a core of that, and `nowhere` one that has called where no code is.  What depends on the machine or the compiler is masked on both sides, see
# mask.sh.  tests/debuggers/lldb/transcripts.sh expects the same of LLDB.
mode=compare
case ${1:-} in
--accept | --show)
	mode=${1#--}
	shift
	;;
esac
cases=$*
. "$(dirname "$0")/../lib.sh"
. "$here/mask.sh"
. "$here/programs.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" objcopy
[ $mode != compare ] || need gdbserver

make_programs "$CC_TARGET" "$CAIRN" || skip 'the assembler does not know --gsframe'
program=$tmp/srv/sample
export XDG_CACHE_HOME="$tmp/cache"

# session ARGUMENTS...: GDB with cairn; what comes before the first "(gdb)" is left out.
session() {
	timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' \
		-ex 'set exec-wrapper env -i' -ex "source $CAIRN_GDB" "$@" </dev/null 2>&1 |
		sed -n -e "s|$tmp/|/|g" -e '/^(gdb) /,$p'
}

# with_commands FILE ARGUMENTS...: a session that ends in the commands of the file, each shown.
with_commands() {
	file=$1
	shift
	while IFS= read -r line; do
		case $line in
		'#'*) continue ;;
		esac
		shown=$(printf '%s' "$line" | sed 's/\\/\\\\/g')
		set -- "$@" -ex "echo (gdb) $shown\\n" -ex "$line"
	done <"$file"
	session "$@"
}

run_case() {
	case $1 in
	live) with_commands "$2" "$program" -ex 'break stop_here' -ex 'run recurse' ;;
	core) with_commands "$2" "$program" -ex "core-file $tmp/core" ;;
	none) with_commands "$2" "$program" ;;
	bare)
		# where GDB puts a program that it starts
		with_commands "$2" "$tmp/srv/bare/sample" -ex "break *(0x555555554000+$(find_stop))" -ex 'run recurse'
		;;
	nowhere) with_commands "$2" "$tmp/srv/nowhere" -ex 'run 0' ;;
	bare-core) with_commands "$2" "$tmp/srv/bare/sample" -ex "core-file $tmp/core" ;;
	remote)
		with_commands "$2" "$program" -ex 'set sysroot /' -ex "target remote | \
env -i $(command -v gdbserver) --once - $program recurse" -ex 'break stop_here' -ex continue
		;;
	esac
}

debug without "$program" -ex 'break stop_here' -ex 'run recurse' -ex "generate-core-file $tmp/core" \
	>"$tmp/said"
[ -s "$tmp/core" ] || {
	cat "$tmp/said"
	fail 'no core'
}
[ -n "$cases" ] || cases=$(cd "$here" && basename -s .gdb ./*.gdb)
passed=0
for case in $cases; do
	kinds=$(sed -n '1s/^# on //p' "$here/$case.gdb")
	for kind in ${kinds:-live core remote}; do
		run_case "$kind" "$here/$case.gdb" >"$tmp/shown"
		mask_values <"$tmp/shown" >"$tmp/got"
		case $mode in
		show) cat "$tmp/shown" ;;
		accept) cmp -s "$tmp/got" "$here/$case.out" || cp "$tmp/got" "$here/$case.out" ;;
		*) diff -u "$here/$case.out" "$tmp/got" || fail "$case ($kind)" ;;
		esac
		[ $mode = compare ] || break
		passed=$((passed + 1))
	done
done
[ $mode != compare ] || echo "$passed transcripts equal"
