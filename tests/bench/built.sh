#!/bin/sh
# SPDX-License-Identifier: MIT
# built.sh BUILD TARGET... -- COMMAND...: builds the targets, then runs the command.  Benchmarks build
# their programs so, and no other target needs these: what does not compile here stops a benchmark,
# and never a build.
set -eu
build=$1
shift
targets=
while [ "$1" != -- ]; do
	targets="$targets $1"
	shift
done
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of names
meson compile -C "$build" $targets >"$log" 2>&1 || {
	cat "$log"
	exit 1
}
rm -f "$log"
trap - EXIT
exec "$@"
