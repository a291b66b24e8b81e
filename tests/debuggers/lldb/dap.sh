#!/bin/sh
# SPDX-License-Identifier: MIT
# dap.sh: cairn in editors, which speak the Debug Adapter Protocol with lldb-dap (lldb-vscode before LLDB 18).
# The configuration is that of docs/lldb.md: its initCommands load the plugin, and the console takes
# the commands of cairn.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v gdb >/dev/null || skip 'no gdb on this machine, which makes the core'
started=$(command -v "$LLDB")
program=$(sed -n 's/^exec \([^ ]*\) .*/\1/p' "$started" 2>/dev/null | head -n 1)
folder=$(dirname "${program:-$(readlink -f "$started")}")
adapter=
for name in lldb-dap lldb-vscode; do
	[ ! -x "$folder/$name" ] || adapter=$folder/$name
done
[ -n "$adapter" ] || skip "no lldb-dap beside $LLDB"
libraries=$(sed -n 's/^export LD_LIBRARY_PATH=//p' "$started" 2>/dev/null)
[ -z "$libraries" ] || export LD_LIBRARY_PATH="$libraries"
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"

build sample -g -O1 -pthread "-ffile-prefix-map=$programs=/src" "$programs/sample.c"
"$CC_TARGET" -g -O1 -pthread -Wa,--gsframe -Wl,--build-id=sha1 "$programs/sample.c" -o full
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr full bare
strip bare
"$CAIRN" gsym create full -o bare.gsym >/dev/null
at=$(nm full | awk '$3 == "stop_here" { print "0x" $1 }')
within 100 env -u LD_LIBRARY_PATH gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'set exec-wrapper env -i' \
	-ex "break *(0x555555554000+$at)" -ex 'run recurse' -ex "generate-core-file $tmp/core" bare </dev/null >said 2>&1 || :
[ -s core ] || {
	cat said
	fail 'no core of GDB'
}

number=0
# dap COMMAND ARGUMENTS: one request, in JSON.
dap() {
	number=$((number + 1))
	request="{\"seq\":$number,\"type\":\"request\",\"command\":\"$1\",\"arguments\":$2}"
	printf 'Content-Length: %d\r\n\r\n%s' "${#request}" "$request"
}
# repl COMMAND: as a user types it
repl() {
	dap evaluate "{\"expression\":\"\`$1\",\"context\":\"repl\"}"
}

# The configuration of the page, with the paths of this machine.
page=${here%/tests/*}/docs/lldb.md
line=$(sed -n 's/.*\("initCommands": *\[.*\]\).*/\1/p' "$page" | head -n 1 |
	sed "s|plugin load [^\"]*|plugin load $LLDB_PLUGIN|")
[ -n "$line" ] || fail "docs/lldb.md has no initCommands"
{
	dap initialize '{"adapterID":"lldb","pathFormat":"path"}'
	dap attach "{\"program\":\"$tmp/bare\",\"coreFile\":\"$tmp/core\",$line}"
	repl 'cairn status'
	repl 'cairn bt 2'
	repl 'cairn where nosuch'
	dap threads '{}'
	repl 'cairn where -json $pc'
	repl 'cairn symbols load'
	dap disconnect '{"terminateDebuggee":true}'
} | within 120 "$adapter" >all 2>errors || :
tr -d '\r' <all | sed 's/Content-Length: [0-9]*/\n/g' >said
for text in 'cairn status.ncairn [0-9.]* in LLDB [0-9]' '#0   0x[0-9a-f]* in stop_here at ' \
	'n#1   0x[0-9a-f]* in recurse' 'error: .*nosuch' 'where -json .*pc.*stop_here' \
	'bare: [0-9]* functions from .*bare.gsym'; do
	grep -qE "$text" said || {
		cat said errors
		fail "no answer like $text"
	}
done
echo "commands answer under ${adapter##*/}"
