#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Run-times that make code, live: how many functions of a script have names in `cairn bt` of the process and of its core,
# and in GDB's own `bt` of both, after `cairn symbols load`? NODE, JAVA (with javac and jcmd beside it), PHP (with opcache)
# and ERL (with erlc beside it) are the programs; one that is missing is skipped by name. Prints a line for each, and
# fails if one of the four has none. OUT is a directory that keeps the stacks. Not part of the test run: what it needs is
# large.
#
#	jit_runtimes.sh CAIRN CAIRN_GDB
cairn=$(realpath "$1")
script=$(realpath "$2")
OUT=${OUT:+$(realpath "$OUT")}
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

# gdb_stacks ARGUMENT...: GDB's stacks of all threads, with the symbols of cairn
gdb_stacks() {
	gdb -nx -q -batch -iex 'set debuginfod enabled off' "$@" -ex "source $script" -ex "set cairn directory $work:/tmp" \
		-ex 'cairn symbols load' -ex 'thread apply all bt' </dev/null 2>&1
}

# count NAME PATTERN: frames of the script's functions
count() {
	"$cairn" bt --pid "$pid" >bt.process 2>&1
	gdb_stacks -p "$pid" >gdb.process
	program=$(readlink "/proc/$pid/exe")
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -p "$pid" -ex 'generate-core-file core' </dev/null >gdb 2>&1
	[ -s core ] || echo "$1: GDB wrote no core"
	"$cairn" bt --directory "$work:/tmp" core >bt.core 2>&1
	gdb_stacks "$program" core >gdb.core
	rm -f core
	line=
	for file in bt.process bt.core gdb.process gdb.core; do
		found=$(grep '^#' $file | grep -c "$2")
		[ "$found" -gt 0 ] || failed=1
		line="$line $file $found"
		[ -z "$OUT" ] || cp $file "$OUT/$(echo "$1" | tr ' /' '__').$file"
	done
	echo "$1:$line"
	stop
}

if command -v "${NODE:=node}" >path; then
	cat >script.js <<'END'
function waits(n) { const end = Date.now() + 600000; let s = n; while (Date.now() < end) s += Math.sqrt(s); return s; }
function calls(n) { return waits(n) + 1; }
console.log('ready'); calls(1);
END
	for option in --perf-prof --perf-basic-prof; do
		run "$NODE" $option --interpreted-frames-native-stack script.js
		count "Node $option" '\(JS\|LazyCompile\|Function\):.*\(Module\|calls\|waits\)'
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
	javac Hot.java && run "$JAVA" -Xmx64m -XX:ReservedCodeCacheSize=32m -XX:-UseCompressedClassPointers \
		-XX:+PreserveFramePointer Hot
	jcmd "$pid" Compiler.perfmap >jcmd.said
	count JVM 'Hot\.'
else
	echo 'skipped: the JVM with javac and jcmd'
fi

# PHP keeps no frame pointer in the code that it makes
if command -v "${PHP:=php}" >path; then
	cat >hot.php <<'END'
<?php
function spin($n) { $s = 1.0; for ($i = 1; $i < $n; $i++) { $s += strlen(str_repeat("x", $i % 100)) / ($s + $i); } return $s; }
function outer($n) { $t = 0; for ($i = 0; $i < 1000; $i++) $t += spin($n + $i); return $t; }
echo "ready\n"; $end = time() + 600; $x = 0;
while (time() < $end) $x += outer(10000);
END
	run "$PHP" -d opcache.enable=1 -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d opcache.jit=tracing \
		-d opcache.jit_debug=16 -d opcache.file_update_protection=0 hot.php
	count PHP 'TRACE-\|JIT\$'
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
	count Erlang 'hot:'
else
	echo 'skipped: Erlang'
fi
exit $failed
