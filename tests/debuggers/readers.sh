#!/bin/sh
# SPDX-License-Identifier: MIT
# Another JIT reader behind cairn unwinds the frames of its own code, and is shown what the program
# registers; and the channel when no memory file can be made: from the start, and all of a sudden.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}"
need "$GDB" "$CC_TARGET" objcopy
[ "$(uname -m)" = x86_64 ] || skip "the generated code is for x86-64"

expect() {
	[ "$(grep -c "$2" "$tmp/out")" = "$1" ] || {
		cat "$tmp/out"
		fail "not $1 times \"$2\""
	}
}

# A program that makes code at a fixed address: a frame of 0x48 bytes around a call.
cat >"$tmp/program.c" <<'END'
#include <string.h>
#include <sys/mman.h>

struct entry { struct entry *next, *previous; const char *file; unsigned long size; } entry;
struct { unsigned version, action; struct entry *relevant, *first; } __jit_debug_descriptor = { 1, 0, 0, 0 };
void __attribute__((noinline)) __jit_debug_register_code(void) { __asm__ volatile(""); }

volatile int sink;
void __attribute__((noinline)) stop_here(void) { sink++; }
int main(void)
{
	/* sub $0x48,%rsp; call *%rdi; add $0x48,%rsp; ret */
	static const unsigned char code[] = "\x48\x83\xec\x48\xff\xd7\x48\x83\xc4\x48\xc3";
	void *at = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	memcpy(at, code, sizeof(code));
	entry.file = "own format";
	entry.size = 10;
	__jit_debug_descriptor.action = 1;
	__jit_debug_descriptor.relevant = __jit_debug_descriptor.first = &entry;
	__jit_debug_register_code();
	((void (*)(void (*)(void)))at)(stop_here);
	return sink;
}
END
"$CC_TARGET" -g -O1 -Wa,--gsframe "$tmp/program.c" -o "$tmp/program" 2>/dev/null ||
	skip "the assembler does not know --gsframe"

cat >"$tmp/other.c" <<'END'
#include <gdb/jit-reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
GDB_DECLARE_GPL_COMPATIBLE_READER
static void note(const char *what)
{
	FILE *f = fopen(NOTES, "a");
	fprintf(f, "%s\n", what);
	fclose(f);
}
static unsigned long get(struct gdb_unwind_callbacks *cb, int number)
{
	struct gdb_reg_value *value = cb->reg_get(cb, number);
	unsigned long bytes = 0;
	if (value->defined)
		memcpy(&bytes, value->value, 8);
	value->free(value);
	return bytes;
}
static void release(struct gdb_reg_value *value)
{
	free(value);
}
static void set(struct gdb_unwind_callbacks *cb, int number, unsigned long bytes)
{
	struct gdb_reg_value *value = calloc(1, sizeof(*value) + 8);
	value->size = 8;
	value->defined = 1;
	value->free = release;
	memcpy(value->value, &bytes, 8);
	cb->reg_set(cb, number, value);
}
static int ours(struct gdb_unwind_callbacks *cb, unsigned long *cfa)
{
	unsigned long pc = get(cb, 16);
	*cfa = get(cb, 7) + (pc == 0x10000000 || pc == 0x1000000a ? 8 : 0x50);
	return pc >= 0x10000000 && pc < 0x10001000;
}
static enum gdb_status unwind(struct gdb_reader_funcs *f, struct gdb_unwind_callbacks *cb)
{
	unsigned long cfa, ra;
	if (f->priv_data != NOTES || !ours(cb, &cfa) || cb->target_read(cfa - 8, &ra, 8) != GDB_SUCCESS)
		return GDB_FAIL;
	note("unwind");
	set(cb, 6, get(cb, 6));
	set(cb, 7, cfa);
	set(cb, 16, ra);
	return GDB_SUCCESS;
}
static struct gdb_frame_id id(struct gdb_reader_funcs *f, struct gdb_unwind_callbacks *cb)
{
	unsigned long cfa;
	note(f->priv_data == NOTES && ours(cb, &cfa) ? "id" : "id of a foreign frame");
	return (struct gdb_frame_id){ 0x10000000, cfa };
}
static enum gdb_status read_info(struct gdb_reader_funcs *f, struct gdb_symbol_callbacks *cb, void *memory, long size)
{
	note(size == 10 && memcmp(memory, "own format", 10) == 0 ? "read" : "read of something else");
	return f && cb ? GDB_SUCCESS : GDB_FAIL;
}
static void destroy(struct gdb_reader_funcs *f)
{
	note(f->priv_data == NOTES ? "destroy" : "destroy of another");
}
struct gdb_reader_funcs *gdb_init_reader(void)
{
	static struct gdb_reader_funcs funcs = { GDB_READER_INTERFACE_VERSION, NOTES, read_info, unwind, id, destroy };
	return &funcs;
}
END
"$CC_TARGET" -g -shared -fPIC -DNOTES="\"$tmp/notes\"" "$tmp/other.c" -o "$tmp/other.so"

cat >"$tmp/script" <<END
source $CAIRN_GDB
cairn load-reader $tmp/other.so
break stop_here
run
bt
finish
stepi
bt
jit-reader-unload
END
within 120 "$GDB" -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' \
	-ex 'set breakpoint pending off' -x "$tmp/script" "$tmp/program" </dev/null >"$tmp/out" 2>&1
expect 1 '^#0  *stop_here '
expect 1 '^#1  *0x0*10000006 in '
expect 1 '^#0  *0x0*1000000a in '
expect 2 '^#[12] .* main '
cp "$tmp/notes" "$tmp/out"
expect 1 '^read$'
for word in unwind id; do
	grep -q "^$word\$" "$tmp/notes" || expect 1 "^$word\$"
done
expect 0 ' of '

# No memory file, from the start or from the time that a file appears.
build sample.c sample -g -O1 -pthread
cat >"$tmp/without.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int refused(void)
{
	errno = ENOSPC;
	return access(WHEN, F_OK) == 0;
}
int memfd_create(const char *name, unsigned flags)
{
	int (*real)(const char *, unsigned) = (int (*)(const char *, unsigned))dlsym(RTLD_NEXT, "memfd_create");
	if (strcmp(name, "cairn") == 0 && refused())
		return -1;
	return real(name, flags);
}
int mkostemp(char *path, int flags)
{
	int (*real)(char *, int) = (int (*)(char *, int))dlsym(RTLD_NEXT, "mkostemp");
	if (strstr(path, "cairn") && refused())
		return -1;
	return real(path, flags);
}
int mkostemp64(char *path, int flags) { return mkostemp(path, flags); }
END
"$CC_TARGET" -shared -fPIC -DWHEN="\"$tmp/when\"" "$tmp/without.c" -o "$tmp/without.so" -ldl
# sessions of GDB itself, not of the sanitizer's, which wants to be the first library
[ "${GDB##*/}" = gdb.sh ] && exit 0
without() {
	LD_PRELOAD="$tmp/without.so" timeout 120 "$GDB" -nx -q -batch \
		-iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'unset environment LD_PRELOAD' \
		-x "$tmp/script" "$tmp/no/sample" </dev/null >"$tmp/out" 2>&1 || :
}

touch "$tmp/when"
cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
bt
END
without
expect 1 '^cairn: .* no commands, frames only'
expect 1 '^#7 .* main '

rm "$tmp/when"
cat >"$tmp/script" <<END
source $CAIRN_GDB
break stop_here
run recurse
cairn bt 1
shell touch $tmp/when
cairn bt 1
print \$cairn_ok
print \$cairn_error
cairn where \$pc
shell rm $tmp/when
cairn bt 1
print \$cairn_ok
bt
END
without
expect 2 '^#0 .* in stop_here '
expect 2 '^cairn: no answer from the module'
expect 1 '= 0$'
expect 1 '= "no answer from the module"'
expect 1 '= 1$'
expect 1 '^#7 .* main '
