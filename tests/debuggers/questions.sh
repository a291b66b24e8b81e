#!/bin/sh
# SPDX-License-Identifier: MIT
# How much cairn asks GDB about each frame of a stack of 50,000: of most of them the pc, and of few a piece of
# memory, also where the frame is its own.  Nothing else is asked for each frame: GDB fetches a register
# that no frame saves through all inner frames.  When GDB asks late, because the machine does other work, the
# program might have run, so that more is asked about that frame and the next ones.
#
# A JIT reader around the module counts what the module asks for.
. "$(dirname "$0")/lib.sh"
need "$GDB" "$CC_TARGET" objcopy
[ "$(uname -m)" = x86_64 ] || skip "the registers are those of x86-64"
[ "${GDB##*/}" != gdb.sh ] || skip "the counting reader is built without the sanitizer"

cat >"$tmp/counting.c" <<'END'
#include <gdb/jit-reader.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
GDB_DECLARE_GPL_COMPATIBLE_READER
static struct gdb_reader_funcs *module;
static gdb_target_read *target_read;
static unsigned long calls, answers, registers, reads, over, late;
static double before;
static unsigned long in_call[2], limits[2], asked[128];
static int narrow;

static struct gdb_reg_value *reg_get(struct gdb_unwind_callbacks *cb, int number)
{
	struct gdb_unwind_callbacks *real = cb->priv_data;
	struct gdb_reg_value *value = real->reg_get(real, number);
	in_call[0]++;
	asked[number]++;
	if (narrow && number == 0)
		value->size = 4; /* as on a machine of 32 bits */
	return value;
}
static void reg_set(struct gdb_unwind_callbacks *cb, int number, struct gdb_reg_value *value)
{
	struct gdb_unwind_callbacks *real = cb->priv_data;
	real->reg_set(real, number, value);
}
static enum gdb_status read_memory(GDB_CORE_ADDR from, void *to, int size)
{
	in_call[1]++;
	return target_read(from, to, size);
}
static struct gdb_unwind_callbacks begin(struct gdb_unwind_callbacks *real)
{
	struct gdb_unwind_callbacks mine = { reg_get, real->reg_set ? reg_set : NULL, read_memory, real };
	target_read = real->target_read;
	in_call[0] = in_call[1] = 0;
	return mine;
}
static void end(void)
{
	registers += in_call[0];
	reads += in_call[1];
	over += in_call[0] > limits[0] || in_call[1] > limits[1];
}
static enum gdb_status unwind(struct gdb_reader_funcs *f, struct gdb_unwind_callbacks *cb)
{
	struct gdb_unwind_callbacks mine = begin(cb);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	late += now.tv_sec * 1e6 + now.tv_nsec / 1e3 - before > 80;
	before = now.tv_sec * 1e6 + now.tv_nsec / 1e3;
	enum gdb_status status = module->unwind(module, &mine);
	calls++;
	answers += status == GDB_SUCCESS;
	end();
	return status;
}
static struct gdb_frame_id identity(struct gdb_reader_funcs *f, struct gdb_unwind_callbacks *cb)
{
	struct gdb_unwind_callbacks mine = begin(cb);
	struct gdb_frame_id id = module->get_frame_id(module, &mine);
	end();
	return id;
}
static enum gdb_status read_info(struct gdb_reader_funcs *f, struct gdb_symbol_callbacks *cb, void *memory, long size)
{
	return GDB_FAIL;
}
static void destroy(struct gdb_reader_funcs *f)
{
	FILE *out = fopen(COUNTS, "w");
	fprintf(out, "calls %lu answers %lu\nregisters %lu reads %lu\nover %lu late %lu\n", calls, answers, registers, reads, over, late);
	for (int i = 0; i < 128; i++)
		if (asked[i])
			fprintf(out, "asked %d %lu\n", i, asked[i]);
	fclose(out);
}
struct gdb_reader_funcs *gdb_init_reader(void)
{
	static struct gdb_reader_funcs funcs = { GDB_READER_INTERFACE_VERSION, NULL, read_info, unwind, identity, destroy };
	struct gdb_reader_funcs *(*init)(void) = (struct gdb_reader_funcs * (*)(void)) dlsym(dlopen(MODULE, RTLD_NOW), "gdb_init_reader");
	narrow = getenv("NARROW") != NULL;
	limits[0] = strtoul(getenv("REGISTERS"), NULL, 10);
	limits[1] = strtoul(getenv("READS"), NULL, 10);
	module = init();
	return &funcs;
}
END
"$CC_TARGET" -g -shared -fPIC -DMODULE="\"$MODULE\"" -DCOUNTS="\"$tmp/counts\"" \
	"$tmp/counting.c" -o "$tmp/counting.so" -ldl

# A recursion that saves %rbx alone: no frame knows %rbp, nor %r12 and what comes after it.
cat >"$tmp/deep.c" <<'END'
#include <stdlib.h>
volatile int sink;
void __attribute__((noinline)) stop_here(void) { sink++; }
int __attribute__((noinline)) recurse(int depth)
{
	if (depth == 0) {
		stop_here();
		return 1;
	}
	return recurse(depth - 1) + depth;
}
int main(int argc, char **argv)
{
	return recurse(atoi(argv[argc - 1])) == 0;
}
END
flags='-O1 -fno-optimize-sibling-calls -fomit-frame-pointer'
# shellcheck disable=SC2086 # flags are words
"$CC_TARGET" $flags "$tmp/deep.c" -o "$tmp/ordinary"
# shellcheck disable=SC2086
"$CC_TARGET" $flags -Wa,--gsframe "$tmp/deep.c" -o "$tmp/both" 2>/dev/null ||
	skip "the assembler does not know --gsframe"
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$tmp/both" "$tmp/sframe"

# count PROGRAM DEPTH: what was asked for one backtrace, and its last frame
count() {
	rm -f "$tmp/counts"
	within 280 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
		-ex "jit-reader-load $tmp/counting.so" -ex 'break stop_here' -ex "run $2" \
		-ex 'bt -1' -ex jit-reader-unload "$tmp/$1" </dev/null >"$tmp/said" 2>&1
	said 1 "^#$(($2 + 2)) .* in main ()"
}

# value NAME: of the counts
value() {
	sed -n "s/^\(.* \)*$1 \([0-9]*\).*/\2/p" "$tmp/counts"
}

# at_most NAME LIMIT
at_most() {
	[ "$(value "$1")" -le "$2" ] || {
		cat "$tmp/counts"
		fail "$program: $1 is $(value "$1"), over $2"
	}
}

# each PROGRAM ANSWERED REGISTERS READS: the limits of one call, whatever the depth.  A module is
# looked for, and its tables are read, when its first frame comes, and a stack is followed from its second
# frame on, or where it is not SFrame when a pc comes again: a few calls may be over, and some after each late one.
each() {
	program=$1
	for depth in 500 50000; do
		REGISTERS=$3 READS=$4 count "$program" $depth
		[ "$(value calls)" -ge $depth ] || fail "$program: GDB asked only $(value calls) times"
		[ $(($(value answers) >= depth)) = "$2" ] || fail "$program: $(value answers) answers"
		at_most reads $((depth / 4 + 100 + 20 * $(value late)))
		at_most over $((10 + 4 * $(value late)))
	done
	echo "$program: at most $3 registers and $4 reads for a frame; $(value over) of $(value calls) over, $(value late) late"
}

each ordinary 0 1 1
awk -v late="$(value late)" '/^asked/ && $2 != 16 && $3 > 20 + 4 * late { exit 1 }' "$tmp/counts" || {
	cat "$tmp/counts"
	fail 'a register besides the pc was asked for each frame'
}
each both 0 1 1
each sframe 1 2 2

# A machine that is not known: it is looked at ever less often.
program=strange
NARROW=1 REGISTERS=0 READS=0 count ordinary 50000
at_most registers 5000
echo "of a strange machine $(value registers) registers for $(value calls) frames"
