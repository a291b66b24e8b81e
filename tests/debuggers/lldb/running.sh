#!/bin/sh
# SPDX-License-Identifier: MIT
# running.sh: commands while the process runs answer in words.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
command -v mkfifo >/dev/null || skip 'no mkfifo on this machine'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"

cat >spin.c <<'END_C'
#include <stdio.h>
#include <unistd.h>
static volatile int turn;
__attribute__((noinline)) static void spin(void)
{
	while (1)
		turn++;
}
int main(void)
{
	FILE *out = fopen("begun", "w");
	alarm(600); /* if nobody ends it */
	if (out)
		fclose(out);
	spin();
	return 0;
}
END_C
"$CC_TARGET" -g -O0 -Wl,--build-id=sha1 spin.c -o spin
mkfifo typed
timeout $((100 * ${CK_TIMEOUT_MULTIPLIER:-1})) "$LLDB" -x -O 'settings set use-color false' -O 'settings set auto-confirm true' \
	-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "plugin load $LLDB_PLUGIN" spin <typed >said 2>&1 &
pid=$!
exec 9>typed

# answered COMMAND PATTERN: types it until the answer is there; LLDB may not know yet that the process runs
answered() {
	until grep -qE -- "$2" said; do
		kill -0 $pid 2>/dev/null || {
			cat said
			fail "LLDB ended before \"$1\" was answered with \"$2\""
		}
		[ -z "$1" ] || echo "$1" >&9
		sleep 0.2
	done
}
echo 'process launch -n' >&9
until [ -f begun ]; do
	kill -0 $pid 2>/dev/null || fail 'LLDB ended before the program began'
	sleep 0.1
done
answered 'cairn bt' '^error: no stack: the selected thread is running$'
answered 'cairn status' '^No modules yet: the process is running; stop it first[.]$'
answered 'cairn find-cbf' '^error: cannot read memory: the process is running; stop it first$'
answered 'cairn sframe' '^error: no stack: the selected thread is running$'
answered 'cairn where main' '^0x[0-9a-f]* main at spin.c:'
answered 'cairn where 0x10' '^0x10 [?][?]$'
printf 'process kill\nquit\n' >&9
exec 9>&-
wait $pid || [ $? -lt 128 ] || {
	cat said
	fail 'LLDB ended badly'
}
echo 'a process that runs: commands answer in words'
