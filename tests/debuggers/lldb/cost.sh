#!/bin/sh
# SPDX-License-Identifier: MIT
# cost.sh [RUNS]: what it costs LLDB to load the plugin, and to load symbols by themselves.  Time is not asked for here: LLDB
# reads the first bytes of the plugin and of nothing else, and touches few pages.  With RUNS the processor time, in
# so many LLDBs.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}" "${COST?path of the plugin}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
[ -n "$COST" ] || skip 'no headers of LLDB (liblldb-19-dev), or no C++ compiler'
[ -r /proc/thread-self/io ] || skip 'this kernel does not count what a thread reads'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

# start_lldb: what each of four commands has cost, "READS BYTES FAULTS MICROSECONDS" in a line of its own
start_lldb() {
	within 100 "$LLDB" -x -b -O "plugin load $COST" -O 'cost version' \
		-O "cost plugin load $LLDB_PLUGIN" -O 'cost cairn set auto-symbols on' -O 'cost cairn status' \
		</dev/null >"$tmp/said" 2>&1 || :
	sed -n 's/^cost: \([0-9]*\) reads \([0-9]*\) bytes \([0-9]*\) faults \([0-9]*\) us ok$/\1 \2 \3 \4/p' "$tmp/said" >"$tmp/costs"
	[ "$(wc -l <"$tmp/costs")" = 4 ] || {
		cat "$tmp/said"
		fail 'not all commands worked'
	}
}

# check NAME LINE READS BYTES PAGES: a command costs at most so many reads, bytes and pages more than one that does nothing
check() {
	awk -v name="$1" -v line="$2" -v reads="$3" -v bytes="$4" -v faults="$5" '
		NR == 1 { for (i = 1; i <= 3; i++) idle[i] = $i }
		NR == line { for (i = 1; i <= 3; i++) more[i] = $i > idle[i] ? $i - idle[i] : 0 }
		END { printf "%s: %d reads, %d bytes, %d pages\n", name, more[1], more[2], more[3]
			exit more[1] > reads || more[2] > bytes || more[3] > faults }' "$tmp/costs" || fail "$1 costs too much"
}

start_lldb
if [ $# = 0 ]; then
	# one library is opened: the loader reads its header; and 1 MiB of it is more than enough
	check 'to load the plugin' 2 2 4096 256
	check 'auto-symbols on' 3 4 16384 256
	check 'the first command' 4 4 16384 256
	exit
fi
for run in $(seq "$1"); do
	start_lldb
	echo "$run $(sed -n 2p "$tmp/costs")"
done | sort -n -k 5 >"$tmp/times"
awk '{ time[NR] = $5 } END { printf "to load the plugin: %.2f ms of processor time, median of %d; the most %.2f ms\n",
	time[int((NR + 1) / 2)] / 1000, NR, time[NR] / 1000 }' "$tmp/times"
