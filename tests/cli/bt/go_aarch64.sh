#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The core of a stripped Go program of aarch64, which QEMU writes: `cairn bt` has the frames of the goroutine that
# crashed, through the signal handler and the function that was injected, as Go's own traceback prints them.  GO, or "go",
# is the toolchain, which no other test needs: without it this one skips.
#
#	go_aarch64.sh CAIRN
set -eu
LC_ALL=C
export LC_ALL
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
go=${GO:-go}
for tool in "$go" qemu-aarch64; do
	command -v "$tool" >/dev/null || { echo "needs $tool"; exit 77; }
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/go.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export GOCACHE="$tmp/cache" GOPATH="$tmp/path" GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local
cat >main.go <<'END'
package main

import "os"

//go:noinline
func inner(x *int, n int) int { return *x + n }

//go:noinline
func middle(x *int, n int) int {
	var b [100]int
	for i := range b {
		b[i] = n + i
	}
	return inner(x, n) + b[n]
}

//go:noinline
func outer(n int) int { return middle(nil, n) + 1 }

func main() { os.Exit(outer(3)) }
END
GOOS=linux GOARCH=arm64 "$go" build -ldflags '-s -w' -o program main.go || { echo 'needs a Go that builds for arm64'; exit 77; }
ulimit -c unlimited
GOTRACEBACK=crash timeout 60 qemu-aarch64 ./program >said 2>&1 || :
core=$(ls qemu_program_*.core) || { echo 'needs a QEMU that writes cores'; exit 77; }

# of the goroutine that crashed, from the function that the runtime injected on
awk '/^goroutine/ { n++ } n == 1 && / pc=/ { sub(/.* pc=/, ""); print }' said |
	sed -n '/./p' >theirs
"$cairn" bt -1 "$core" program >out
awk '/^#/ && $2 ~ /^0x/ { sub(/^0x0*/, "0x", $2); print $2 }' out | tail -n "$(wc -l <theirs)" >ours
[ "$(wc -l <theirs)" -ge 7 ] || { cat said; echo 'Go printed fewer frames than there are'; exit 1; }
cmp ours theirs || { cat out said; exit 1; }
grep -q 'main.middle .* at .*main.go:14$' out || { cat out; exit 1; }
echo "$(wc -l <ours) frames"
