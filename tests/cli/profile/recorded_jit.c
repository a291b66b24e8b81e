/* SPDX-License-Identifier: MIT */
/*
 * A program that makes code while perf records it: first the function before_that, then at the same address the function after_that,
 * which has the same instructions, and elsewhere the function always_there. Each runs for a third of the time.
 * With the argument "nested" made code calls made code, which calls compiled code: outer_made, inner_made, compiled_loop.
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

/* push %rbp; mov %rsp,%rbp; movabs $ADDRESS,%rax; call *%rax; pop %rbp; ret */
static void write_caller(uint8_t *code, uint64_t address)
{
	static const uint8_t begin[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 },
			     end[] = { 0xff, 0xd0, 0x5d, 0xc3 };

	memcpy(code, begin, sizeof(begin));
	memcpy(code + sizeof(begin), &address, sizeof(address));
	memcpy(code + sizeof(begin) + sizeof(address), end, sizeof(end));
}

static __attribute__((noinline)) void compiled_loop(unsigned rounds)
{
	for (volatile unsigned i = 0; i < rounds; i++)
		;
}

static int run_nested(uint8_t *buffer)
{
	enum { CALLER_SIZE = 18 };
	uint64_t address;
	void (*compiled)(unsigned) = compiled_loop;

	memcpy(&address, &compiled, sizeof(address));
	write_caller(buffer, address);
	memcpy(&address, &buffer, sizeof(address));
	write_caller(buffer + APART, address);
	const struct cairn_jit_function functions[] = {
		{ .code = buffer, .size = CALLER_SIZE, .name = "inner_made" },
		{ .code = buffer + APART, .size = CALLER_SIZE, .name = "outer_made" },
	};
	for (unsigned i = 0; i < 2; i++)
		if (!cairn_jit_add(&functions[i]))
			return 1;
	run_function(buffer + APART);
	return 0;
}

int main(int argc, char **argv)
{
	uint8_t *buffer = mmap(NULL, 2 * (size_t)APART, PROT_READ | PROT_WRITE | PROT_EXEC,
	                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == MAP_FAILED)
		return 1;
	if (argc > 1 && strcmp(argv[1], "nested") == 0)
		return run_nested(buffer);
	memcpy(buffer, loop, sizeof(loop));
	memcpy(buffer + APART, loop, sizeof(loop));
	cairn_jit_code *before = add_function(buffer, "before_that");
	if (!before || !add_function(buffer + APART, "always_there"))
		return 1;
	run_function(buffer);
	cairn_jit_remove(before);
	if (!add_function(buffer, "after_that"))
		return 1;
	run_function(buffer);
	run_function(buffer + APART);
	return 0;
}
