#!/bin/sh
# SPDX-License-Identifier: MIT
# unpack_collector.sh DIR: a collector of OpenTelemetry, DIR/collector, for the test of `cairn serve` with one.
#
# Nobody packages the program, but Debian sid has its parts as a library in Go. The packages are unpacked, not installed; they, the compiler and what it
# writes take 3 GB, and are removed at the end. That takes five minutes.
set -eu
folder=${1:?usage: scripts/unpack_collector.sh DIR}
[ ! -x "$folder/collector" ] || exit 0
mkdir -p "$folder/new"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")"
. ./root.sh
. ./archive.sh
trap 'rm -rf "$folder/new"' EXIT
trap 'exit 1' INT TERM HUP
list=$folder/new/list root=$folder/new/root
from=$(archive)
fetch_list "$from" sid "$(dpkg --print-architecture)" "$list"

# The packages of Go's libraries that NAME needs, and those that they need.
list_libraries() {
	awk -v first="$1" '
		/^Package: / { name = $2; known[name] = 1 }
		/^Provides: / {
			count = split(substr($0, 11), names, /, */)
			for (i = 1; i <= count; i++) {
				sub(/ .*/, "", names[i])
				if (!(names[i] in provider))
					provider[names[i]] = name
			}
		}
		/^Depends: / { needs[name] = substr($0, 10) }
		END {
			all[1] = first
			taken[first] = 1
			for (at = last = 1; at <= last; at++) {
				print all[at]
				count = split(needs[all[at]], names, /, */)
				for (i = 1; i <= count; i++) {
					sub(/[ :|].*/, "", names[i])
					one = names[i] in known ? names[i] : provider[names[i]]
					if (one ~ /^golang-.*-dev$/ && !(one in taken)) {
						taken[one] = 1
						all[++last] = one
					}
				}
			}
		}' "$list"
}

compiler=$(awk '/^Package: / { name = $2 } name == "golang-go" && /^Depends: / { sub(/,.*/, ""); print $2 }' "$list")
for package in $(list_libraries golang-opentelemetry-collector-dev) "$compiler" "${compiler%-go}-src"; do
	unpack_listed "$from" "$list" "$package" "$root" || {
		echo "unpack_collector.sh: $package cannot be had" >&2
		exit 1
	}
done
version=${compiler#golang-}
go=$root/usr/lib/go-${version%-go}
cd ../tests/net/collector
GO111MODULE=off GOTOOLCHAIN=local GOPATH=$root/usr/share/gocode GOROOT=$go GOCACHE=$folder/new/cache "$go/bin/go" build -o "$folder/collector" .
