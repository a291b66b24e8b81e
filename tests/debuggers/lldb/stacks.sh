#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh FLAGS...: `bt` of a program without symbols and without .eh_frame is that of the complete
# build, live, attached to, and of a core: 30,000 frames, through a signal handler, after abort(),
# through a callback of libc, and in a library.  LLDB finds the objects by itself, by build ID, in a
# directory of target.debug-file-search-paths.
. "$(dirname "$0")/lib.sh"

build sample "$@" -pthread "$programs/sample.c"
cat >"$tmp/lib.c" <<'END'
__attribute__((noinline)) int lib_inner(volatile int *x, int n)
{
	return n == 0 ? *x : lib_inner(x, n - 1) + *x;
}
int lib_outer(volatile int *x) { return lib_inner(x, 4) + 1; }
END
cat >"$tmp/user.c" <<'END'
int lib_outer(volatile int *x);
int main(void)
{
	volatile int x = 2;
	return lib_outer(&x) > 100;
}
END
build libx.so "$@" -shared -fPIC "$tmp/lib.c"
cp "$tmp/eh/libx.so" "$tmp/libx.so"
build user "$@" "$tmp/user.c" "$tmp/libx.so" -Wl,-rpath,'$ORIGIN'

# A stub of the PLT is called by what it calls, and a breakpoint there is none in the stub.
lldb "$tmp/no/user" -o "target symbols add $tmp/user.debug" -o 'image lookup -r -n lib_outer' \
	-o 'breakpoint set -n lib_outer -s user' >"$tmp/said"
grep -q 'lib_outer@plt' "$tmp/said" || {
	cat "$tmp/said"
	fail 'the stub of lib_outer has no name'
}
grep -q 'Breakpoint 1: no locations' "$tmp/said" || {
	cat "$tmp/said"
	fail 'a breakpoint on a function of a library is in the stub'
}

# publish NAME: the object, where LLDB looks for it
publish() {
	id=$(readelf -n "$tmp/no/$1" | sed -n 's/.*Build ID: //p')
	mkdir -p "$tmp/debug/.build-id/$(echo "$id" | cut -c 1-2)"
	cp "$tmp/$1.debug" "$tmp/debug/.build-id/$(echo "$id" | sed 's/^../&\//').debug"
}
for name in sample libx.so user; do
	publish $name
done
# registers beside these; LLDB looks them up through all inner frames, which is slow in a deep stack
more=' ${frame.reg.rbp} ${frame.reg.rbx} ${frame.reg.r12}'

# stack WHICH OUT PROGRAM ARGUMENTS...: pc and registers of each frame at the last command's stop
stack() {
	which=$1 out=$2 program=$3
	shift 3
	search=eh
	[ "$which" = eh ] || search=debug
	lldb "$program" -O "settings append target.debug-file-search-paths $tmp/$search" \
		-O "settings set frame-format \"f \${frame.index} \${frame.pc} \${frame.reg.rsp}$more\\n\"" \
		"$@" -o bt >"$tmp/said" || :
	# the pcs of the kernel's own page are those of each process; "*" is the selected frame
	sed -n 's/^.*\(f [0-9]* 0x\)/\1/p' "$tmp/said" >"$tmp/$out"
}

# same NAME LEAST: both stacks are equal and long enough
same() {
	[ "$(wc -l <"$tmp/eh.out")" -ge "$2" ] || {
		cat "$tmp/said"
		fail "$1: only $(wc -l <"$tmp/eh.out") frames in the complete build"
	}
	diff "$tmp/eh.out" "$tmp/no.out" >"$tmp/diff" || {
		head -n 20 "$tmp/diff"
		fail "$1"
	}
	echo "$1: $(wc -l <"$tmp/no.out") frames are equal"
}

# live NAME WORD ADDRESS LEAST
live() {
	for which in eh no; do
		stack $which $which.out "$tmp/$which/sample" -O "settings set -- target.run-args $2" \
			-o "breakpoint set -s sample -a 0x$3" -o 'process launch --no-stdio --stop-at-entry' \
			-o 'process handle -s false -p true SIGSEGV' -o continue
	done
	same "$1" "$4"
}
kept=$more
more=
live deep deep "$(va sample stop_here)" 30000
more=$kept
live signal signal "$(va sample stop_here)" 6
live callback qsort "$(va sample stop_here)" 6

# The program stops by itself: without a breakpoint, and LLDB ends the list of commands there.
# abort() has the process number in a register.
more=
for which in eh no; do
	stack $which $which.out "$tmp/$which/sample" -O 'settings set -- target.run-args abort' \
		-k bt -o run
done
same abort 5
more=$kept

for which in eh no; do
	stack $which $which.out "$tmp/$which/user" \
		-o "breakpoint set -s libx.so -a 0x$(va libx.so lib_inner) -i 4" -o run
done
same library 7
readelf -sW "$tmp/libx.so.debug" | grep -q "FUNC.* lib_outer" || fail 'the name that the library exports'

if command -v setarch >/dev/null; then
	for which in eh no; do
		(cd "$tmp/$which" && exec env -i "$(command -v setarch)" -R ./sample wait) >"$tmp/waiting" &
		pid=$!
		until grep -q waiting "$tmp/waiting"; do sleep 0.1; done
		stack $which $which.out "$tmp/$which/sample" -o "process attach -p $pid"
		kill $pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
	done
	same attached 4
fi

if command -v gdb >/dev/null; then
	more=
	for which in eh no; do
		within 100 gdb -nx -q -batch -ex 'set exec-wrapper env -i' -ex 'set confirm off' -ex 'run abort' \
			-ex "generate-core-file $tmp/core.$which" "$tmp/$which/sample" </dev/null >/dev/null 2>&1
		stack $which $which.out "$tmp/$which/sample" -o "target create --core $tmp/core.$which $tmp/$which/sample"
	done
	same core 5
fi
