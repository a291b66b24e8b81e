#!/bin/sh
# SPDX-License-Identifier: MIT
# Colours: on a terminal as GDB has them, nowhere else unless the user says so.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy script

build sample.c sample -g -O1 -pthread

# Show escape characters as ^[ and keep the lines of the innermost frame; GDB ends its own colours
# before what follows, and newer ones say with each colour that nothing else is on.
frames() {
	tr -d '\r' | sed 's/\x1b/^[/g; s/;49;22;23;24;27m/m/g; s/\^\[\[39m/^[[m/g' | sed -n 's/^\(\^\[\[m\)*\(#0 .*\)0x[0-9a-f]\{16\}/\20xN/p' >"$1"
}

# on_terminal OUT ARGUMENTS...: GDB on a terminal of its own
on_terminal() {
	out=$1
	shift
	{
		echo "exec $GDB -nx -q -iex 'set debuginfod enabled off' -iex 'set auto-load no' \\"
		echo "-iex 'set pagination off' -iex 'set width 0' -ex 'source $CAIRN_GDB' \\"
		echo "-ex 'break stop_here' -ex 'run recurse' \\"
		for command; do
			echo "-ex '$command' \\"
		done
		echo "-ex 'set confirm off' -ex 'kill' -ex 'quit' $tmp/no/sample"
	} >"$tmp/terminal.sh"
	TERM=xterm timeout 120 script -qec "sh $tmp/terminal.sh" /dev/null </dev/null >"$tmp/raw" 2>&1 ||
		fail 'GDB on a terminal'
	frames "$out" <"$tmp/raw"
}

esc='^['
plain='#0   0xN in stop_here at sample.c:23'
bright="#0   ${esc}[34m0xN${esc}[m in ${esc}[33mstop_here${esc}[m at ${esc}[32msample.c${esc}[m:23"

on_terminal "$tmp/out" 'cairn bt 1' 'pipe cairn bt 1 | cat' 'set style enabled off' 'cairn bt 1' \
	'set style enabled on' 'set cairn color off' 'cairn bt 1' \
	'set cairn color on' 'pipe cairn bt 1 | cat'
printf '%s\n' "$bright" "$plain" "$plain" "$plain" "$bright" >"$tmp/expected"
diff "$tmp/expected" "$tmp/out" || fail 'a terminal'

# no terminal: only if the user says so; never in JSON
cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
cairn bt 1
set cairn color on
cairn bt 1
cairn bt -json 1
cairn where -json \$pc
END
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/raw" 2>&1 || fail 'GDB without a terminal'
frames "$tmp/out" <"$tmp/raw"
printf '%s\n' "$plain" "$bright" >"$tmp/expected"
diff "$tmp/expected" "$tmp/out" || fail 'no terminal'
[ "$(grep -c '^{' "$tmp/raw")" = 2 ] || fail 'no JSON'
if grep '^{' "$tmp/raw" | grep -q "$(printf '\033')"; then fail 'colours in JSON'; fi
echo 'coloured on a terminal, and where it is wanted'
