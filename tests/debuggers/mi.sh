#!/bin/sh
# SPDX-License-Identifier: MIT
# In the machine interface every line that comes out is an MI record, whatever a command prints:
# commands typed bare, by -interpreter-exec, and those that fail.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
cat >"$tmp/script" <<END
1-gdb-set mi-async off
2-interpreter-exec console "source $CAIRN_GDB"
3-gdb-set inferior-tty /dev/null
4-break-insert stop_here
5-exec-run
END
cat >"$tmp/after" <<'END'
6-interpreter-exec console "cairn bt 2"
7-interpreter-exec console "cairn bt -json 2"
cairn bt 1
8-stack-select-frame 2
9-interpreter-exec console "cairn where $pc"
10-interpreter-exec console "cairn where nosuch"
11-data-evaluate-expression $cairn_ok
12-data-evaluate-expression $cairn_error
cairn where nosuch
cairn sync
cairn status
13-interpreter-exec console "set cairn unwinder always"
14-interpreter-exec console "show cairn unwinder"
15-stack-info-depth
16-gdb-exit
END
{
	cat "$tmp/script"
	await_stops 1 "$tmp/out"
	cat "$tmp/after"
} | within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	"$tmp/no/sample" >"$tmp/out" 2>"$tmp/errors"

records "$tmp/out"
expect() {
	[ "$(grep -c -- "$2" "$tmp/out" || :)" = "$1" ] || {
		cat "$tmp/out" "$tmp/errors"
		fail "not $1 times $2"
	}
}
for token in 6 7 9 10 13 14; do
	expect 1 "^$token^done"
done
expect 2 '^~"#0 .*in stop_here'
expect 1 '^~"{.*frames'
expect 1 '^~".*in recurse'
expect 1 '^11^done,value="0"'
expect 1 '^12^done,value=".*No symbol'
expect 2 '^~"cairn: No symbol'
expect 1 '^~".* is .*always'
echo 'all MI records are well formed'
