#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Run-times that make code, live: do `cairn bt --pid`, GDB's own `bt` after `cairn symbols load`, and `cairn bt` of the
# process's core name the functions of a script?  NODE, JAVA (with javac and jcmd beside it), PHP and ERL are the programs, PHP with its options
# for opcache; those that are missing are skipped by name.  Prints a line for each: how many frames have names.  Not part
# of the test run: what it needs is large.
#
#	jit_runtimes.sh CAIRN CAIRN_GDB
cairn=$(realpath "$1")
script=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/runtimes.XXXXXX") || exit 2
pid=
stop() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	[ -z "$pid" ] || rm -f "/tmp/perf-$pid.map" "/tmp/jit-$pid.dump"
	pid=
}
trap 'stop; rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# run COMMAND...: until it has printed "ready" and has made code for a while
run() {
	rm -f said
	"$@" >said 2>&1 &
	pid=$!
	tries=0
	until grep -qs ready said; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { echo "failed: $* is not ready"; cat said; exit 1; }
	done
	sleep 3
}

# count NAME PATTERN WHO: frames of the script's functions, seen by cairn and by GDB (WHO: "both", or "cairn" alone)
count() {
	"$cairn" bt --pid "$pid" >bt 2>&1
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -p "$pid" -ex "source $script" -ex 'cairn symbols load' \
		-ex 'thread apply all bt' </dev/null >gdb 2>&1
	ours=$(grep -c "$2" bt) theirs=$(grep '^#' gdb | grep -c "$2")
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -p "$pid" -ex 'generate-core-file core' </dev/null >gdb 2>&1
	"$cairn" bt --directory "$work:/tmp" core >bt 2>&1
	dead=$(grep -c "$2" bt)
	rm -f core
	echo "$1: $ours frames in cairn bt, $dead in cairn bt of the core, $theirs in GDB's bt"
	[ "$ours" -gt 0 ] && [ "$dead" -gt 0 ] && { [ "$3" = cairn ] || [ "$theirs" -gt 0 ]; } || failed=1
	stop
}

if command -v "${NODE:=node}" >path; then
	cat >script.js <<'END'
function waits(n) { const end = Date.now() + 60000; let s = n; while (Date.now() < end) s += Math.sqrt(s); return s; }
function calls(n) { return waits(n) + 1; }
console.log('ready'); calls(1);
END
	for option in --perf-prof --perf-basic-prof; do
		run "$NODE" $option --interpreted-frames-native-stack script.js
		count "Node $option" 'JS:.*\(Module\|calls\|waits\)' both
	done
else
	echo "skipped: Node"
fi

if command -v "${JAVA:=java}" >path && command -v javac jcmd >path; then
	cat >Hot.java <<'END'
public class Hot {
	static double spin(int n) { double s = n; for (int i = 1; i < n; i++) s += Math.sqrt(s + i); return s; }
	static double outer(int n) { double t = 0; for (int i = 0; i < 1000; i++) t += spin(n + i); return t; }
	public static void main(String[] arguments) {
		System.out.println("ready");
		for (double x = 0; x >= 0;) x += outer(10000);
	}
}
END
	javac Hot.java && run "$JAVA" -XX:+PreserveFramePointer Hot
	jcmd "$pid" Compiler.perfmap >jcmd.said
	count JVM 'Hot\.' both
else
	echo 'skipped: the JVM with javac and jcmd'
fi

# PHP keeps no frame pointer in the code that it makes
if command -v "${PHP%% *}" >path; then
	cat >hot.php <<'END'
<?php
function spin($n) { $s = 1.0; for ($i = 1; $i < $n; $i++) { $s += strlen(str_repeat("x", $i % 100)) / ($s + $i); } return $s; }
function outer($n) { $t = 0; for ($i = 0; $i < 1000; $i++) $t += spin($n + $i); return $t; }
echo "ready\n"; $end = time() + 60; $x = 0;
while (time() < $end) $x += outer(10000);
END
	# shellcheck disable=SC2086 # its options
	run $PHP -d opcache.enable=1 -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d opcache.jit=tracing \
		-d opcache.jit_debug=16 -d opcache.file_update_protection=0 hot.php
	count PHP 'TRACE-\|JIT\$' cairn
else
	echo 'skipped: PHP'
fi

if command -v "${ERL:=erl}" erlc >path; then
	cat >hot.erl <<'END'
-module(hot).
-export([main/0, spin/2, outer/1]).
spin(0, S) -> S; spin(N, S) -> spin(N - 1, (S * 31 + N) band 65535).
outer(N) -> S = spin(100000000, N), outer(S).
main() -> io:format("ready~n"), outer(1).
END
	erlc hot.erl && run "$ERL" +JPperf true -noshell -s hot main
	count Erlang 'hot:' both
else
	echo 'skipped: Erlang'
fi
exit $failed
