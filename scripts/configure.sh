#!/bin/sh
# SPDX-License-Identifier: MIT
# configure.sh DIRECTORY OPTION...: configures a build directory, or configures it again with all
# that is installed by now: Meson on its own remembers what it did not find the first time.
set -eu
cd "$(dirname "$0")/.."
directory=$1
shift
again=
if [ -f "$directory/build.ninja" ]; then
	meson configure "$directory" --clearcache >/dev/null
	again=--reconfigure
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # none means none
meson setup $again "$directory" "$@" >"$log" 2>&1 || {
	tail -n 20 "$log"
	exit 1
}
