#!/bin/sh
# SPDX-License-Identifier: MIT
# colors.sh: on a terminal cairn's answers have the colours that they have in GDB (tests/debuggers/colors_wanted.sh), elsewhere and
# where LLDB or the user wants none they have none, and JSON never.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v script >/dev/null || skip 'no script on this machine, which makes terminals'
. "$here/../colors_wanted.sh"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

echo 'int x;' >"$tmp/probe.c"
"$CC_TARGET" -c -Wa,--gsframe "$tmp/probe.c" -o "$tmp/probe.o" 2>/dev/null || skip 'the assembler does not know --gsframe'
"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe "$programs/sample.c" -o "$tmp/sample"
cat >"$tmp/commands" <<'END'
cairn bt 1
settings set use-color false
cairn bt 1
settings set use-color true
cairn set color off
cairn bt 1
settings set use-color false
cairn set color on
cairn bt 1
cairn bt -json 1
cairn where -json $pc
process kill
quit
END
# LLDB takes a terminal without columns for none
cat >"$tmp/terminal.sh" <<END
[ ! -t 0 ] || stty cols 200 rows 50
exec $LLDB -x -O 'settings set auto-confirm true' -O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' \
	-O 'plugin load $LLDB_PLUGIN' -o 'breakpoint set -n stop_here' -o 'process launch -- recurse' \
	-s $tmp/commands $tmp/sample
END
# compare WHAT LINE...: the innermost frames in "raw"
compare() {
	what=$1
	shift
	innermost_frames <"$tmp/raw" >"$tmp/out"
	printf '%s\n' "$@" >"$tmp/expected"
	diff "$tmp/expected" "$tmp/out" || fail "$what"
	[ "$(grep -c '{"frames"\|{"pc"' "$tmp/raw")" = 2 ] || {
		cat "$tmp/raw"
		fail "$what: no JSON"
	}
	if sed -n 's/.*\({"[fp].*}\).*/\1/p' "$tmp/raw" | grep -q "$(printf '\033')"; then fail "$what: colours in JSON"; fi
}
TERM=xterm timeout $((120 * ${CK_TIMEOUT_MULTIPLIER:-1})) script -qec "sh $tmp/terminal.sh" /dev/null </dev/null >"$tmp/raw" 2>&1 ||
	fail 'LLDB on a terminal'
compare 'a terminal' "$bright" "$plain" "$plain" "$bright"

# no terminal: only if the user says so
grep -v use-color "$tmp/commands" >"$tmp/fewer"
mv "$tmp/fewer" "$tmp/commands"
within 120 sh "$tmp/terminal.sh" </dev/null >"$tmp/raw" 2>&1 || fail 'LLDB without a terminal'
compare 'no terminal' "$plain" "$plain" "$plain" "$bright"
echo 'coloured on a terminal, and where it is wanted'
