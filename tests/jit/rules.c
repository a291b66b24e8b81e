/* SPDX-License-Identifier: MIT */
/*
 * Makes code with each rule of cairn_jit.h, registers it, and runs it: each function twice, through either exit.
 *
 *	rules            runs all once
 *	rules hold       waits until a debugger sets `held` to 0, then runs all
 *	rules wait       waits inside of a call from each function, nested in each other
 *	rules crowd      waits there, with thousands of functions of long names besides
 *	rules crash      ends there by SIGABRT
 */
#define _GNU_SOURCE
#include <cairn_jit.h>

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
enum {
	FP = 6,
	SP = 7,
	SAVED = 3,
	SAVED_2 = 12,
	START = 4,
	POINTER_SIZE = 0,
	FIXED_SIZE = 24,
	SHIM_SIZE = 0
};
static const uint16_t pointer_saves[] = { 3, 12 }, shim_saves[] = { 3, 3 };
enum { POINTER_SAVES = 2, SHIM_SAVES = 1 };
static const struct cairn_jit_saved frame[] = { { FP, -16 }, { SAVED, -24 } };
static const struct cairn_jit_row aligned_rows[] = { { 0, SP, 8, NULL, 0 },
	                                             { 0, SP, 16, frame, 1 },
	                                             { 0, FP, 16, frame, 1 },
	                                             { 0, FP, 16, frame, 2 },
	                                             { 0, SP, 8, NULL, 0 } };
static const struct cairn_jit_saved pushed_place[] = { { SAVED, -16 } };
enum { PUSHED = 16, PUSHED_STEP = 8, PUSHED_COUNT = 1, AT_ENTRY = 8 };
#else
enum {
	FP = 29,
	SP = 31,
	SAVED = 19,
	SAVED_2 = 20,
	START = 0,
	POINTER_SIZE = 48,
	FIXED_SIZE = 32,
	SHIM_SIZE = 32
};
static const uint16_t pointer_saves[] = { 19, 20, 21 }, shim_saves[] = { 19 };
enum { POINTER_SAVES = 3, SHIM_SAVES = 1 };
static const struct cairn_jit_saved frame[] = { { FP, -32 }, { 30, -24 }, { SAVED, -16 } };
static const struct cairn_jit_row aligned_rows[] = { { 0, SP, 0, NULL, 0 },
	                                             { 0, SP, 32, frame, 2 },
	                                             { 0, FP, 32, frame, 2 },
	                                             { 0, FP, 32, frame, 3 },
	                                             { 0, SP, 0, NULL, 0 } };
static const struct cairn_jit_saved pushed_place[] = { { SAVED, -16 }, { 30, -8 } };
enum { PUSHED = 16, PUSHED_STEP = 16, PUSHED_COUNT = 2, AT_ENTRY = 0 };
#endif

#define TEMPLATE(name) extern const uint8_t name[], name##_body[], name##_end[]
TEMPLATE(leaf);
TEMPLATE(pointer);
TEMPLATE(fixed);
TEMPLATE(shim);
TEMPLATE(region);
TEMPLATE(aligned);
TEMPLATE(pushed);
extern const uint32_t pointer_exits[], fixed_exits[], shim_exits[], aligned_offsets[],
	pushed_offsets[];

typedef long made_function(long value, long callee(long), const void *region);

static uint8_t *buffer;
static size_t used;
static const char *mode = "";
static int depth;
static volatile int held;

/* Where debuggers stop: all code is there. */
void ready(void);
__attribute__((noinline)) void ready(void)
{
	__asm__ volatile("");
}

static const void *copy_code(const uint8_t *begin, const uint8_t *end)
{
	uint8_t *at = buffer + used;

	memcpy(at, begin, (size_t)(end - begin));
	__builtin___clear_cache((char *)at, (char *)at + (end - begin));
	used += ((size_t)(end - begin) + 31) & ~(size_t)31;
	return at;
}

static const void *add_code(const char *name, const uint8_t *begin, const uint8_t *body,
                            const uint8_t *end, struct cairn_jit_frame frame_rule)
{
	const struct cairn_jit_line lines[] = { { 0, 10 }, { (uint32_t)(body - begin), 12 } };
	const struct cairn_jit_function function = { .code = copy_code(begin, end),
		                                     .size = (size_t)(end - begin),
		                                     .name = name,
		                                     .file = "/made/up.js",
		                                     .lines = lines,
		                                     .line_count = 2,
		                                     .frame = frame_rule };

	if (!cairn_jit_add(&function))
		exit(3);
	return function.code;
}

static const void *add_rows(const char *name, const uint8_t *begin, const uint8_t *body,
                            const uint8_t *end, struct cairn_jit_row *rows, size_t count,
                            const uint32_t *offsets)
{
	for (size_t i = 0; i < count; i++)
		rows[i].offset = offsets[i];
	return add_code(name, begin, body, end,
	                (struct cairn_jit_frame){
				.kind = CAIRN_JIT_ROWS, .rows = rows, .row_count = count });
}

static const void *add_aligned(void)
{
	struct cairn_jit_row rows[5];

	memcpy(rows, aligned_rows, sizeof(rows));
	return add_rows("made_aligned", aligned, aligned_body, aligned_end, rows, 5,
	                aligned_offsets);
}

static const void *add_pushed(void)
{
	struct cairn_jit_row rows[] = { { 0, SP, AT_ENTRY, NULL, 0 },
		                        { 0, SP, PUSHED, pushed_place, PUSHED_COUNT },
		                        { 0, SP, PUSHED + PUSHED_STEP, pushed_place, PUSHED_COUNT },
		                        { 0, SP, PUSHED + 2 * PUSHED_STEP, pushed_place,
		                          PUSHED_COUNT },
		                        { 0, SP, PUSHED, pushed_place, PUSHED_COUNT },
		                        { 0, SP, AT_ENTRY, NULL, 0 } };

	return add_rows("made_pushed", pushed, pushed_body, pushed_end, rows, 6, pushed_offsets);
}

static const void *add_region(void)
{
#ifdef __x86_64__
	static const struct cairn_jit_row row = { 0, FP, 16, frame, 2 };
#else
	static const struct cairn_jit_row row = { 0, FP, 32, frame, 3 };
#endif
	return add_code(
		"made_region", region, region_body, region_end,
		(struct cairn_jit_frame){ .kind = CAIRN_JIT_SET_UP, .rows = &row, .row_count = 1 });
}

/* Newer functions that nothing calls: what is known of them takes some 8 MiB. */
static void add_crowd(void)
{
	enum { CROWD = 4000, NAME = 2000, SIZE = 16 };
	static char name[NAME];

	memset(name, 'x', sizeof(name) - 1);
	for (size_t i = 0; i < CROWD; i++, used += SIZE) {
		const struct cairn_jit_function function = { .code = buffer + used,
			                                     .size = SIZE,
			                                     .name = name };
		if (!cairn_jit_add(&function))
			exit(3);
	}
}

enum { LEAF, POINTER, FIXED, SHIM, ALIGNED, PUSHED_ARGUMENTS, FUNCTIONS };
static const void *made[FUNCTIONS], *made_region;

static void make_all(void)
{
	made[LEAF] = add_code("made_leaf", leaf, leaf_body, leaf_end,
	                      (struct cairn_jit_frame){ .kind = CAIRN_JIT_NO_FRAME });
	made[POINTER] = add_code("made_pointer", pointer, pointer_body, pointer_end,
	                         (struct cairn_jit_frame){ .kind = CAIRN_JIT_FRAME_POINTER,
	                                                   .prologue = START,
	                                                   .frame_size = POINTER_SIZE,
	                                                   .saves = pointer_saves,
	                                                   .save_count = POINTER_SAVES,
	                                                   .exits = pointer_exits,
	                                                   .exit_count = 2 });
	made[FIXED] = add_code("made_fixed", fixed, fixed_body, fixed_end,
	                       (struct cairn_jit_frame){ .kind = CAIRN_JIT_FIXED_FRAME,
	                                                 .frame_size = FIXED_SIZE,
	                                                 .saves = pointer_saves,
	                                                 .save_count = 2,
	                                                 .exits = fixed_exits,
	                                                 .exit_count = 2 });
	made[SHIM] = add_code("made_shim", shim, shim_body, shim_end,
	                      (struct cairn_jit_frame){ .kind = CAIRN_JIT_FRAME_POINTER,
	                                                .frame_size = SHIM_SIZE,
	                                                .saves = shim_saves,
	                                                .save_count = SHIM_SAVES,
	                                                .exits = shim_exits,
	                                                .exit_count = 1 });
	made_region = add_region();
	made[ALIGNED] = add_aligned();
	made[PUSHED_ARGUMENTS] = add_pushed();
}

static long call(int which, long value, long callee(long))
{
	made_function *function = (made_function *)(uintptr_t)made[which];

	return function(value, callee, made_region);
}

static long callee(long value)
{
	return value + 1;
}

/* One in the other, as deep as there are functions with a frame. */
static long go_deeper(long value)
{
	if (++depth < FUNCTIONS)
		return call(depth, value + 1, go_deeper);
	ready();
	if (strcmp(mode, "crash") == 0)
		abort();
	printf("ready\n");
	fflush(stdout);
	while (strcmp(mode, "wait") == 0 || strcmp(mode, "crowd") == 0)
		pause();
	return value;
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "";
	buffer = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
	              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return 3;
	make_all();
	ready();
	if (strcmp(mode, "crowd") == 0)
		add_crowd();
	if (strcmp(mode, "wait") == 0 || strcmp(mode, "crowd") == 0 || strcmp(mode, "crash") == 0)
		return (int)go_deeper(1);
	if (strcmp(mode, "hold") == 0) {
		printf("ready\n");
		fflush(stdout);
		for (held = 1; held;)
			usleep(1000);
	}
	long sum = 0;
	for (int i = 0; i < FUNCTIONS; i++)
		sum += call(i, 3, callee) + call(i, 0, callee);
	printf("%ld\n", sum);
	return 0;
}
