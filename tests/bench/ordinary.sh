#!/bin/sh
# SPDX-License-Identifier: MIT
# What cairn costs GDB where it has nothing to do: milliseconds of GDB's processor time for programs
# without SFrame, by GDB alone and after `source cairn.gdb`; medians of 9 runs of each in turns.  In the
# last two `set cairn auto-symbols on` is said, too, and nothing is loaded between the stops.
# MODULE and CAIRN_GDB are set by meson.
. "$(dirname "$0")/../debuggers/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${RUNS:=9}"
need "$GDB" "$CC_TARGET"
[ -r /proc/self/schedstat ] || skip 'this kernel does not count nanoseconds'

cat >"$tmp/deep.c" <<'END'
#include <stdlib.h>
volatile int sink;
void __attribute__((noinline)) stop_here(void) { sink++; }
int __attribute__((noinline)) work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
	return sink;
}
int __attribute__((noinline)) recurse(int depth)
{
	if (depth == 0) {
		stop_here();
		for (int i = 0; i < 100000; i++)
			sink += work(2);
		return 1;
	}
	return recurse(depth - 1) + depth;
}
int main(int argc, char **argv) { return recurse(argc > 1 ? atoi(argv[1]) : 0) == 0; }
END
cat >"$tmp/many.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *wait(void *unused) { for (;;) pause(); return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW))
			return 1;
	for (int i = 0; i < 499; i++)
		if (pthread_create(&thread, &small, wait, NULL) != 0)
			return 1;
	puts("waiting");
	fflush(stdout);
	wait(NULL);
	return 0;
}
END
cat >"$tmp/stops.c" <<'END'
#include <dlfcn.h>
volatile int sink;
void __attribute__((noinline)) stop_here(void) { sink++; }
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW))
			return 1;
	for (int i = 0; i < 100000; i++)
		stop_here();
	return 0;
}
END
"$CC_TARGET" -g -O1 "$tmp/stops.c" -o "$tmp/stops" -ldl
"$CC_TARGET" -g -O1 -fno-optimize-sibling-calls "$tmp/deep.c" -o "$tmp/deep"
"$CC_TARGET" -g -O1 -pthread "$tmp/many.c" -o "$tmp/many" -ldl
echo 'int shared(int x) { return x + 1; }' >"$tmp/shared.c"
"$CC_TARGET" -g -O1 -shared -fPIC "$tmp/shared.c" -o "$tmp/shared.so"
set --
for i in $(seq 150); do
	cp "$tmp/shared.so" "$tmp/shared$i.so"
	set -- "$@" "$tmp/shared$i.so"
done
"$tmp/many" "$@" >"$tmp/waiting" &
many=$!
until grep -qs waiting "$tmp/waiting"; do sleep 0.1; done

# once LOAD FILE: ms of processor time between the marks of a script
once() {
	follow='set cairn auto-symbols on'
	[ "$1" != echo ] || follow=echo
	sed "s|^load\$|$1|; s|^follow\$|$follow|; s|^mark\$|shell cut -d ' ' -f 1 /proc/\$PPID/schedstat >>$tmp/marks|" "$2" >"$tmp/script"
	: >"$tmp/marks"
	timeout 300 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set width 0' -iex 'set confirm off' -x "$tmp/script" </dev/null >/dev/null 2>"$tmp/errors" || {
		cat "$tmp/errors"
		fail "$2"
	}
	awk 'NR == 1 { first = $1 } END { printf "%.1f\n", ((NR > 1) ? $1 - first : $1) / 1e6 }' "$tmp/marks"
}

median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# measure NAME: the script is standard input; `load` stands for what loads cairn, `mark` for a clock
measure() {
	cat >"$tmp/$1.gdb"
	: >"$tmp/$1.without"
	: >"$tmp/$1.with"
	for _ in $(seq "$RUNS"); do
		once 'echo' "$tmp/$1.gdb" >>"$tmp/$1.without"
		once "source $CAIRN_GDB" "$tmp/$1.gdb" >>"$tmp/$1.with"
	done
	echo "$1 $(median "$tmp/$1.without") $(median "$tmp/$1.with")" |
		awk '{ printf "%-10s %9.1f %9.1f ms %6.2f times\n", $1, $2, $3, $3 / $2 }'
}

echo "           GDB alone      with cairn"
measure start <<END
load
file $tmp/deep
break main
run
mark
END
measure bt <<END
load
file $tmp/deep
break stop_here
run 50000
mark
bt
mark
END
measure stepi <<END
load
file $tmp/deep
break work
run
mark
set \$i = 0
while \$i++ < 2000
stepi
end
mark
END
measure next <<END
load
file $tmp/deep
break stop_here
run
finish
mark
set \$i = 0
while \$i++ < 1000
next
end
mark
END
measure attach <<END
load
mark
attach $many
bt
mark
detach
END
kill $many
# stops NAME LIBRARIES...
stops() {
	name=$1
	shift
	measure "$name" <<END
load
follow
file $tmp/stops
set args $*
break stop_here
run
stepi
mark
set \$i = 0
while \$i++ < 500
stepi
end
mark
END
}
stops follow
stops follow150 "$@"
