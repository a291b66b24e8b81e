#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Stacks of a busy JVM, of its process and of its core, for each JDK that is installed (HotSpot's, with javac): of 16 threads in
# compiled and interpreted code, at least 15 lead to where threads begin, and none has a guess. Compiled code keeps no frame
# pointers.
#
#	jvm.sh CAIRN
cairn=$(realpath "$1")
[ "$(uname -m)" = x86_64 ] || { echo 'skipped: frames of the JVM are known on amd64'; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/jvm.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2
cat >Busy.java <<'END'
import java.util.*;
public class Busy {
	static volatile long sink;
	interface Step { long go(long a, long b, long c, long d); }
	static final Step[] steps = {
		(a, b, c, d) -> { long s = a; for (int i = 0; i < 40; i++) s = s * 31 + (b ^ (c + i)) - d; return s; },
		(a, b, c, d) -> { long s = b; for (int i = 0; i < 40; i++) s = s * 17 + (a ^ (d + i)) - c; return s; },
		(a, b, c, d) -> { long s = c; for (int i = 0; i < 40; i++) s = s * 13 + (a ^ (b + i)) - d; return s; },
		(a, b, c, d) -> new long[] { a, b, c, d }[(int)(a & 3)] + String.valueOf(b).hashCode(),
	};
	static long wide(long a, long b, long c, long d, long e, long f, int n) {
		long x = a;
		for (int i = 0; i < n; i++) {
			x += steps[i & 3].go(a + i, b, c, d);
			x ^= steps[(i + 1) & 3].go(e, f + i, x, d) + a * b + c * d - e * f;
		}
		return x + a + b + c + d + e + f;
	}
	static long deep(int n, long a, long b) {
		return n == 0 ? wide(a, b, n, a ^ b, a, b, 200) : deep(n - 1, a + b, b ^ n) + a * 3 + b * n;
	}
	static Object fail(int i) {
		try {
			if ((i & 7) == 3)
				throw new IllegalStateException("x" + i);
			return Integer.valueOf(i);
		} catch (RuntimeException e) {
			return e.getMessage();
		}
	}
	static void run(int kind) {
		Random random = new Random(kind);
		TreeMap<String, Integer> tree = new TreeMap<>();
		for (int round = 0;; round++)
			switch (kind % 4) {
			case 0: sink += wide(round, kind, 3, 4, sink, 6, 100); break;
			case 1: sink += deep(40, random.nextLong(), round); break;
			case 2: for (int i = 0; i < 1000; i++) tree.put("k" + random.nextInt(5000), i); break;
			case 3: for (int i = 0; i < 1000; i++) sink += fail(i).hashCode(); break;
			}
	}
	public static void main(String[] arguments) throws Exception {
		for (int i = 0; i < 16; i++) {
			final int kind = i;
			new Thread(() -> run(kind), "busy" + i).start();
		}
		System.out.println("ready");
		Thread.sleep(600000);
	}
}
END

# count FILE: complete stacks of busy threads, and guesses in them; the threads are named by the process alone
count() {
	[ -s tids ] || sed -n 's/.*"tid":\([0-9]*\),"name":"busy[0-9]*".*/"tid":\1,/p' "$1" >tids
	grep -F -f tids "$1" >busy || :
	complete=$(grep -c '"complete":true' busy)
	guesses=$(grep -c '"guessed":true' busy)
	echo "$java: $1: $(wc -l <busy) busy, $complete complete, $guesses with guesses"
	[ "$(wc -l <busy)" -eq 16 ] && [ "$complete" -ge 15 ] && [ "$guesses" -eq 0 ] || failed=1
}

failed=0 tried=0
for java in /usr/lib/jvm/*/bin/java; do
	[ -x "$java" ] && [ -x "${java}c" ] && [ -f "$(dirname "$java")/../lib/server/libjvm.so" ] || continue
	[ ! -L "$(dirname "$(dirname "$java")")" ] || continue
	"${java}c" -d . Busy.java || exit 1
	rm -f said tids
	"$java" -Xmx96m -cp . Busy >said 2>&1 &
	pid=$!
	tries=0
	until grep -qs ready said; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 300 ] || { echo "failed: $java is not ready"; cat said; exit 1; }
	done
	sleep 6
	"$cairn" bt --quiet --json --pid $pid >process.json 2>errors
	if grep -q 'cannot be traced' errors; then
		echo 'skipped: processes may not be traced here'
		exit 77
	fi
	count process.json
	if command -v gdb >path; then
		gdb -nx -q -batch -iex 'set debuginfod enabled off' -p $pid -ex 'generate-core-file core' </dev/null >gdb 2>&1
		"$cairn" bt --quiet --json core >core.json 2>errors
		count core.json
		rm -f core
	fi
	kill -KILL $pid
	wait $pid 2>/dev/null
	pid=
	tried=1
done
[ $tried = 1 ] || { echo 'skipped: no JDK of HotSpot in /usr/lib/jvm'; exit 77; }
exit $failed
