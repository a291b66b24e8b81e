#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands under the Debug Adapter Protocol.  Its interpreter ignores GDB's logs in version 16, so
# that requests and answers go through pipes.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy

"$GDB" -nx -q -i=dap </dev/null 2>&1 | grep -q 'Interpreter `dap'\'' unrecognized' &&
	skip 'this GDB has no DAP'
build sample.c sample -O1 -pthread

number=0
# dap COMMAND ARGUMENTS: one request, in JSON.
dap() {
	number=$((number + 1))
	request="{\"seq\":$number,\"type\":\"request\",\"command\":\"$1\",\"arguments\":$2}"
	printf 'Content-Length: %d\r\n\r\n%s' "${#request}" "$request"
}

# repl COMMAND: as a user types it.
repl() {
	dap evaluate "{\"expression\":\"$1\",\"context\":\"repl\"}"
}

{
	dap initialize '{"adapterID":"cairn"}'
	repl "source $CAIRN_GDB"
	repl 'cairn status'
	repl "file $tmp/no/sample"
	repl 'break stop_here'
	repl 'run recurse'
	repl 'cairn bt 2'
	repl 'cairn where -json stop_here'
	repl 'cairn where nosuch'
	dap disconnect '{"terminateDebuggee":true}'
} | within 120 "$GDB" -nx -q -i=dap -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-iex 'set startup-with-shell off' >"$tmp/all" 2>&1 || :
tr -d '\r' <"$tmp/all" | sed 's/Content-Length: [0-9]*//g' >"$tmp/said"
said 0 'no answer from the module'
said 1 '"result": "cairn [0-9.]* in GDB '
said 1 '"result": "#0   0x[0-9a-f]* in stop_here'
said 1 '\\n#1   0x[0-9a-f]* in recurse'
said 1 '"result": "{\\"pc\\":'
said 1 '"result": "cairn: No symbol'
echo 'commands answer under DAP'
