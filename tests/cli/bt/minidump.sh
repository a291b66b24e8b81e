#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does a minidump of a process give the stacks that the process itself gives?
#
#	minidump.sh CAIRN LIVE_THREADS PROCESS_TO_MINIDUMP
cairn=$1
threads=$2
convert=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/minidump.XXXXXX") || exit 2
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT

: >"$work/said"
"$threads" 2 >"$work/said" &
pid=$!
tries=0
until grep -q ready "$work/said"; do
	sleep 0.1
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { echo "the program did not start"; exit 1; }
done
"$convert" $pid >"$work/dump"
case $? in
0) ;;
77) echo 'skipped: processes may not be traced here' && exit 77 ;;
*) exit 1 ;;
esac
"$cairn" bt --pid $pid >"$work/live" || { echo "the process: $?"; exit 1; }
"$cairn" bt "$work/dump" >"$work/minidump" || { echo "its minidump: $?"; cat "$work/minidump"; exit 1; }
frames() {
	grep '^#' "$1"
}
frames "$work/live" >"$work/expected"
frames "$work/minidump" >"$work/got"
grep -q ' in wait_here ' "$work/expected" || { echo "no wait_here"; cat "$work/live"; exit 1; }
diff "$work/expected" "$work/got" || { echo "not the same stacks"; exit 1; }

# Crashpad names libraries without a directory: they are where the system has them, or in the directories that are given, if the build is theirs.
"$convert" $pid sonames >"$work/named" || exit 1
folder=$(dirname "$threads")
"$cairn" bt --directory "$folder" "$work/named" >"$work/minidump" || { echo "names without folders: $?"; cat "$work/minidump"; exit 1; }
frames "$work/minidump" | sed 's/ from .*//' >"$work/got"
sed 's/ from .*//' "$work/expected" | diff - "$work/got" || { echo "names without folders: not the same stacks"; exit 1; }
mkdir "$work/empty" "$work/libraries"
for file in $(sed -n 's/^[0-9a-f].* \(\/.*\)/\1/p' /proc/$pid/maps | sort -u); do
	cp "$file" "$work/libraries/" 2>/dev/null
done
without=$("$cairn" bt --sysroot "$work/empty" "$work/named" | grep -c '\[scan\]')
with=$("$cairn" bt --sysroot "$work/empty" --directory "$work/libraries" "$work/named" | grep -c '\[scan\]')
[ "$without" -gt 0 ] && [ "$with" = 0 ] || { echo "libraries in a folder: $with guessed frames, without them $without"; exit 1; }
for file in "$work/libraries"/*; do
	cp "$(command -v cat)" "$file"
done
"$cairn" bt --sysroot "$work/empty" --directory "$work/libraries" "$work/named" --list-modules >"$work/listed"
grep -q 'its file has another build ID' "$work/listed" || { echo "files of another build are taken"; cat "$work/listed"; exit 1; }

# Of a program that is not here the debug file has names, and tells where the program was linked.
id=$("$cairn" bt --list-modules --json "$work/dump" | sed -n 's/.*"build_id":"\(..\)\([0-9a-f]*\)".*live_threads".*/\1\/\2/p' | head -n 1)
mkdir -p "$work/tree/.build-id/${id%/*}"
objcopy --only-keep-debug "$threads" "$work/tree/.build-id/$id.debug" || exit 1
mkdir "$work/none" # nothing is found there
"$cairn" bt --sysroot "$work/none" --debug-file-directory "$work/tree" "$work/dump" >"$work/debug"
grep -q ' in wait_here .*/live_threads\.c:[0-9]' "$work/debug" || { echo "no names by a debug file"; cat "$work/debug"; exit 1; }

# Cut anywhere, it gives what there is, and ends.
size=$(wc -c <"$work/dump")
cut=0
while [ $cut -lt "$size" ]; do
	head -c $cut "$work/dump" >"$work/part"
	(ulimit -t 10 && ulimit -v 400000 && exec "$cairn" bt "$work/part") >"$work/out" 2>&1
	status=$?
	case $status in
	1 | 3) ;;
	*) echo "cut at $cut: exit status $status" && cat "$work/out" && exit 1 ;;
	esac
	cut=$((cut + size / 23))
done
