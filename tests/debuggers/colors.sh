#!/bin/sh
# SPDX-License-Identifier: MIT
# Colours: on a terminal as GDB has them, nowhere else unless the user says so.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy script

build sample.c sample -g -O1 -pthread

. "$here/colors_wanted.sh"

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
	innermost_frames <"$tmp/raw" >"$out"
}

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
innermost_frames <"$tmp/raw" >"$tmp/out"
printf '%s\n' "$plain" "$bright" >"$tmp/expected"
diff "$tmp/expected" "$tmp/out" || fail 'no terminal'
[ "$(grep -c '^{' "$tmp/raw")" = 2 ] || fail 'no JSON'
if grep '^{' "$tmp/raw" | grep -q "$(printf '\033')"; then fail 'colours in JSON'; fi
echo 'coloured on a terminal, and where it is wanted'
