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

. "$(dirname "$0")/serve_builds.sh"
make_builds "$program" "$count"

"$names" local "$work/builds" "$work/tree" "$batches"
"$cairn" serve --quiet --max-memory 17179869184 --unix "$work/socket" --directory "$work/tree" >"$work/out" 2>"$work/err" &
service=$!
until [ -S "$work/socket" ]; do sleep 0.1; done

"$names" load "$work/builds" "$work/socket" 20 1 >"$work/warm"
before=$(ticks "$service")
"$names" load "$work/builds" "$work/socket" "$batches" 16
echo "service: $batches warm batches $(echo "$(ticks "$service") $before $(getconf CLK_TCK)" | awk '{ printf "%.3f", ($1 - $2) / $3 }') s of processor time"
curl -s --unix-socket "$work/socket" http://localhost/metrics | grep -E '^(cairn_cache_bytes|process_resident)'
