#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of which cairn follows one frame after the other, without another look at what it knows: the program
# goes on in between and puts another library at the same addresses, GDB shows two programs at the same
# addresses in turns, and frames return one by one.  What is shown is what GDB shows of the complete build.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy
[ "$(uname -m)" = x86_64 ] || skip 'only stacks of x86-64 are followed'

cat >"$tmp/host.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*go_deep)(int) = library ? (int (*)(int))dlsym(library, "go_deep") : NULL;
		if (!go_deep || go_deep(150) != 150)
			return 1;
		dlclose(library);
	}
	return 0;
}
END
cat >"$tmp/deep.c" <<'END'
volatile int sink;
__attribute__((noinline)) int stop_here(int depth)
{
	sink += depth;
	return 0;
}
__attribute__((noinline)) int go_deep(int depth)
{
	int mine = depth * 3;

	if (depth == 0)
		return stop_here(depth);
	return go_deep(depth - 1) + 1 + (mine - depth * 3);
}
END
echo 'int go_deep(int); int main(void) { return go_deep(150) != 150; }' >"$tmp/main.c"
flags='-O1 -fno-optimize-sibling-calls'
# shellcheck disable=SC2086 # flags are words
"$CC_TARGET" $flags -Wa,--gsframe -shared -fPIC "$tmp/deep.c" -o "$tmp/eh/deep.so" 2>/dev/null ||
	skip 'the assembler does not know --gsframe'
# shellcheck disable=SC2086
"$CC_TARGET" $flags "$tmp/host.c" -o "$tmp/host" -ldl
# shellcheck disable=SC2086
"$CC_TARGET" $flags -Wa,--gsframe "$tmp/main.c" "$tmp/deep.c" -o "$tmp/eh/program"
for name in deep.so program; do
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/eh/$name" "$tmp/no/$name"
done

# libraries WITH|WITHOUT FIRST SECOND: each one twice, in turns, so that it is where the one before was
libraries() {
	cat >"$tmp/asked" <<END
set breakpoint pending on
break stop_here
run $tmp/$2/deep.so $tmp/$3/deep.so $tmp/$2/deep.so $tmp/$3/deep.so
bt
bt 100
continue
bt
bt 70
continue
bt
bt 3
frame 120
continue
bt
finish
bt
continue
END
	debug_each "$1" "$tmp/host" "$tmp/asked" | settle
}
for order in 'no eh' 'eh no' 'no no' 'eh eh'; do
	libraries without eh eh >"$tmp/libraries.eh"
	# shellcheck disable=SC2086 # two words
	libraries with $order >"$tmp/libraries.no"
	compare libraries 700
done

# programs WITH|WITHOUT FIRST SECOND: both stop at the same addresses
programs() {
	cat >"$tmp/asked" <<END
break stop_here
run
add-inferior -exec $tmp/$3/program
inferior 2
set exec-wrapper env -i
run
thread apply all -q frame
thread apply all -q bt 3
thread apply all -q bt
thread apply all -q frame
thread apply all -q up
thread apply all -q bt -2
inferior 1
finish
thread apply all -q frame
thread apply all -q bt
inferior 2
bt
END
	debug_each "$1" "$tmp/$2/program" "$tmp/asked" | settle
}
for order in 'no eh' 'eh no' 'no no'; do
	programs without eh eh >"$tmp/programs.eh"
	# shellcheck disable=SC2086
	programs with $order >"$tmp/programs.no"
	compare programs 700
done

# returns WITH|WITHOUT BUILD: one instruction after the other, through returns, with registers of callers
returns() {
	{
		printf '%s\n' 'break stop_here' run bt
		for i in $(seq 25); do
			printf '%s\n' 'frame apply 5 -q printf "%#lx %#lx %#lx %#lx %#lx\n", $pc, $sp, $rax, $rbx, $rbp' stepi
		done
		printf '%s\n' bt finish 'frame apply 9 -q printf "%#lx %#lx %#lx %#lx\n", $pc, $sp, $rax, $rbx' bt
	} >"$tmp/asked"
	debug_each "$1" "$tmp/$2/program" "$tmp/asked" | settle
}
returns without eh >"$tmp/returns.eh"
returns with no >"$tmp/returns.no"
compare returns 400
returns with eh >"$tmp/returns.no"
compare returns 400
