#!/bin/sh
# SPDX-License-Identifier: MIT
#
# GDB, at every instruction of code that libcairn-jit has registered: the caller's pc and the registers that it keeps, the name and
# the line.  GDB is there from the start, or it comes when all functions are there; with cairn's module in it, too, if that is named.
#
#	rules_gdb.sh RULES [MODULE]

program=$1 module=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/test.sh"
. "$here/start.sh"
: "${GDB:=gdb}"
command -v "$GDB" >/dev/null || skip 'no gdb'
[ "$(uname -m)" = x86_64 ] || skip 'steps are those of amd64'

cat >"$work/common" <<'END'
set $i = 0
while $i < 6
  eval "break *(char *)made[%d]", $i
  set $i = $i + 1
end
set $i = 0
while $i < 12
  step_through
  set $i = $i + 1
end
printf "%d wrong of %d\n", $wrong, $count
kill
END

# check NAME: what GDB said
check() {
	grep -q '^0 wrong of 137$' "$work/said" || {
		grep -A 6 '^WRONG\|wrong of\|rror' "$work/said" | head -60
		fail "$1: a caller is wrong"
	}
	for name in leaf pointer fixed shim aligned pushed; do
		[ "$(grep -c "^#0 .*made_$name () at /made/up.js:10" "$work/said")" -ge 2 ] || fail "$1: made_$name has no line"
	done
	grep -q '^#0 .*made_region () at /made/up.js' "$work/said" || fail "$1: made_region is not known"
	! grep -v ': No such file or directory' "$work/said" | grep -i 'warning\|unable\|can.t read\|corrupt' || fail "$1: GDB complains"
}

"$GDB" -nx -q -batch -x "$here/rules.gdb" -ex 'break ready' -ex run -x "$work/common" "$program" >"$work/said" 2>&1 </dev/null
check 'from the start'

# attach OPTION...: the list is whole when GDB comes
attach() {
	# shellcheck disable=SC2086 # RUN are words
	start ${RUN:-} "$program" hold
	"$GDB" -nx -q -batch "$@" -p "$pid" -x "$here/rules.gdb" -ex 'set var held = 0' -x "$work/common" >"$work/said" 2>&1 </dev/null
	kill "$pid" 2>/dev/null
}
attach
check 'attached'

[ -n "$module" ] || exit "$failed"
"$GDB" -nx -q -batch -ex "jit-reader-load $module" -x "$here/rules.gdb" -ex 'break ready' -ex run -x "$work/common" "$program" >"$work/said" 2>&1 </dev/null
check 'from the start, with the module'
attach -iex "jit-reader-load $module"
check 'attached, with the module'
exit "$failed"
