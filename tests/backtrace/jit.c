/* SPDX-License-Identifier: MIT */
/*
 * JIT code with different frames (amd64). It calls back into the program, which then registers and removes
 * other functions, and reuses their addresses.
 */
#define _GNU_SOURCE
#include "stops.h"

#include <cairn_jit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLOTS = 200, SLOT = 64 };

typedef unsigned long compiled(unsigned depth, unsigned long seed, unsigned long (*back)(unsigned, unsigned long));

static uint8_t *area;
static cairn_jit_code *handles[SLOTS];
static unsigned busy[SLOTS]; /* number of the function's frames on the stack */

/* push %rbp; mov %rsp,%rbp; push %rbx; sub $N,%rsp; 16 nops; call *%rdx; add $N,%rsp; pop %rbx; pop %rbp; ret */
static size_t write_pointer(uint8_t *at, uint32_t size, struct cairn_jit_function *function, uint32_t *exit)
{
	static const uint16_t saves[] = { 3 };
	uint8_t *code = at;

	memcpy(code, "\x55\x48\x89\xe5\x53\x48\x81\xec", 8);
	memcpy(code + 8, &size, 4);
	code += 12;
	memset(code, 0x90, 16);
	code += 16;
	memcpy(code, "\xff\xd2\x48\x81\xc4", 5);
	memcpy(code + 5, &size, 4);
	memcpy(code + 9, "\x5b\x5d\xc3", 3);
	*exit = (uint32_t)(code + 11 - at);
	function->frame = (struct cairn_jit_frame){ .kind = CAIRN_JIT_FRAME_POINTER, .saves = saves, .save_count = 1, .frame_size = size,
		                                    .exits = exit, .exit_count = 1 };
	return (size_t)(code + 12 - at);
}

/* push %rbx; push %r12; sub $N,%rsp; 16 nops; call *%rdx; add $N,%rsp; pop %r12; pop %rbx; ret */
static size_t write_fixed(uint8_t *at, uint32_t size, struct cairn_jit_function *function, uint32_t *exit)
{
	static const uint16_t saves[] = { 3, 12 };
	uint8_t *code = at;

	memcpy(code, "\x53\x41\x54\x48\x81\xec", 6);
	memcpy(code + 6, &size, 4);
	code += 10;
	memset(code, 0x90, 16);
	code += 16;
	memcpy(code, "\xff\xd2\x48\x81\xc4", 5);
	*exit = (uint32_t)(code + 2 - at);
	memcpy(code + 5, &size, 4);
	memcpy(code + 9, "\x41\x5c\x5b\xc3", 4);
	function->frame = (struct cairn_jit_frame){ .kind = CAIRN_JIT_FIXED_FRAME, .saves = saves, .save_count = 2, .frame_size = size,
		                                    .exits = exit, .exit_count = 1 };
	return (size_t)(code + 13 - at);
}

static NOINLINE void compile(unsigned slot, unsigned long seed)
{
	struct cairn_jit_function function = { .code = area + slot * SLOT, .name = "made" };
	uint32_t exit;

	ENTER();
	if (busy[slot] == 0) {
		const uint32_t pad = 16 * (uint32_t)(seed % 20);
		cairn_jit_remove(handles[slot]);
		function.size = seed % 2 ? write_pointer(area + slot * SLOT, pad + 8, &function, &exit)
		                         : write_fixed(area + slot * SLOT, pad + 8, &function, &exit);
		handles[slot] = cairn_jit_add(&function);
		if (!handles[slot])
			abort();
	}
	LEAVE();
}

static NOINLINE unsigned long call(unsigned depth, unsigned long seed);

static NOINLINE unsigned long back(unsigned depth, unsigned long seed)
{
	ENTER();
	/* replace functions that are not on the stack, in random order */
	for (unsigned i = 0; i < 4; i++)
		compile((unsigned)(seed * 2654435761u >> (i + 3)) % SLOTS, seed + i);
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	unsigned long result = depth > 0 ? call(depth - 1, seed >> 20) : seed >> 20;
	LEAVE();
	return result;
}

static NOINLINE unsigned long call(unsigned depth, unsigned long seed)
{
	const unsigned slot = (unsigned)(seed % SLOTS);

	ENTER();
	busy[slot]++;
	if (!handles[slot])
		abort();
	unsigned long result = ((compiled *)(uintptr_t)(area + slot * SLOT))(depth, seed, back);
	busy[slot]--;
	LEAVE();
	return result;
}

int main(int argc, char **argv)
{
	unsigned long seed = 1;

	area = mmap(NULL, SLOTS * SLOT, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return 2;
	for (unsigned i = 0; i < SLOTS; i++)
		compile(i, i * 7);
	stops_begin(argc, argv);
	while (!stops_enough())
		stops_sink = seed = call((unsigned)(seed % 8), seed + 1);
	return stops_end("jit");
}
