/* SPDX-License-Identifier: MIT */
/*
 * A JIT compiler in a page, for amd64: sums written in a file, one function a line, become code that debuggers know.
 *
 *	cc jit.c $(pkg-config --cflags --libs cairn-jit) -o jit
 *	printf 'area 6 7\ntotal 1 2 3\nbroken 4 0\n' >sums && ./jit sums
 *
 * A line is the name of a function and the numbers that it adds up by calls of add().  A 0 makes add() abort: then
 * `bt` in GDB, `cairn bt` of the core, and the rest show the function, the file `sums` and its line.
 */
#include <cairn_jit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 1 << 16, LINE = 256 };

/* What made code calls. */
static long add(long sum, long number)
{
	if (number == 0)
		abort();
	return sum + number;
}

/* A function that is being made. */
struct compiler {
	uint8_t *start, *at;
	uint32_t exit; /* offset of the `ret` */
};

static void put(struct compiler *c, const char *bytes, size_t size)
{
	memcpy(c->at, bytes, size);
	c->at += size;
}

static void put_number(struct compiler *c, uint64_t number)
{
	memcpy(c->at, &number, sizeof(number));
	c->at += sizeof(number);
}

/* push rbp; mov rbp, rsp; push rbx; push rbx; xor eax, eax */
static void put_prologue(struct compiler *c)
{
	put(c, "\x55\x48\x89\xe5\x53\x53\x31\xc0", 8);
}

/* mov rdi, rax; mov rsi, NUMBER; mov rbx, ADD; call rbx */
static void put_call(struct compiler *c, long number)
{
	long (*const function)(long, long) = add;
	uint64_t address;

	memcpy(&address, &function, sizeof(address));
	put(c, "\x48\x89\xc7\x48\xbe", 5);
	put_number(c, (uint64_t)number);
	put(c, "\x48\xbb", 2);
	put_number(c, address);
	put(c, "\xff\xd3", 2);
}

/* pop rbx; pop rbx; pop rbp; ret */
static void put_epilogue(struct compiler *c)
{
	put(c, "\x5b\x5b\x5d", 3);
	c->exit = (uint32_t)(c->at - c->start);
	put(c, "\xc3", 1);
}

static void compile(struct compiler *c, const char *numbers)
{
	char *end;

	c->start = c->at;
	put_prologue(c);
	for (long number = strtol(numbers, &end, 10); end != numbers;
	     number = strtol(numbers, &end, 10)) {
		put_call(c, number);
		numbers = end;
	}
	put_epilogue(c);
}

/* The one call by which everybody knows the function. */
static void show(const struct compiler *c, const char *name, const char *file, uint32_t line)
{
	static const uint16_t saves[] = {
		3
	}; /* rbx; what else is pushed keeps the stack aligned */
	const struct cairn_jit_line lines[] = { { 0, line } };
	const struct cairn_jit_function function = { .code = c->start,
		                                     .size = (size_t)(c->at - c->start),
		                                     .name = name,
		                                     .file = file,
		                                     .lines = lines,
		                                     .line_count = 1,
		                                     .frame = { .kind = CAIRN_JIT_FRAME_POINTER,
		                                                .saves = saves,
		                                                .save_count = 1,
		                                                .exits = &c->exit,
		                                                .exit_count = 1 } };

	if (!cairn_jit_add(&function))
		fprintf(stderr, "%s is not registered\n", name);
}

static void run_line(struct compiler *c, char *text, const char *file, uint32_t line)
{
	long (*function)(void);
	char *name = strtok(text, " \n"), *numbers = strtok(NULL, "\n");

	if (!name || !numbers)
		return;
	compile(c, numbers);
	show(c, name, file, line);
	memcpy(&function, &c->start, sizeof(function));
	printf("%s = %ld\n", name, function());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	uint8_t *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct compiler c = { .start = room, .at = room };
	char text[LINE];

	if (!file || room == MAP_FAILED)
		return 2;
	for (uint32_t line = 1; fgets(text, sizeof(text), file) && room + ROOM - c.at > LINE * 16;
	     line++)
		run_line(&c, text, argv[1], line);
	fclose(file);
	return 0;
}
