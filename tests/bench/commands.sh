#!/bin/sh
# SPDX-License-Identifier: MIT
# Milliseconds of GDB's own processor time for each command, and beside them GDB's own commands and
# one of ours that does nothing; then the mean over a session of 10,000 commands of all kinds, whose
# target is two.  MODULE and CAIRN_GDB are set by meson.
. "$(dirname "$0")/../debuggers/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
# measure ROUNDS COMMANDS: prints milliseconds for one round.
measure() {
	cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
set \$i = 0
shell awk '{ print \$14 + \$15 }' /proc/\$PPID/stat >$tmp/start
while \$i < $1
$2
set \$i = \$i + 1
end
shell awk '{ print \$14 + \$15 }' /proc/\$PPID/stat >$tmp/end
END
	timeout 250 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || fail "$2"
	echo "$(cat "$tmp/start") $(cat "$tmp/end") $1 $(getconf CLK_TCK)" |
		awk '{ printf "%.3f\n", ($2 - $1) * 1000 / $4 / $3 }'
}

for command in 'print $pc' 'bt' '_cairn ping' 'cairn sframe' 'cairn where 0x1234' 'cairn where $pc' \
	'cairn bt 1' 'cairn bt' 'cairn bt -json' 'cairn modules' 'cairn status'; do
	printf '%-20s %7s ms\n' "$command" "$(measure 1000 "$command")"
done

session='cairn status
cairn modules -json
cairn sframe
cairn where $pc
cairn where -json main
cairn bt 3
cairn bt
cairn bt -json 3
cairn sframe main
cairn where 0x1234'
measure 1000 "$session" | awk '{ printf "%-20s %7.3f ms a command\n", "10,000 commands", $1 / 10 }'
