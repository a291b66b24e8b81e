#!/bin/sh
# SPDX-License-Identifier: MIT
# transcripts.sh [--accept] [CASE...]
#
# Runs the GDB commands of each CASE.gdb beside this script, or of those named, and compares the
# session with CASE.out: on a live program, in a core, and through gdbserver.  One text must do for
# all three.  --accept writes CASE.out from the live session instead: read the difference before you
# commit it.
#
# A first line "# on KIND..." chooses other kinds: `none` is a program that does not run.  What
# depends on the machine or the compiler is made equal, see settle_numbers.
accept=no
if [ "${1:-}" = --accept ]; then
	accept=yes
	shift
fi
cases=$*
. "$(dirname "$0")/../lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy
[ "$accept" = yes ] || need gdbserver

build sample.c sample -g -O1 -pthread -Wl,--build-id "-ffile-prefix-map=$programs=/src"
program=$tmp/no/sample
cd "$tmp"

# Addresses, distances in code, build IDs, versions, the folder; modules that are not ours.
settle_numbers() {
	sed -e "s|$tmp/no/|/srv/|g" \
		-e 's/0x[0-9a-f]\{1,\}/0xN/g' -e 's/ + [0-9]\{1,\} / + N /g' \
		-e 's/"offset":[0-9]*/"offset":N/g' -e 's/[0-9a-f]\{40\}/ID/g' \
		-e 's/cairn [0-9.]* in GDB [0-9]*/cairn VERSION in GDB N/' \
		-e 's/"version":"[^"]*","gdb":[0-9]*/"version":"VERSION","gdb":N/' \
		-e 's/version [0-9], [0-9]* functions, [0-9]* bytes/version N, N functions, N bytes/' \
		-e 's/"version":[0-9],\("tables":1,"functions":\)[0-9]*,"size":[0-9]*/"version":N,\1N,"size":N/' \
		-e 's/^[0-9]* modules$/N modules/' |
		awk '/^0xN-0xN  / && $2 !~ /^\/srv\// && $2 != "cfa" { next }
		     { while (match($0, /,?{"low":[^{}]*"name":("\/[lu][^{}]*|"[^\/][^{}]*|null[^{}]*)}/))
			     $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
		       sub(/\[,/, "["); print }'
}

# session ARGUMENTS...: GDB with cairn; what comes before the first "(gdb)" is left out.
session() {
	timeout 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'set confirm off' \
		-ex 'set exec-wrapper env -i' -ex "source $CAIRN_GDB" "$@" </dev/null 2>&1 |
		sed -n '/^(gdb) /,$p' | settle_numbers
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
		if [ "$accept" = yes ]; then
			run_case "$kind" "$here/$case.gdb" >"$tmp/got"
			cmp -s "$tmp/got" "$here/$case.out" || cp "$tmp/got" "$here/$case.out"
			break
		fi
		run_case "$kind" "$here/$case.gdb" >"$tmp/got"
		diff -u "$here/$case.out" "$tmp/got" || fail "$case ($kind)"
		passed=$((passed + 1))
	done
done
[ "$accept" = yes ] || echo "$passed transcripts equal"
