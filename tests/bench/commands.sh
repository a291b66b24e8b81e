#!/bin/sh
# SPDX-License-Identifier: MIT
# Milliseconds of GDB's own processor time for each command, and beside them GDB's own commands and
# one of ours that does nothing.  The target is that a short command takes no more than two.  MODULE
# and CAIRN_GDB are set by meson.
. "$(dirname "$0")/../host/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

build sample.c sample -g -O1 -pthread
rounds=1000

# measure COMMAND: prints milliseconds for one.
measure() {
	cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
set \$i = 0
shell awk '{ print \$14 + \$15 }' /proc/\$PPID/stat >$tmp/start
while \$i < $rounds
$1
set \$i = \$i + 1
end
shell awk '{ print \$14 + \$15 }' /proc/\$PPID/stat >$tmp/end
END
	timeout 250 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || fail "$1"
	echo $((($(cat "$tmp/end") - $(cat "$tmp/start")) * 1000000 / $(getconf CLK_TCK) / rounds))
}

for command in 'print $pc' 'bt' 'cairn-ping' 'cairn sframe' 'cairn where 0x1234' 'cairn where $pc' \
	'cairn bt 1' 'cairn bt' 'cairn bt -json' 'cairn modules' 'cairn status'; do
	measure "$command" | awk -v command="$command" \
		'{ printf "%-20s %7.3f ms\n", command, $1 / 1000 }'
done
