#!/bin/sh
# SPDX-License-Identifier: MIT
# long.sh: a search through a large process, and through all addresses.  LLDB keeps what it has read, so a large read goes through the
# kernel instead, and Ctrl-C ends the search.  A process that goes away meanwhile ends it, too.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"
cat >wide.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* wide MEGABYTES FILLED: that much writable memory, the first part of it not empty */
int main(int argc, char **argv)
{
	size_t size = strtoul(argv[1], NULL, 10) << 20, filled = strtoul(argv[2], NULL, 10) << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	FILE *out = fopen("pid", "w");

	if (argc != 3 || memory == MAP_FAILED || !out)
		return 1;
	memset(memory, 5, filled);
	fprintf(out, "%d\n", (int)getpid());
	fclose(out);
	abort();
}
END_C
"$CC_TARGET" -O1 wide.c -o wide

# session ARGUMENTS...: in a process of its own, killed after $limit seconds
limit=
session() {
	exec ${limit:+timeout -s KILL "$limit"} "$LLDB" -x -b -O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O "plugin load $LLDB_PLUGIN" "$@" </dev/null
}

# The kernel may keep one process from reading another.
session wide -o 'process launch -- 512 512' -k 'cairn find-cbf' -k 'process kill' >said 2>&1 &
pid=$!
peak=0
while kill -0 $pid 2>/dev/null; do
	now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null || :)
	[ -z "$now" ] || peak=$now
	sleep 0.05
done
wait $pid || :
grep -q ' arrays in [0-9]* bytes' said || {
	cat said
	fail 'no search'
}
if [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -gt 1 ]; then
	echo "search: LLDB took $((peak / 1024)) MB; the kernel lets nobody read a process"
elif [ "$peak" -gt 400000 ]; then
	fail "LLDB took $((peak / 1024)) MB to search 512 MB of a process of this machine"
else
	echo "search: 512 MB, LLDB took $((peak / 1024)) MB"
fi

# Of all addresses, those that can be read: to try each page takes minutes.
(
	limit=60
	session wide -o 'process launch -- 1 1' -k 'cairn find-cbf 0 0xffffffffffffffff' -k 'cairn find-cbf 0 0x1000' -k 'process kill'
) >said 2>&1 || :
grep -q '^0 arrays in [1-9][0-9]* bytes$' said && grep -q '^0 arrays in 0 bytes$' said || {
	cat said
	fail 'no search of all addresses within a minute'
}
echo 'all addresses: what can be read of them'

# The search goes on for minutes, if nothing ends it.
begin_search() {
	rm -f begun
	session wide -o 'process launch -- 1000000 1' -o "platform shell touch $tmp/begun" -k "platform shell touch $tmp/begun" \
		-k 'cairn find-cbf' -k 'cairn where 0x10' -k 'process kill' >said 2>&1 &
	pid=$!
	until [ -f begun ]; do
		kill -0 $pid 2>/dev/null || {
			cat said
			fail 'LLDB ended before the search'
		}
		sleep 0.1
	done
}
begin_search
# until it has noticed: the first may come before the search
while kill -0 $pid 2>/dev/null; do
	kill -INT $pid 2>/dev/null || :
	sleep 0.5
done
wait $pid || :
grep -qi 'interrupted' said || {
	cat said
	fail 'Ctrl-C did not end the search'
}
! grep -q ' arrays in ' said || fail 'the search went on after Ctrl-C'
echo 'Ctrl-C: ends the search, and LLDB goes on'

# The process is killed under the debugger.
begin_search
kill -KILL "$(cat pid)"
wait $pid || status=$?
[ "${status:-0}" -lt 128 ] || {
	cat said
	fail "LLDB ended with status $status when the process was gone"
}
grep -qE 'error: |arrays in' said || fail 'no answer about a process that is gone'
echo 'a process that goes away: LLDB lives'
