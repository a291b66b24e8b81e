#!/bin/sh
# SPDX-License-Identifier: MIT
# The JIT compiler of PCRE2 with libcairn-jit: scripts/pcre2.sh DIR [BUILD]
#
# Downloads the source package from Debian's archive into DIR, builds the library as it is and with the lines of
# docs/examples/pcre2_patterns.h, and prints what a stack through a pattern is in GDB, LLDB, `cairn bt` of a process and of a core, and perf,
# before and after. BUILD is the directory in which cairn was built (default build).  Ends with 1 if a stack of the second one lacks the
# pattern or main(); with 77 if a tool or the archive is missing.
DIR=${1:?usage: scripts/pcre2.sh DIR [BUILD]} BUILD=${2:-}
. "$(dirname "$0")/real_jit.sh"
[ -d "$folder/before" ] || {
	fetch pcre2
	mv "$folder"/pcre2-1* "$folder/before"
	(cd "$folder/before" && ./configure -q --enable-jit --disable-shared --disable-dependency-tracking CFLAGS='-O2 -g' >"$folder/configure.log" 2>&1)
}
make -s -j2 -C "$folder/before" libpcre2-8.la >"$folder/before.log" 2>&1
[ -d "$folder/after" ] || cp -pR "$folder/before" "$folder/after" # with times, by which make goes

# Our lines: the file behind the assembler, a handle for each code, and a call where one comes and goes.
add_lines() {
	cp "$top/docs/examples/pcre2_patterns.h" "$folder/after/src/cairn_patterns.h"
	cp "$top/core/include/cairn_jit.h" "$build/core/jit_producer/cairn_jit.c" "$folder/after/src/"
	grep -q cairn_patterns "$folder/after/src/pcre2_jit_compile.c" || sed -i \
		-e 's|^#include "sljit/sljitLir.c"|&\n#include "cairn_patterns.h"|' \
		-e 's|^  void \*read_only_data_heads\[JIT_NUMBER_OF_COMPILE_MODES\];|&\n  cairn_jit_code *cairn[JIT_NUMBER_OF_COMPILE_MODES];|' \
		-e 's|^executable_size = sljit_get_generated_code_size(compiler);|&\ncairn_jit_code *cairn = cairn_add_pattern(executable_func, executable_size);|' \
		-e 's|^functions->executable_sizes\[mode\] = executable_size;|&\nfunctions->cairn[mode] = cairn;|' "$folder/after/src/pcre2_jit_compile.c"
	grep -q cairn "$folder/after/src/pcre2_jit_misc.c" ||
		sed -i 's|^    sljit_free_code(functions->executable_funcs\[i\], NULL);|    { cairn_jit_remove(functions->cairn[i]); sljit_free_code(functions->executable_funcs[i], NULL); }|' \
			"$folder/after/src/pcre2_jit_misc.c"
	[ "$(cat "$folder/after/src/pcre2_jit_compile.c" "$folder/after/src/pcre2_jit_misc.c" | grep -c cairn)" = 5 ] || {
		echo 'pcre2.sh: the source is another one than these lines are for'
		exit 1
	}
}
add_lines
gcc -std=gnu11 -O2 -g -fno-reorder-blocks-and-partition -I "$folder/after/src" -c "$folder/after/src/cairn_jit.c" -o "$folder/cairn_jit.o"
touch "$folder/after/src/pcre2_jit_compile.c" # make does not know what it includes
make -s -C "$folder/after" libpcre2-8.la >"$folder/after.log" 2>&1

cat >"$folder/busy.c" <<'C'
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sum;

static int ask(pcre2_callout_block *block, void *data)
{
	(void)block, (void)data;
	sum += getppid() % 7;
	return 0;
}

int main(int argc, char **argv)
{
	PCRE2_SPTR pattern = (PCRE2_SPTR) "(?i)(\\w+)(?C1)@(\\w+\\.)+(?:com|org)";
	PCRE2_SPTR subject = (PCRE2_SPTR) "somebody wrote to someone@mail.example.org";
	int number;
	PCRE2_SIZE offset;
	pcre2_code *code = pcre2_compile(pattern, PCRE2_ZERO_TERMINATED, 0, &number, &offset, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
	double count = argc > 1 ? atof(argv[1]) : 1e12;

	if (pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0)
		return 1;
	pcre2_set_callout(context, ask, NULL);
	/* else PCRE2 lends it 32 KiB of the program's own, of which perf copies no page that was never used */
	pcre2_jit_stack_assign(context, NULL, pcre2_jit_stack_create(1 << 15, 1 << 20, NULL));
	puts("ready");
	fflush(stdout);
	for (double i = 0; i < count; i++)
		if (pcre2_match(code, subject, PCRE2_ZERO_TERMINATED, 0, 0, data, context) < 0)
			return 1;
	return 0;
}
C
compile() {
	gcc -O2 -g -I "$folder/$1/src" "$folder/busy.c" "$folder/$1/.libs/libpcre2-8.a" "$folder/cairn_jit.o" -pthread -o "$folder/busy-$1"
}
stop=getppid made='pattern_[0-9]' line=
for which in before after; do
	compile $which
	show_stacks $which 3e6 "$folder/busy-$which"
done
exit $failed
