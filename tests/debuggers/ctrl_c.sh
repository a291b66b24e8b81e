#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C ends a long command of cairn within a second of GDB's processor time, whatever it prints or reads: a stack of
# 20,000 frames as text and as JSON, and a large log.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" awk
[ -r /proc/self/stat ] || skip 'no /proc here'
build sample.c sample -O1 -g
awk 'BEGIN { for (n = 0; n < 200000; n++) print "{{{bt:" n ":0x401000:ra}}}" }' >"$tmp/log"

# ticks PID: its processor time
ticks() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# answer COMMAND: prints the processor time from Ctrl-C to the next command, in ticks; the command takes some seconds
answer() {
	rm -f "$tmp/begun" "$tmp/ticks"
	"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -ex 'set pagination off' \
		-ex 'set exec-wrapper env -i' -ex "source $CAIRN_GDB" -ex 'break stop_here' -ex 'run deep' -ex 'cairn bt 2' \
		-ex "shell touch $tmp/begun" -ex "$1" -ex "shell awk '{ print \$14 + \$15 }' /proc/\$PPID/stat >$tmp/ticks" \
		-ex 'cairn bt 2' "$tmp/no/sample" </dev/null >"$tmp/said" 2>&1 &
	pid=$!
	until [ -e "$tmp/begun" ]; do
		kill -0 $pid 2>/dev/null || fail "$1: GDB ended: $(tail -n 5 "$tmp/said")"
		sleep 0.05
	done
	begun=$(ticks $pid)
	# it works for a while first, however busy the machine is
	while [ "$(ticks $pid)" -lt $((begun + $(getconf CLK_TCK) / 2)) ] && [ ! -e "$tmp/ticks" ]; do
		sleep 0.05
	done
	[ ! -e "$tmp/ticks" ] || fail "$1: over before Ctrl-C"
	before=$(ticks $pid)
	kill -INT $pid
	wait $pid || fail "$1: GDB ended badly"
	grep -q '^Quit' "$tmp/said" || fail "$1: not interrupted: $(tail -n 3 "$tmp/said")"
	grep -q '^#1 .* in recurse' "$tmp/said" || fail "$1: the next command: $(tail -n 3 "$tmp/said")"
	echo $(($(cat "$tmp/ticks") - before))
}

second=$(getconf CLK_TCK)
for command in 'cairn bt 20000' 'cairn bt -json 20000' "cairn markup -file $tmp/log"; do
	took=$(answer "$command") || fail "$took"
	[ "$took" -le "$second" ] || fail "$command: $took ticks of $second until Ctrl-C was answered"
	echo "${command%"$tmp/log"}: $took ticks of $second"
done
