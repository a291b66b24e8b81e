#!/bin/sh
# SPDX-License-Identifier: MIT
# lldb_find.sh CAIRN [MEGABYTES]: processor seconds of `cairn find-cbf` in LLDB over the memory of a live process
# (1,024 MB), and of `cairn cbf find` on a core of the same program; the best of three each, in turns.
# LLDB_PLUGIN is the plugin, LLDB the debugger (lldb-19).
set -eu
cairn=$1 megabytes=${2:-1024}
: "${LLDB_PLUGIN?path of cairn-lldb.so}" "${LLDB:=lldb-19}" "${CC_TARGET:=cc}" "${RUNS:=3}"
for tool in "$LLDB" gdb "$CC_TARGET"; do
	command -v "$tool" >/dev/null || {
		echo "skipped: no $tool on this machine"
		exit 77
	}
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cairn-find.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
export HOME="$tmp" XDG_CACHE_HOME="$tmp/cache" LC_ALL=C
cat >"$tmp/wide.c" <<'END'
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
void stop_here(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
	size_t size = strtoul(argv[argc - 1], NULL, 10) << 20;
	uint64_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	/* a heap: pointers, small numbers and zeros */
	for (size_t i = 0; i < size / 8; i++)
		memory[i] = i % 4 == 0 ? (uintptr_t)&memory[i / 2] : i % 4 == 1 ? i & 0xffff : 0;
	stop_here();
	return 0;
}
END
"$CC_TARGET" -g -O1 -fno-inline "$tmp/wide.c" -o "$tmp/wide"
gdb -nx -q -batch -iex 'set debuginfod enabled off' -ex 'break stop_here' -ex "run $megabytes" \
	-ex "generate-core-file $tmp/core" "$tmp/wide" </dev/null >"$tmp/said" 2>&1 && [ -s "$tmp/core" ] || {
	cat "$tmp/said"
	exit 1
}

# user and system time of LLDB, before and after the search
mark="platform shell cat /proc/\$PPID/stat"
in_lldb() {
	"$LLDB" -x -b -O "plugin load $LLDB_PLUGIN" -o "breakpoint set -n stop_here" \
		-o "process launch -- $megabytes" -o "$mark" -o 'cairn find-cbf' -o "$mark" -o 'process kill' \
		"$tmp/wide" </dev/null >"$tmp/said" 2>&1
	grep ' arrays in ' "$tmp/said" >"$tmp/found"
	awk -v hertz="$(getconf CLK_TCK)" '
		/^[0-9]+ [(].*[)] / { sub(/.*\) /, ""); t[++n] = $12 + $13 } END { print (t[2] - t[1]) / hertz }' "$tmp/said"
}
of_core() {
	sh -c 'TIMEFORMAT=; "$1" cbf find "$2" >"$3" 2>&1; times' sh "$cairn" "$tmp/core" "$tmp/listed" |
		awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, p, "m"); sub(/s/, "", p[2]); s += p[1] * 60 + p[2] } print s }'
}
# less A B: the smaller
less() { echo "$1 $2" | awk '{ print ($1 == "" || $2 < $1) && $2 != "" ? $2 : $1 }'; }
live='' core=''
for _ in $(seq "$RUNS"); do
	one=$(of_core) && core=${core:+$(less "$core" "$one")} && core=${core:-$one}
	one=$(in_lldb) && live=${live:+$(less "$live" "$one")} && live=${live:-$one}
done
cat "$tmp/found"
echo "$live $core" | awk -v megabytes="$megabytes" '{
	printf "%d MB: live in LLDB %.2f s, of a core by cairn %.2f s, %.2f times\n", megabytes, $1, $2, $1 / $2 }'
