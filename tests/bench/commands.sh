#!/bin/sh
# SPDX-License-Identifier: MIT
# Milliseconds for each command inside GDB, and for one that does nothing.  The target is that no
# short command takes more than two.  MODULE and CAIRN_GDB are set by meson.
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
shell date +%s%N >$tmp/start
while \$i < $rounds
$1
set \$i = \$i + 1
end
shell date +%s%N >$tmp/end
END
	timeout 250 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || fail "$1"
	echo $((($(cat "$tmp/end") - $(cat "$tmp/start")) / rounds / 1000))
}

for command in 'print $pc' 'cairn-ping' 'cairn sframe' 'cairn where 0x1234' 'cairn where $pc' \
	'cairn bt 1' 'cairn bt' 'cairn bt -json' 'cairn modules' 'cairn status'; do
	measure "$command" | awk -v command="$command" \
		'{ printf "%-20s %7.3f ms\n", command, $1 / 1000 }'
done
