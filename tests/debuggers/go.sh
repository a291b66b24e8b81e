#!/bin/sh
# SPDX-License-Identifier: MIT
# A stripped Go program in GDB: `cairn symbols load` gives functions, files, lines and inlined calls of the table
# that Go's runtime uses, and rules for unwinding, so that GDB's own stacks are those of the complete program:
# in a goroutine, and on the stack of the system.  GO, or "go", is the toolchain; without it this test skips.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${GO:=go}"
need "$GDB" "$GO" strip
[ "$(uname -m)" = x86_64 ] || skip 'rules for unwinding Go are those of amd64'
export GOCACHE="$tmp/cache" GOPATH="$tmp/path" GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local

cat >"$tmp/main.go" <<'END'
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
)

//go:noinline
func deepest(n int) int {
	if n == 0 {
		runtime.GC()
		return len(os.Args)
	}
	return deepest(n-1) + 1
}

func inlined(n int) int { return deepest(n) * 2 }

type byLength []string

func (b byLength) Len() int           { return len(b) }
func (b byLength) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b byLength) Less(i, j int) bool { return len(b[i]) < inlined(len(b[j])) }

func main() {
	sort.Sort(byLength{"a", "bcd", "ef"})
	done := make(chan int)
	go func() { done <- inlined(2) }()
	fmt.Println(<-done)
}
END

# stacks PROGRAM FIRST: at the ends of a recursion, in a goroutine of its own, and where the runtime is on
# the stack of the system; addresses, names and places
stacks() {
	program=$1 first=$2
	within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-iex 'set confirm off' -iex 'set width 0' -ex 'set print frame-arguments none' \
		-ex 'set disable-randomization on' -ex "source $CAIRN_GDB" -ex starti -ex "$first" \
		-ex 'tbreak runtime.GC' -ex continue -ex bt -ex up -ex 'tbreak main.main.func1' -ex continue \
		-ex 'break runtime.GC' -ex continue -ex 'echo goroutine\n' -ex bt -ex delete \
		-ex 'tbreak runtime.gcMarkTermination.func1' -ex continue -ex 'echo system\n' -ex 'bt 2' \
		-ex 'cairn symbols load' -ex kill "$program" </dev/null >"$tmp/said" 2>&1 || :
}

# The complete program shows nothing beyond main(), and garbage beyond systemstack(); its frame 0 is past the
# prologue.  A file without a directory has one in GSYM.
compared() {
	sed -n -e '/^goroutine$/p' -e '/^system$/p' -e 's/^\(#[0-9]*  *\)\(0x[0-9a-f]* in \)\{0,1\}\([^ ]*\) (.*) at \(.*\)$/\1 \2 \3 \4/p' "$tmp/said" |
		sed -e '/ runtime\.main /d' -e '/ runtime\.goexit /d' -e '/^#0 /s/:[0-9]*$//' -e 's| \./<| <|'
}

for pie in '' -buildmode=pie; do
	# shellcheck disable=SC2086 # none means none
	(cd "$tmp" && "$GO" build $pie -o eh/prog main.go) || fail 'go build'
	strip -s -o "$tmp/no/prog" "$tmp/eh/prog"
	stacks "$tmp/eh/prog" 'echo complete\n'
	compared >"$tmp/wanted"
	said 1 '^#[0-9]* .* in runtime.systemstack '
	[ "$(grep -c ' main\.deepest ' "$tmp/wanted")" -ge 5 ] || {
		cat "$tmp/said"
		fail 'the complete program has no stacks'
	}
	stacks "$tmp/no/prog" 'bt 3'
	said 0 ' main\.'
	stacks "$tmp/no/prog" 'cairn symbols load'
	compared >"$tmp/got"
	diff "$tmp/wanted" "$tmp/got" >"$tmp/diff" || {
		cat "$tmp/diff" "$tmp/said"
		fail "stacks of the stripped program ${pie:-at a fixed address}"
	}
	said 1 "^$tmp/no/prog: [0-9]* functions from $tmp/no/prog$"
	said 1 '^Nothing to load: GDB has the symbols of '
	echo "${pie:-at a fixed address}: $(wc -l <"$tmp/got") frames equal"
done
