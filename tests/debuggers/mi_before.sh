#!/bin/sh
# SPDX-License-Identifier: MIT
# The machine interface before the first start, as an editor uses it: the program, its symbols,
# breakpoints, and only then -exec-run.  Once with the symbols given, once found by themselves.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip mkfifo

"$CC_TARGET" -g -O0 -pie -fPIE -Wl,--build-id=sha1 "$programs/steps.c" -o "$tmp/eh/steps"
"$CAIRN" gsym create --quiet "$tmp/eh/steps" -o "$tmp/steps.gsym"
strip -s -o "$tmp/no/steps" "$tmp/eh/steps"

# Records come by themselves: what follows a stop is sent when that many were seen, or 20 s later.
stopped() {
	tries=0
	while [ "$(grep -c '^\*stopped' "$tmp/said" || :)" -lt "$1" ] && [ $tries -lt 200 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

# interpret SCRIPT: a shell function that prints commands, and waits for stops between them
interpret() {
	mkfifo "$tmp/commands"
	: >"$tmp/said"
	within 120 "$GDB" -nx -q -i=mi -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set mi-async off' <"$tmp/commands" >"$tmp/said" 2>&1 &
	gdb=$!
	"$1" >"$tmp/commands"
	wait "$gdb" || :
	rm "$tmp/commands"
	records "$tmp/said"
}

given() {
	echo "1-interpreter-exec console \"source $CAIRN_GDB\""
	echo '2-gdb-set inferior-tty /dev/null'
	echo '3-gdb-set disable-randomization off'
	echo "4-file-exec-and-symbols $tmp/no/steps"
	echo "5-interpreter-exec console \"cairn add-gsym $tmp/steps.gsym\""
	echo '6-break-insert busy'
	echo '7-break-insert -t steps.c:18'
	echo '8-symbol-list-lines steps.c'
	echo '9-exec-run'
	stopped 1
	echo '10-stack-list-frames 0 1'
	echo '11-exec-continue'
	stopped 2
	echo '12-stack-list-frames 0 1'
	echo 'cairn symbols unload'
	echo '13-break-info'
	echo 'cairn symbols load'
	echo '14-break-info'
	echo '15-exec-run'
	stopped 3
	echo '16-stack-list-frames 0 0'
	echo '17-gdb-exit'
}
interpret given
line='file="[^"]*/steps.c",fullname="[^"]*/steps.c"'
said 1 "^6^done,bkpt={number=\"1\".*func=\"busy\",$line,line=\"2[0-9]\""
said 1 "^7^done,bkpt={number=\"2\".*func=\"[a-z]*\",$line"
said 1 '^8^done,lines=\[{pc="0x[0-9a-f]*",line="[0-9]*"}'
said 2 '^\*stopped,.*reason="breakpoint-hit",disp="keep",bkptno="1",frame={addr="0x[0-9a-f]*",func="busy"'
said 1 '^\*stopped,.*reason="breakpoint-hit",disp="del",bkptno="2"'
said 1 "^10^done,stack=\[frame={level=\"0\",addr=\"0x[0-9a-f]*\",func=\"leaf\",$line,line=\"1[0-9]\".*level=\"1\".*$line"
said 1 "^12^done,stack=.*func=\"busy\",$line.*level=\"1\".*$line"
said 1 '^13^done,.*enabled="y",addr="<PENDING>",pending="busy"'
said 1 '^14^done,.*enabled="y",addr="0x[0-9a-f]*",func="busy"'
said 1 '^16^done,stack=\[frame={level="0",.*func="busy"'

# By itself: the program's file brings its symbols.
found() {
	echo "1-interpreter-exec console \"source $CAIRN_GDB\""
	echo "2-interpreter-exec console \"set cairn directory $tmp\""
	echo '3-interpreter-exec console "set cairn auto-symbols on"'
	echo '4-gdb-set inferior-tty /dev/null'
	echo "5-file-exec-and-symbols $tmp/no/steps"
	echo '6-break-insert busy'
	echo '7-exec-run'
	stopped 1
	echo '8-stack-list-frames 0 0'
	echo '9-gdb-exit'
}
interpret found
said 1 '^6^done,bkpt={number="1".*func="busy"'
said 1 '^\*stopped,.*reason="breakpoint-hit",disp="keep",bkptno="1",frame={addr="0x[0-9a-f]*",func="busy"'
said 1 "^8^done,stack=\[frame={level=\"0\",addr=\"0x[0-9a-f]*\",func=\"busy\",$line"
echo 'breakpoints set before -exec-run are hit'
