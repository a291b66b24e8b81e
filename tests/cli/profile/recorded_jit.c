/* SPDX-License-Identifier: MIT */
/*
 * A program that makes code while perf records it: first the function before_that, then at the same address the function after_that,
 * which has the same instructions, and elsewhere the function always_there. Each runs for a third of the time.
 */
#define _DEFAULT_SOURCE
#include <cairn_jit.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 400000000, APART = 4096, LINE = 12 };

/* push %rbp; mov %rsp,%rbp; mov %edi,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret */
static const uint8_t loop[] = { 0x55, 0x48, 0x89, 0xe5, 0x89, 0xf9,
	                        0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3 };

static cairn_jit_code *add_function(uint8_t *code, const char *name)
{
	static const struct cairn_jit_line lines[] = { { 0, LINE - 1 }, { 6, LINE } };
	static const uint32_t exits[] = { sizeof(loop) - 1 };
	const struct cairn_jit_function function = {
		.code = code,
		.size = sizeof(loop),
		.name = name,
		.file = "/src/made.js",
		.lines = lines,
		.line_count = 2,
		.frame = { .kind = CAIRN_JIT_FRAME_POINTER, .exits = exits, .exit_count = 1 }
	};

	return cairn_jit_add(&function);
}

static __attribute__((noinline)) void run_function(uint8_t *code)
{
	void (*function)(unsigned);

	memcpy(&function, &code, sizeof(function));
	function(ROUNDS);
	__asm__ volatile(""); /* no tail call */
}

int main(void)
{
	uint8_t *room = mmap(NULL, 2 * (size_t)APART, PROT_READ | PROT_WRITE | PROT_EXEC,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return 1;
	memcpy(room, loop, sizeof(loop));
	memcpy(room + APART, loop, sizeof(loop));
	cairn_jit_code *before = add_function(room, "before_that");
	if (!before || !add_function(room + APART, "always_there"))
		return 1;
	run_function(room);
	cairn_jit_remove(before);
	if (!add_function(room, "after_that"))
		return 1;
	run_function(room);
	run_function(room + APART);
	return 0;
}
