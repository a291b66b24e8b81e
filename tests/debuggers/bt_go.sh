#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn bt` of Go programs whose threads have left the stack of their goroutine, with DWARF and stripped: for
# systemstack, for a function of the vDSO, and for C that crashes below a callback from C.  The goroutine's callers follow, up to the
# function that started it.  GO, or "go", is the toolchain; without it this test skips.
#
#	bt_go.sh CAIRN
cairn=$1
. "$(dirname "$0")/lib.sh"
: "${GO:=go}"
need "$GDB" "$GO" strip "$CC_TARGET"
[ "$(uname -m)" = x86_64 ] || skip 'the places to stop are those of amd64'
export GOCACHE="$tmp/cache" GOPATH="$tmp/path" GO111MODULE=off GOTOOLCHAIN=local

mkdir "$tmp/go" "$tmp/cgo"
cat >"$tmp/go/main.go" <<'END'
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

//go:noinline
func deepest(n int) time.Duration {
	if n == 0 {
		runtime.GC()
		return time.Since(time.Unix(0, 0))
	}
	return deepest(n-1) + 1
}

func main() {
	done := make(chan time.Duration)
	for i := 0; i < 4 && len(os.Args) > 1; i++ {
		go func() {
			for {
				deepest(3)
			}
		}()
	}
	go func() { done <- deepest(3) }()
	if len(os.Args) > 1 {
		select {}
	}
	fmt.Println(<-done)
}
END
cat >"$tmp/cgo/main.go" <<'END'
package main

/*
#include <string.h>
static __attribute__((noinline)) int crash(volatile int *p) { char b[64]; memset(b, 1, 64); int r = *p; __asm__ volatile("" :: "r"(b) : "memory"); return r + 1; }
extern int goCallback(int);
static int below(int n) { int r = n ? goCallback(n) : crash((int *)8); __asm__ volatile("" ::: "memory", "rbx", "rbp"); return r + 1; }
*/
import "C"
import "fmt"

//export goCallback
func goCallback(n C.int) C.int { return inner(n - 1) }

//go:noinline
func inner(n C.int) C.int { return C.below(n) + 1 }

func main() {
	done := make(chan C.int)
	go func() { done <- inner(1) }()
	fmt.Println(<-done)
}
END

# core_at PROGRAM CORE COMMAND...: the core of the program where the commands of GDB leave it
core_at() {
	program=$1 core=$2
	shift 2
	# the symbols are those of the complete program
	for command in "exec-file $program" "symbol-file $tmp/complete" "$@"; do
		set -- "$@" -ex "$command"
	done
	while [ "$1" != -ex ]; do shift; done
	within 100 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' "$@" \
		-ex "generate-core-file $core" -ex kill </dev/null >"$tmp/said" 2>&1 || :
	[ -s "$core" ] || { cat "$tmp/said"; fail "no core of $program"; }
}

# calls CORE PROGRAM WANTED...: the goroutine's stack has these functions in this order, and is complete
calls() {
	core=$1 program=$2
	shift 2
	"$cairn" bt --json "$core" "$program" 2>/dev/null | grep '"main\.' >"$tmp/stack" || :
	grep -q '"complete":true' "$tmp/stack" || { "$cairn" bt "$core" "$program"; fail "$program: not complete"; }
	grep -o '"function":"[^"]*"' "$tmp/stack" | cut -d'"' -f4 | grep -E "^($(echo "$*" | tr ' ' '|'))\$" | uniq |
		tr '\n' ' ' >"$tmp/called"
	echo >>"$tmp/called"
	grep -qx "$* " "$tmp/called" || { cat "$tmp/stack"; fail "$program: $(cat "$tmp/called")"; }
}

(cd "$tmp/go" && CGO_ENABLED=0 "$GO" build -ldflags=-compressdwarf=false -o "$tmp/complete" main.go) || fail 'go build'
strip -s -o "$tmp/stripped" "$tmp/complete"
for program in "$tmp/complete" "$tmp/stripped"; do
	core_at "$program" "$tmp/core" 'tbreak runtime.GC' run 'tbreak runtime.stopTheWorldWithSema' continue
	calls "$tmp/core" "$program" runtime.stopTheWorldWithSema runtime.systemstack runtime.GC main.deepest 'main.main.func[12]' \
		runtime.goexit
	core_at "$program" "$tmp/core" 'tbreak runtime.GC' run 'tbreak time.Since' continue 'set scheduler-locking on' \
		'tbreak __vdso_clock_gettime' continue
	calls "$tmp/core" "$program" time.now time.Since main.deepest 'main.main.func[12]' runtime.goexit
done

# a running one: its threads change stacks all the time, and these lie on one heap
"$tmp/stripped" runs &
pid=$!
sleep 1
for i in 1 2 3 4 5 6 7 8; do
	"$cairn" bt --json --pid $pid >>"$tmp/live" 2>/dev/null || :
done
kill $pid
all=$(grep -c '"frames"' "$tmp/live" || :) complete=$(grep -c '"complete":true' "$tmp/live" || :)
{ [ "$all" -ge 24 ] && [ $((complete * 100)) -ge $((all * 95)) ]; } || fail "$complete of $all stacks of a running program are complete"

(cd "$tmp/cgo" && CC=$CC_TARGET CGO_ENABLED=1 "$GO" build -ldflags=-compressdwarf=false -o "$tmp/complete" main.go) || fail 'go build with C'
strip -s -o "$tmp/stripped" "$tmp/complete"
for program in "$tmp/complete" "$tmp/stripped"; do
	core_at "$program" "$tmp/core" run
	calls "$tmp/core" "$program" runtime.asmcgocall runtime.cgocall main.inner main.goCallback runtime.cgocallback \
		runtime.systemstack_switch runtime.cgocall main.inner 'main.main.func[12]' runtime.goexit
done
echo "three places, with DWARF and stripped; $complete of $all stacks of a running program"
