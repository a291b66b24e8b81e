/* SPDX-License-Identifier: MIT */
/*
 * Makes recordings of perf that no machine at hand can make, of this program itself, which knows its own functions: made_recording WAY OUT
 *
 *	lbr        calls that the processor has kept (perf record --call-graph lbr), in user code and below the kernel
 *	branches   all branches (perf record -b), which are no stack
 *	shallow    as lbr, but no call was kept: the chain counts
 *	deferred   user stacks that come in a record of their own, when the thread returns to user mode (Linux 6.19)
 *	unanswered as deferred, but records have the cookies of other samples
 *	copied     the stack of this program itself, copied with its registers, for machines on which there is no perf
 *	large      copied stacks of 8 KB, of 100 MB in all
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	HAS_IP = 1 << 0,
	HAS_TID = 1 << 1,
	HAS_TIME = 1 << 2,
	HAS_CHAIN = 1 << 5,
	HAS_PERIOD = 1 << 8,
	HAS_BRANCHES = 1 << 11,
	HAS_REGISTERS = 1 << 12,
	HAS_STACK = 1 << 13,
	BRANCHES_OF_USER = 1 << 0,
	BRANCHES_ANY = 1 << 3,
	BRANCHES_CALLS = 1 << 11,
	BRANCHES_INDEX = 1 << 17,
	MODE_KERNEL = 1,
	MODE_USER = 2,
	ATTR_SIZE = 112,
	CAPACITY = 1 << 16,
	STACK_SIZE = 8192,
	LARGE_SAMPLES = 12500,
	PID = 4711,
	INTO = 5, /* bytes after the start of a function: the call is somewhere there */
};

struct record {
	uint8_t bytes[CAPACITY];
	size_t size;
};

static FILE *out;
static uint64_t written, clock_time = 1000000;
static bool copies;
static ucontext_t context;
static struct {
	uint8_t bytes[STACK_SIZE];
	size_t size;
} stack;
extern void *__libc_stack_end;

/* Registers in perf's order, and which bits of its mask they are. */
#if defined(__x86_64__)
enum { STACK_POINTER = 7 };
static const uint64_t register_mask = 0xff01ff;

static uint64_t find_register(unsigned bit)
{
	static const uint8_t numbers[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI,
		                           REG_RDI, REG_RBP, REG_RSP, REG_RIP };

	return (uint64_t)context.uc_mcontext.gregs[bit < 9 ? numbers[bit] : REG_R8 + (int)bit - 16];
}

static const char machine[] = "x86_64";
#elif defined(__aarch64__)
enum { STACK_POINTER = 31 };
static const uint64_t register_mask = 0x1ffffffff;

static uint64_t find_register(unsigned bit)
{
	return bit < 31    ? context.uc_mcontext.regs[bit]
	       : bit == 31 ? context.uc_mcontext.sp
	                   : context.uc_mcontext.pc;
}

static const char machine[] = "aarch64";
#else
enum { STACK_POINTER };
static const uint64_t register_mask;

static uint64_t find_register(unsigned bit)
{
	return bit;
}

static const char machine[] = "none";
#endif

static void copy_stack(void)
{
	getcontext(&context);
	const uint8_t *pointer = (const uint8_t *)(uintptr_t)find_register(STACK_POINTER);
	const size_t left = (size_t)((const uint8_t *)__libc_stack_end - pointer);
	stack.size = left < STACK_SIZE ? left : STACK_SIZE;
	memcpy(stack.bytes, pointer, stack.size);
}

static __attribute__((noinline)) int leaf_function(int n)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop" ::: "memory");
	if (copies)
		copy_stack();
	__asm__ volatile("" ::: "memory"); /* no tail call */
	return n + 1;
}

static __attribute__((noinline)) int middle_function(int n)
{
	return leaf_function(n) * 3 + leaf_function(n + 1);
}

static __attribute__((noinline)) int outer_function(int n)
{
	return middle_function(n) * 5 + middle_function(n + 1);
}

static void put(struct record *r, uint64_t value, size_t size)
{
	memcpy(r->bytes + r->size, &value, size);
	r->size += size;
}

static void put_text(struct record *r, const char *text)
{
	const size_t size = strlen(text) / 8 * 8 + 8;

	memset(r->bytes + r->size, 0, size);
	memcpy(r->bytes + r->size, text, strlen(text));
	r->size += size;
}

static void write_bytes(const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, out) != size)
		exit(1);
	written += size;
}

static void write_record(uint32_t type, uint16_t misc, const struct record *body)
{
	struct record head = { .size = 0 };

	put(&head, type, 4);
	put(&head, misc, 2);
	put(&head, 8 + body->size, 2);
	write_bytes(head.bytes, head.size);
	write_bytes(body->bytes, body->size);
}

static void put_ids(struct record *r)
{
	put(r, PID, 4);
	put(r, PID, 4);
	put(r, clock_time, 8);
}

static int write_map(struct dl_phdr_info *info, size_t size, void *unused)
{
	static char path[4096];
	static struct record r;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	(void)size, (void)unused;
	snprintf(path, sizeof(path), "%s", info->dlpi_name);
	if (!info->dlpi_name[0] && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		exit(1);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint64_t before = p->p_vaddr % page;
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || path[0] != '/')
			continue;
		r.size = 0;
		put(&r, PID, 4);
		put(&r, PID, 4);
		put(&r, info->dlpi_addr + p->p_vaddr - before, 8);
		put(&r, (p->p_memsz + before + page - 1) / page * page, 8);
		put(&r, p->p_offset - before, 8);
		put_text(&r, path);
		put_ids(&r);
		write_record(1, MODE_USER, &r);
	}
	return 0;
}

static void write_comm(void)
{
	struct record r = { .size = 0 };

	put(&r, PID, 4);
	put(&r, PID, 4);
	put_text(&r, "made");
	put_ids(&r);
	write_record(3, 0, &r);
}

static uint64_t at(int (*function)(int))
{
	return (uint64_t)(uintptr_t)function;
}

static void put_branch(struct record *r, uint64_t from, uint64_t to)
{
	put(r, from, 8);
	put(r, to, 8);
	put(r, 0, 8);
}

static void put_calls(struct record *r, bool none)
{
	put(r, none ? 0 : 2, 8);
	put(r, 0, 8); /* the index */
	if (none)
		return;
	put_branch(r, at(middle_function) + INTO, at(leaf_function));
	put_branch(r, at(outer_function) + INTO, at(middle_function));
}

/* The chain of a kernel without frame pointers has its leaf alone. */
static void put_chain(struct record *r, bool in_kernel)
{
	put(r, in_kernel ? 5 : 3, 8);
	if (in_kernel) {
		put(r, (uint64_t)-128, 8);
		put(r, 0xffffffff81000100, 8);
	}
	put(r, (uint64_t)-512, 8);
	put(r, at(leaf_function) + INTO, 8);
	put(r, at(outer_function) + INTO, 8); /* frame pointers have missed one */
}

static bool is_deferred(const char *way)
{
	return strcmp(way, "deferred") == 0 || strcmp(way, "unanswered") == 0;
}

/* The chain ends with a marker, -640, and a cookie. */
static void put_waiting_chain(struct record *r, bool in_kernel, uint64_t cookie)
{
	put(r, in_kernel ? 4 : 2, 8);
	if (in_kernel) {
		put(r, (uint64_t)-128, 8);
		put(r, 0xffffffff81000100, 8);
	}
	put(r, (uint64_t)-640, 8);
	put(r, cookie, 8);
}

static void write_deferred(uint64_t cookie)
{
	struct record r = { .size = 0 };

	clock_time += 1000;
	put(&r, cookie, 8);
	put(&r, 4, 8);
	put(&r, (uint64_t)-512, 8);
	put(&r, at(leaf_function) + INTO, 8);
	put(&r, at(middle_function) + INTO, 8);
	put(&r, at(outer_function) + INTO, 8);
	put_ids(&r);
	write_record(22, MODE_USER, &r);
}

static void write_sample(const char *way, bool in_kernel)
{
	static uint64_t samples;
	struct record r = { .size = 0 };

	put(&r, in_kernel ? 0xffffffff81000100 : at(leaf_function) + INTO, 8);
	clock_time += 1000;
	put_ids(&r);
	put(&r, 1000, 8);
	if (is_deferred(way)) {
		/* the first two wait for one record */
		const uint64_t cookie = samples++ / 2;
		put_waiting_chain(&r, in_kernel, cookie);
		write_record(9, in_kernel ? MODE_KERNEL : MODE_USER, &r);
		if (samples % 2 == 0)
			write_deferred(strcmp(way, "deferred") == 0 ? cookie : cookie + 7);
		return;
	}
	if (strcmp(way, "branches") != 0)
		put_chain(&r, in_kernel);
	put_calls(&r, strcmp(way, "shallow") == 0);
	write_record(9, in_kernel ? MODE_KERNEL : MODE_USER, &r);
}

/* Registers are the stack pointer and the program counter; the stack is zeros. */
static void write_large_sample(void)
{
	struct record r = { .size = 0 };

	put(&r, at(leaf_function), 8);
	clock_time += 1000;
	put_ids(&r);
	put(&r, 1000, 8);
	put(&r, 0, 8); /* a chain of nothing, as such recordings have it for user code */
	put(&r, 2, 8);
	put(&r, 0x7ff000000000, 8);
	put(&r, at(leaf_function), 8);
	put(&r, STACK_SIZE, 8);
	memset(r.bytes + r.size, 0, STACK_SIZE);
	r.size += STACK_SIZE;
	put(&r, STACK_SIZE, 8);
	write_record(9, MODE_USER, &r);
}

static void write_copied_sample(void)
{
	struct record r = { .size = 0 };

	put(&r, find_register(STACK_POINTER + 1), 8);
	put_ids(&r);
	put(&r, 1000, 8);
	put(&r, 0, 8); /* a chain of nothing, as such recordings have it for user code */
	put(&r, 2, 8);
	for (unsigned bit = 0; bit < 64; bit++)
		if (register_mask >> bit & 1)
			put(&r, find_register(bit), 8);
	put(&r, STACK_SIZE, 8);
	memcpy(r.bytes + r.size, stack.bytes, stack.size);
	r.size += STACK_SIZE;
	put(&r, stack.size, 8);
	write_record(9, MODE_USER, &r);
}

/* The event: software, cpu-clock, and no IDs. */
static void put_attr(struct record *r, uint64_t type, uint64_t branches)
{
	const size_t start = r->size;

	put(r, 1, 4);
	put(r, ATTR_SIZE, 4);
	put(r, 0, 8);
	put(r, 1000, 8);
	put(r, type, 8);
	put(r, 0, 8);
	put(r, (uint64_t)1 << 18, 8); /* records have IDs */
	put(r, 0, 8);
	put(r, 0, 8);
	put(r, 0, 8);
	put(r, branches, 8);
	put(r, !(type & HAS_REGISTERS) ? 0 : copies ? register_mask : 0x180, 8);
	put(r, type & HAS_STACK ? STACK_SIZE : 0, 4);
	r->size = start + ATTR_SIZE;
	put(r, 0, 8);
	put(r, 0, 8);
}

enum { HEADER_SIZE = 104, ENTRY = ATTR_SIZE + 16, FEATURE_MACHINE = 6, FEATURES_AT = 72 };

static void put_header(struct record *r, uint64_t data_size, uint64_t type, uint64_t branches)
{
	memcpy(r->bytes, "PERFILE2", 8);
	r->size = 8;
	put(r, HEADER_SIZE, 8);
	put(r, ENTRY, 8);
	put(r, HEADER_SIZE, 8);
	put(r, ENTRY, 8);
	put(r, HEADER_SIZE + ENTRY, 8);
	put(r, data_size, 8);
	r->size = FEATURES_AT;
	put(r, 1 << FEATURE_MACHINE, 8);
	r->size = HEADER_SIZE;
	put_attr(r, type, branches);
}

/* The table of features after the data: one, the machine. */
static void write_features(void)
{
	struct record r = { .size = 0 };
	const size_t size = sizeof(machine);

	put(&r, written + 16, 8);
	put(&r, 4 + size, 8);
	put(&r, size, 4);
	memcpy(r.bytes + r.size, machine, size);
	r.size += size;
	write_bytes(r.bytes, r.size);
}

static void write_samples(const char *way)
{
	if (strcmp(way, "large") == 0)
		for (int i = 0; i < LARGE_SAMPLES; i++)
			write_large_sample();
	else if (copies)
		write_copied_sample();
	else
		for (int i = 0; i < 4; i++)
			write_sample(way, i == 3);
}

int main(int argc, char **argv)
{
	uint64_t type = HAS_IP | HAS_TID | HAS_TIME | HAS_PERIOD, branches = 0;
	static struct record header; /* a stack that is copied has no room for it */

	if (argc != 3 || !(out = fopen(argv[2], "wb")))
		return 2;
	copies = strcmp(argv[1], "copied") == 0;
	if (outer_function(argc) == 0)
		return 2;
	if (copies || strcmp(argv[1], "large") == 0) {
		type |= HAS_CHAIN | HAS_REGISTERS | HAS_STACK;
	} else if (is_deferred(argv[1])) {
		type |= HAS_CHAIN;
	} else {
		const bool any = strcmp(argv[1], "branches") == 0;
		type |= HAS_BRANCHES | (any ? 0u : HAS_CHAIN);
		branches =
			BRANCHES_OF_USER | BRANCHES_INDEX | (any ? BRANCHES_ANY : BRANCHES_CALLS);
	}
	put_header(&header, 0, type, branches);
	write_bytes(header.bytes, header.size);
	const uint64_t before = written;
	write_comm();
	dl_iterate_phdr(write_map, NULL);
	write_samples(argv[1]);
	put_header(&header, written - before, type, branches);
	write_features();
	rewind(out);
	write_bytes(header.bytes, header.size);
	return fclose(out) != 0;
}
