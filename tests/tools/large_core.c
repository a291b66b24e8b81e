/* SPDX-License-Identifier: MIT */
/*
 * Writes a large core file of amd64, as the kernel does: threads with frames that frame pointers lead
 * through.
 *
 *	large_core stacks|segments|deep|hundred|threads|many sparse|dense FILE
 *
 *	stacks    4 GB: 500 threads of 50 frames, with 8 MiB of stack each
 *	segments  4 GB: 500 threads of 50 frames, and 70,000 further segments, so that their number does not
 *	          fit the header (PN_XNUM): it is in section header 0, at the end
 *	deep      two threads of 100,000 frames
 *	hundred   1.8 GB: 100 threads of 30 frames, with 8 MiB of stack each, and a segment of 1 GiB
 *	threads   2.5 GB: 300 threads of 30 frames, with 8 MiB of stack each
 *	many      10,000 threads of 10 frames
 *	sparse    memory that nothing reads is a hole in the file
 *	dense     it is written
 */
#define _FILE_OFFSET_BITS 64
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	STATUS = 336,
	NOTE = 20 + STATUS,
	RBP = 112 + 4 * 8, /* in the status */
	RIP = 112 + 16 * 8,
	RSP = 112 + 19 * 8,
	MANY = 0xffff,
};

static const uint64_t code_at = 0x400000, heap_at = 0x10000000000, stacks_at = 0x7f0000000000;

static struct plan {
	uint64_t threads, frames;
	uint64_t stack, segment; /* bytes of one */
	uint64_t segments;       /* beside the code and the stacks */
	int dense;
} plan;

static int file;

static void fail(const char *why)
{
	fprintf(stderr, "large_core: %s\n", why);
	exit(EXIT_FAILURE);
}

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void write_at(uint64_t offset, const void *bytes, size_t size)
{
	if (pwrite(file, bytes, size, (off_t)offset) != (ssize_t)size)
		fail("cannot write");
}

static uint64_t to_page(uint64_t value)
{
	return (value + PAGE - 1) / PAGE * PAGE;
}

static void fill(uint64_t offset, uint64_t size)
{
	static uint8_t block[1 << 16];

	if (!plan.dense)
		return;
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)(i * 37 + 1);
	for (uint64_t done = 0; done < size; done += sizeof(block))
		write_at(offset + done, block,
		         size - done < sizeof(block) ? (size_t)(size - done) : sizeof(block));
}

static Elf64_Phdr segment(uint32_t type, uint32_t flags, uint64_t offset, uint64_t va,
                          uint64_t size)
{
	return (Elf64_Phdr){ type, flags, offset, va, 0, size, size, PAGE };
}

static Elf64_Ehdr header(uint16_t type, uint64_t segments)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
		         .e_type = type,
		         .e_machine = EM_X86_64,
		         .e_version = 1,
		         .e_phoff = sizeof(h),
		         .e_ehsize = sizeof(h),
		         .e_phentsize = sizeof(Elf64_Phdr),
		         .e_phnum = (uint16_t)(segments < MANY ? segments : MANY) };
	return h;
}

static uint64_t stack_low(uint64_t thread)
{
	return stacks_at + thread * (plan.stack + PAGE);
}

static uint64_t count_used(void)
{
	return plan.frames * 16 + 256;
}

static uint64_t stack_used(uint64_t thread)
{
	return stack_low(thread) + plan.stack - count_used();
}

static void write_notes(uint64_t offset)
{
	for (uint64_t i = 0; i < plan.threads; i++) {
		uint8_t note[NOTE] = { 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'C', 'O', 'R', 'E' };
		put(note + 4, STATUS, 4);
		put(note + 20 + 12, i == 0 ? 11 : 0, 2);
		put(note + 20 + 32, 1000 + i, 4);
		put(note + 20 + RBP, stack_used(i), 8);
		put(note + 20 + RSP, stack_used(i), 8);
		put(note + 20 + RIP, code_at + 0x200, 8);
		write_at(offset + i * NOTE, note, sizeof(note));
	}
}

/* The page that the code begins with: the header of a module of two pages. */
static void write_code(uint64_t offset)
{
	uint8_t page[2 * PAGE] = { 0 };
	Elf64_Ehdr h = header(ET_EXEC, 1);
	Elf64_Phdr load = segment(PT_LOAD, PF_R | PF_X, 0, code_at, sizeof(page));

	memset(page, 0x90, sizeof(page));
	memcpy(page, &h, sizeof(h));
	memcpy(page + sizeof(h), &load, sizeof(load));
	write_at(offset, page, sizeof(page));
}

static void write_stack(uint64_t offset, uint64_t thread)
{
	const uint64_t size = count_used();
	uint8_t *used = calloc(1, size);

	if (!used)
		fail("no memory");
	for (uint64_t i = 0; i < plan.frames - 1; i++) {
		const uint64_t next = stack_used(thread) + 16 * (i + 1);
		put(used + 16 * i, i + 2 < plan.frames ? next : 0, 8);
		put(used + 16 * i + 8, code_at + 0x300 + 16 * (i % 128), 8);
	}
	fill(offset, plan.stack - size);
	write_at(offset + plan.stack - size, used, size);
	free(used);
}

/* The number of segments that does not fit the header. */
static void write_count(uint64_t offset, uint64_t count)
{
	Elf64_Shdr section = { .sh_size = 1, .sh_info = (uint32_t)count };

	write_at(offset, &section, sizeof(section));
}

static void write_core(void)
{
	const uint64_t count = 2 + plan.segments + plan.threads;
	Elf64_Ehdr h = header(ET_CORE, count);
	Elf64_Phdr *p = calloc(count, sizeof(*p));
	uint64_t at = sizeof(h) + count * sizeof(*p), n = 0;

	if (!p)
		fail("no memory");
	p[n++] = segment(PT_NOTE, 0, at, 0, plan.threads * NOTE);
	write_notes(at);
	at = to_page(at + plan.threads * NOTE);
	p[n++] = segment(PT_LOAD, PF_R | PF_X, at, code_at, 2 * PAGE);
	write_code(at);
	at += 2 * PAGE;
	for (uint64_t i = 0; i < plan.segments; i++, at += plan.segment) {
		p[n++] = segment(PT_LOAD, PF_R | PF_W, at, heap_at + i * 2 * plan.segment,
		                 plan.segment);
		fill(at, plan.segment);
	}
	for (uint64_t i = 0; i < plan.threads; i++, at += plan.stack) {
		p[n++] = segment(PT_LOAD, PF_R | PF_W, at, stack_low(i), plan.stack);
		write_stack(at, i);
	}
	if (count >= MANY) {
		h.e_shoff = at;
		h.e_shnum = 1;
		h.e_shentsize = sizeof(Elf64_Shdr);
		write_count(at, count);
	}
	write_at(0, &h, sizeof(h));
	write_at(sizeof(h), p, count * sizeof(*p));
	free(p);
}

static void choose_plan(const char *kind)
{
	if (strcmp(kind, "stacks") == 0)
		plan = (struct plan){ .threads = 500, .frames = 50, .stack = (uint64_t)8 << 20 };
	else if (strcmp(kind, "segments") == 0)
		plan = (struct plan){ .threads = 500,
			              .frames = 50,
			              .stack = (uint64_t)1 << 17,
			              .segment = 15 * PAGE,
			              .segments = 70000 };
	else if (strcmp(kind, "hundred") == 0)
		plan = (struct plan){ .threads = 100,
			              .frames = 30,
			              .stack = (uint64_t)8 << 20,
			              .segment = (uint64_t)1 << 30,
			              .segments = 1 };
	else if (strcmp(kind, "threads") == 0)
		plan = (struct plan){ .threads = 300, .frames = 30, .stack = (uint64_t)8 << 20 };
	else if (strcmp(kind, "many") == 0)
		plan = (struct plan){ .threads = 10000, .frames = 10, .stack = (uint64_t)1 << 15 };
	else
		plan = (struct plan){ .threads = 2, .frames = 100000, .stack = (uint64_t)2 << 20 };
}

int main(int argc, char **argv)
{
	if (argc != 4)
		fail("usage: large_core stacks|segments|deep|hundred|threads|many sparse|dense FILE");
	choose_plan(argv[1]);
	plan.dense = strcmp(argv[2], "dense") == 0;
	file = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0)
		fail("cannot create the file");
	write_core();
	return close(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
