#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn serve` beside a program that asks the library itself: serve.sh CAIRN SERVE_NAMES PROGRAM [BUILDS [BATCHES]]
#
# PROGRAM with DWARF becomes BUILDS (100) builds, which differ in their build ID; BATCHES (1,000) of 1,000 random addresses are asked for by 16
# clients, while another one sends a byte a second. Prints the processor time of both, and how long answers took.
set -eu
cairn=$1 names=$2 program=$3 count=${4:-100} batches=${5:-1000}
work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-serve.XXXXXX")
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work"

set -- $(readelf -SW "$program" | awk '$2 == ".text" { print $4, $6 } $3 == ".text" { print $5, $7 }')
low=$1 size=$2
i=0
while [ $i -lt "$count" ]; do
	first=$(printf '%02x' $((i % 256)))
	rest=$(printf '%038x' $((i + 4096)))
	mkdir -p "$work/tree/.build-id/$first"
	escapes=$(printf '%s%s' "$first" "$rest" | sed 's/../\\x&/g')
	# shellcheck disable=SC2059 # escapes
	env printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0'"$escapes" >"$work/note"
	objcopy --update-section .note.gnu.build-id="$work/note" "$program" "$work/tree/.build-id/$first/$rest.debug"
	ln -f "$work/tree/.build-id/$first/$rest.debug" "$work/tree/.build-id/$first/$rest"
	echo "$first$rest $low $size" >>"$work/builds"
	i=$((i + 1))
done

"$names" local "$work/builds" "$work/tree" "$batches"
"$cairn" serve --quiet --max-memory 17179869184 --unix "$work/socket" --directory "$work/tree" >"$work/out" 2>"$work/err" &
service=$!
until [ -S "$work/socket" ]; do sleep 0.1; done

# processor time of the service and all that it has started, in ticks
ticks() {
	sum=0
	for process in "$service" $(pgrep -P "$service") $(pgrep -P "$(pgrep -P "$service")"); do
		sum=$((sum + $(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$process/stat")))
	done
	echo $sum
}
"$names" load "$work/builds" "$work/socket" 20 1 >"$work/warm"
before=$(ticks)
"$names" load "$work/builds" "$work/socket" "$batches" 16
echo "service: $batches warm batches $(echo "$(ticks) $before $(getconf CLK_TCK)" | awk '{ printf "%.3f", ($1 - $2) / $3 }') s of processor time"
curl -s --unix-socket "$work/socket" http://localhost/metrics | grep -E '^(cairn_cache_bytes|process_resident)'
