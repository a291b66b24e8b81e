#!/bin/sh
# SPDX-License-Identifier: MIT
# cairn bt of a core names code that the process has made by its perf map, in a directory that the user names, or beside the
# core if it is not newer; and in no other, because another process may have had the number since.
#
#	bt_jit_core.sh CAIRN JIT_PROGRAM
set -eu
CAIRN=$1
: "${GDB:=gdb}"
command -v "$GDB" >/dev/null || { echo "skipped: no $GDB on this machine"; exit 77; }
. "$(dirname "$0")/../lib/start_jit.sh"
start_jit "$2"
"$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -p $pid -ex "generate-core-file $work/core" </dev/null >"$work/gdb" 2>&1 || :
[ -s "$work/core" ] || { echo 'skipped: processes may not be traced here'; exit 77; }

# named WHAT COUNT OPTION...: how many frames have the name
named() {
	what=$1 count=$2
	shift 2
	"$CAIRN" bt --quiet "$@" "$work/core" >"$work/out" 2>&1 || :
	[ "$(grep -c 'in made at run time ()' "$work/out")" = "$count" ] || { echo "$what:"; cat "$work/out"; failed=1; }
}

# a report of the crash handler, which looks at the map while the process is there
mkdir -m 700 "$work/reports"
report() {
	rm -f "$work/reports"/crash-*
	"$CAIRN" crash --pid $pid --tid $pid --signal 11 --reports "$work/reports" <"$work/core" >"$work/out" 2>&1 || :
	cat "$work/reports"/crash-*.json >>"$work/out"
	[ "$(grep -c '"function": *"made at run time"' "$work/out")" = "$2" ] || { echo "$1:"; cat "$work/out"; failed=1; }
}
report 'a report' 1
touch -d '2001-01-01' "/tmp/perf-$pid.map"
report 'a report with an old map' 0
touch "/tmp/perf-$pid.map"

mkdir "$work/maps" "$work/empty" "$work/pipe"
mv "/tmp/perf-$pid.map" "$work/maps"
named 'no folder' 0
named 'a folder with the map' 1 --directory "$work/maps"
named 'two folders' 1 --directory "$work/empty:$work/maps"
cp -p "$work/maps/perf-$pid.map" "$work"
named 'beside the core' 1
touch -d '+1 day' "$work/perf-$pid.map"
named 'newer than the core' 0
rm "$work/perf-$pid.map"
ln -s "maps/perf-$pid.map" "$work/perf-$pid.map"
named 'a link beside the core' 0
mkfifo "$work/pipe/perf-$pid.map"
named 'a pipe' 0 --directory "$work/pipe"
grep -q ' main (' "$work/out" || { echo 'no stack above the code'; failed=1; }
exit $failed
