/* SPDX-License-Identifier: MIT */
/*
 * Tests cores that come as a stream: what is kept of them, what is cut by a budget, and what is reported of
 * streams that are damaged. Memory is compared with that of the same core as a file.
 */
#include "unit.h"

#include "base/target_memory.h"
#include "process/snapshot/core_snapshot.h"

#include <elf.h>
#include <stdlib.h>

enum {
	PAGE = 4096,
	STATUS = 336,
	NOTE = 20 + STATUS,
	FLOATS = 20 + 512,
	RIP = 112 + 16 * 8,
	RSP = 112 + 19 * 8,
	FS_BASE = 112 + 21 * 8,
	MANY = 0xffff,
	SEGMENTS = 72,
};

struct piece {
	uint64_t va, size;
};

/* A core to be made. */
struct recipe {
	struct piece pieces[SEGMENTS];
	uint64_t sp[2], home[2]; /* of each thread; sp 0: no such thread */
	bool notes_last, many, overlap;
	int crashed; /* the thread that has the signal, as QEMU writes it: in any place */
	int signal;  /* 0: SIGSEGV */
	bool floats; /* the last thread has floating-point registers, as in cores of debuggers */
};

static struct {
	uint8_t *bytes;
	size_t size;
	size_t at, skipped; /* while it is read as a stream */
} core;

static size_t read_core(void *context, void *buffer, size_t size)
{
	const size_t left = core.size - core.at;
	const size_t part = size < left ? size : left;

	(void)context;
	memcpy(buffer, core.bytes + core.at, part);
	core.at += part;
	return part;
}

static uint64_t skip_core(void *context, uint64_t size)
{
	const size_t left = core.size - core.at;
	const size_t part = size < left ? (size_t)size : left;

	(void)context;
	core.at += part;
	core.skipped += part;
	return part;
}

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void put_notes(uint8_t *at, const struct recipe *recipe)
{
	for (int i = 0; i < 2 && recipe->sp[i]; i++, at += NOTE) {
		put(at, 5, 4);
		put(at + 4, STATUS, 4);
		put(at + 8, 1, 4);
		memcpy(at + 12, "CORE", 4);
		const uint64_t signal = recipe->signal ? (uint64_t)recipe->signal : 11;
		put(at + 20 + 12, i == recipe->crashed ? signal : 0, 2);
		put(at + 20 + 32, 100 + (uint64_t)i, 4);
		put(at + 20 + RSP, recipe->sp[i], 8);
		put(at + 20 + FS_BASE, recipe->home[i], 8);
	}
	if (recipe->floats) {
		put(at, 5, 4);
		put(at + 4, FLOATS - 20, 4);
		put(at + 8, 2, 4);
		memcpy(at + 12, "CORE", 4);
	}
}

/* Each byte of memory differs from its neighbours, and from those a page away. */
static void put_memory(uint8_t *at, const struct piece *piece)
{
	for (uint64_t i = 0; i < piece->size; i++)
		at[i] = (uint8_t)(i * 7 + i / PAGE);
}

static size_t count_pieces(const struct recipe *recipe)
{
	size_t count = 0;

	while (count < SEGMENTS && recipe->pieces[count].size > 0)
		count++;
	return count;
}

static void make_core(const struct recipe *recipe)
{
	const size_t count = count_pieces(recipe);
	const size_t notes = (recipe->sp[1] ? 2u : 1u) * NOTE + (recipe->floats ? FLOATS : 0u);
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
		              .e_type = ET_CORE,
		              .e_machine = EM_X86_64,
		              .e_phoff = sizeof(header),
		              .e_phentsize = sizeof(Elf64_Phdr),
		              .e_phnum = (uint16_t)(recipe->many ? MANY : count + 1) };
	const size_t segments = recipe->many ? MANY + 1 : count + 1;
	Elf64_Phdr *p = calloc(segments, sizeof(*p));
	size_t at = sizeof(header) + segments * sizeof(*p);

	ck_assert_ptr_nonnull(p);
	core.size = at + notes + (recipe->many ? sizeof(Elf64_Shdr) : 0);
	for (size_t i = 0; i < count; i++)
		core.size += recipe->pieces[i].size;
	core.bytes = calloc(1, core.size);
	ck_assert_ptr_nonnull(core.bytes);
	core.at = core.skipped = 0;
	p[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_filesz = notes };
	if (!recipe->notes_last) {
		p[0].p_offset = at;
		put_notes(core.bytes + at, recipe);
		at += notes;
	}
	for (size_t i = 0; i < count; i++) {
		const struct piece *piece = &recipe->pieces[i];
		p[segments - count + i] = (Elf64_Phdr){ .p_type = PT_LOAD,
			                                .p_flags = PF_R | PF_W,
			                                .p_offset = at,
			                                .p_vaddr = piece->va,
			                                .p_filesz = piece->size,
			                                .p_memsz = piece->size };
		put_memory(core.bytes + at, piece);
		at += recipe->overlap ? 0 : piece->size;
	}
	if (recipe->notes_last) {
		p[0].p_offset = at;
		put_notes(core.bytes + at, recipe);
	}
	if (recipe->many) {
		const Elf64_Shdr first = { .sh_info = (uint32_t)segments };
		header.e_shoff = core.size - sizeof(first);
		header.e_shentsize = sizeof(first);
		header.e_shnum = 1;
		memcpy(core.bytes + header.e_shoff, &first, sizeof(first));
	}
	memcpy(core.bytes, &header, sizeof(header));
	memcpy(core.bytes + sizeof(header), p, segments * sizeof(*p));
	free(p);
}

static enum cairn_status open_stream(struct snapshot *snapshot)
{
	static const struct cairn_stacks_stream input = { read_core, skip_core, NULL, NULL, false };
	uint64_t taken = 0;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status = core_stream_open(snapshot, &input, false, &taken, &fault);

	ck_assert(status == CAIRN_OK || (fault.what && fault.status == status));
	return status;
}

/* Is this memory there, as the file has it? */
static bool has_memory(const struct snapshot *snapshot, uint64_t low, uint64_t high)
{
	struct cairn_fault fault;
	struct snapshot whole;
	bool same = true;
	struct elf elf;

	ck_assert_int_eq(elf_open((struct cairn_bytes){ core.bytes, core.size }, &elf, &fault),
	                 CAIRN_OK);
	ck_assert_int_eq(core_snapshot_open(&whole, &elf, &fault), CAIRN_OK);
	for (uint64_t at = low; at < high && same; at++) {
		uint8_t here, there;
		same = memory_read(&snapshot->memory, at, &here, 1) &&
		       memory_read(&whole.memory, at, &there, 1) && here == there;
	}
	snapshot_close(&whole);
	return same;
}

static bool is_unreadable(const struct snapshot *snapshot, uint64_t address)
{
	uint8_t byte;

	return !memory_read(&snapshot->memory, address, &byte, 1);
}

#define MIB ((uint64_t)1 << 20)

static const uint64_t heap = 0x10000000, stack = 0x7f0000000000, other = 0x7e0000000000;

START_TEST(keeps_the_used_part_of_a_stack_and_skips_the_rest)
{
	const struct recipe recipe = { .pieces = { { heap, 4 * MIB }, { stack, MIB } },
		                       .sp = { stack + MIB - 3 * PAGE } };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert_uint_eq(snapshot.problem_count, 0);
	ck_assert_uint_eq(snapshot.thread_count, 1);
	ck_assert(!snapshot.threads[0].stack_cut);
	ck_assert(has_memory(&snapshot, stack + MIB - 3 * PAGE - 128, stack + MIB));
	ck_assert(is_unreadable(&snapshot, stack + MIB - 4 * PAGE));
	ck_assert(is_unreadable(&snapshot, heap));
	ck_assert_uint_gt(core.skipped, 4 * MIB);
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

/* QEMU's user mode writes threads as they began: only the crashed one has a signal, and it gets the larger stack. */
START_TEST(finds_the_thread_that_has_the_signal)
{
	for (int crashed = 0; crashed < 2; crashed++) {
		const struct recipe recipe = { .pieces = { { other, 2 * CORE_STREAM_STACK },
			                                   { stack, 2 * CORE_STREAM_STACK } },
			                       .sp = { other, stack },
			                       .crashed = crashed };
		struct snapshot snapshot;

		make_core(&recipe);
		ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
		ck_assert(snapshot.crash.known);
		ck_assert_uint_eq(snapshot.crash.tid, 100 + (uint64_t)crashed);
		ck_assert_uint_eq(snapshot.crash.signal, 11);
		for (int i = 0; i < 2; i++) {
			ck_assert_int_eq(snapshot.threads[i].crashed, i == crashed);
			ck_assert_int_eq(snapshot.threads[i].stack_cut, i != crashed);
		}
		snapshot_close(&snapshot);
		free(core.bytes);
	}
}
END_TEST

/* A trap without details is one of the program where QEMU wrote it, whichever thread it is in, and one of a debugger elsewhere. */
START_TEST(tells_traps_of_programs_from_those_of_debuggers)
{
	for (int i = 0; i < 4; i++) {
		const struct recipe recipe = { .pieces = { { heap, PAGE }, { stack, 2 * PAGE } },
			                       .sp = { stack, stack + PAGE },
			                       .crashed = i / 2,
			                       .signal = 5,
			                       .floats = i % 2 };
		struct snapshot snapshot, whole;
		struct cairn_fault fault;
		struct elf elf;

		make_core(&recipe);
		ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
		ck_assert_int_eq(
			elf_open((struct cairn_bytes){ core.bytes, core.size }, &elf, &fault),
			CAIRN_OK);
		ck_assert_int_eq(core_snapshot_open(&whole, &elf, &fault), CAIRN_OK);
		ck_assert_int_eq(snapshot.crash.known, i != 1);
		ck_assert_int_eq(whole.crash.known, i != 1);
		ck_assert_uint_eq(snapshot.crash.tid, i == 1 ? 0 : 100 + (uint64_t)i / 2);
		snapshot_close(&whole);
		snapshot_close(&snapshot);
		free(core.bytes);
	}
}
END_TEST

START_TEST(keeps_small_segments_as_a_whole)
{
	const struct recipe recipe = { .pieces = { { heap, 3 * PAGE }, { stack, MIB } },
		                       .sp = { stack + MIB - PAGE } };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert(has_memory(&snapshot, heap, heap + 3 * PAGE));
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

/* Small segments of no module, each a page apart from the next. */
START_TEST(keeps_so_many_small_segments)
{
	enum { SMALL = 1 << 16, COUNT = CORE_STREAM_SPARE / SMALL + 4 };
	struct recipe recipe = { .sp = { stack + MIB - PAGE } };
	struct snapshot snapshot;
	size_t kept = 0;

	for (size_t i = 0; i < COUNT; i++)
		recipe.pieces[i] = (struct piece){ heap + i * (SMALL + PAGE), SMALL };
	recipe.pieces[COUNT] = (struct piece){ stack, MIB };
	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	for (size_t i = 0; i < COUNT; i++)
		kept += !is_unreadable(&snapshot, recipe.pieces[i].va);
	ck_assert_uint_le(kept * SMALL, CORE_STREAM_SPARE);
	ck_assert_uint_ge((kept + 1) * SMALL, CORE_STREAM_SPARE);
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

/* How much is skipped of a core whose first thread has left its stack, beside `size` bytes that are in no stack. */
static size_t measure_skipped(uint64_t size)
{
	const struct recipe recipe = { .pieces = { { heap, MIB }, { other, size }, { stack, MIB } },
		                       .sp = { heap + MIB - PAGE },
		                       .home = { stack + MIB - 64 } };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	snapshot_close(&snapshot);
	free(core.bytes);
	return core.skipped;
}

START_TEST(searches_so_much_for_a_stack)
{
	const size_t before = measure_skipped(CORE_STREAM_SEARCH / 2);

	ck_assert_uint_eq(measure_skipped(CORE_STREAM_SEARCH - MIB), before);
	ck_assert_uint_ge(measure_skipped(CORE_STREAM_SEARCH + 2 * MIB),
	                  before + 2 * MIB - 2 * PAGE);
}
END_TEST

/* A ucontext of amd64 in the stack that it is said to lie in, which is all of the piece. */
static void put_context(uint8_t *at, const struct piece *piece)
{
	memset(at, 0, 192);
	put(at + 16, piece->va, 8);
	put(at + 32, piece->size, 8);
	put(at + 184, 0x33, 2);
	put(at + 190, 0x2b, 2);
}

START_TEST(keeps_so_much_of_stacks_that_are_found)
{
	enum { COUNT = 16, SIZE = 1 << 18 };
	struct recipe recipe = { .sp = { heap + MIB - PAGE }, .home = { stack + MIB - 64 } };
	const size_t head = sizeof(Elf64_Ehdr) + (COUNT + 3) * sizeof(Elf64_Phdr) + NOTE;
	struct snapshot snapshot;
	size_t kept = 0;

	recipe.pieces[0] = (struct piece){ heap, MIB };
	for (size_t i = 0; i < COUNT; i++)
		recipe.pieces[1 + i] = (struct piece){ other + i * (SIZE + PAGE), SIZE };
	recipe.pieces[COUNT + 1] = (struct piece){ stack, MIB };
	make_core(&recipe);
	for (size_t i = 0; i < COUNT; i++)
		put_context(core.bytes + head + MIB + i * SIZE, &recipe.pieces[1 + i]);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	for (size_t i = 0; i < COUNT; i++)
		for (uint64_t at = 0; at < SIZE; at += PAGE)
			kept += is_unreadable(&snapshot, recipe.pieces[1 + i].va + at) ? 0 : PAGE;
	ck_assert_uint_le(kept, CORE_STREAM_FOUND);
	ck_assert_uint_ge(kept, CORE_STREAM_FOUND / 2);
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

START_TEST(cuts_the_outermost_part_of_a_stack)
{
	static const uint64_t size = 10 * MIB;
	const struct recipe recipe = { .pieces = { { other, size }, { stack, size } },
		                       .sp = { stack + PAGE, other + PAGE } };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert_uint_eq(snapshot.thread_count, 2);
	ck_assert(snapshot.threads[0].stack_cut);
	ck_assert(has_memory(&snapshot, stack + PAGE, stack + CORE_STREAM_CRASHED_STACK));
	ck_assert(is_unreadable(&snapshot, stack + PAGE + CORE_STREAM_CRASHED_STACK));
	ck_assert(snapshot.threads[1].stack_cut);
	ck_assert(has_memory(&snapshot, other + PAGE, other + CORE_STREAM_STACK));
	ck_assert(is_unreadable(&snapshot, other + PAGE + CORE_STREAM_STACK));
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

/* It runs on a signal's stack, in the heap; its own has what its thread pointer points into. */
START_TEST(keeps_the_own_stack_of_a_thread_on_another_one)
{
	static const uint64_t size = 10 * MIB;
	const struct recipe recipe = { .pieces = { { heap, MIB }, { stack, size } },
		                       .sp = { heap + MIB - PAGE },
		                       .home = { stack + size - 64 } };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert(has_memory(&snapshot, heap + MIB - PAGE, heap + MIB));
	ck_assert(has_memory(&snapshot, stack + size - CORE_STREAM_CRASHED_STACK, stack + size));
	ck_assert(is_unreadable(&snapshot, stack + size - CORE_STREAM_CRASHED_STACK - 1));
	ck_assert(snapshot.threads[0].stack_cut);
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

START_TEST(keeps_all_memory_before_notes_that_come_last)
{
	const struct recipe recipe = { .pieces = { { heap, MIB }, { stack, MIB } },
		                       .sp = { stack + MIB - PAGE },
		                       .notes_last = true };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert_uint_eq(snapshot.problem_count, 0);
	ck_assert_uint_eq(snapshot.thread_count, 1);
	ck_assert(has_memory(&snapshot, heap, heap + MIB));
	ck_assert(has_memory(&snapshot, stack, stack + MIB));
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

/* Their number is in a section header at the end, which a stream has not seen yet. */
static uint64_t allow_two_mib(void *context)
{
	(void)context;
	return 2 * MIB;
}

/* A packed core is worth less than it claims; what is zero takes nothing of it. */
START_TEST(keeps_what_a_packed_core_is_worth_and_zeros)
{
	static const struct cairn_stacks_stream input = { read_core, skip_core, allow_two_mib, NULL,
		                                          false };
	uint64_t taken;
	const struct recipe recipe = {
		.pieces = { { heap, MIB }, { other, 4 * MIB }, { stack, 2 * MIB } },
		.sp = { stack + PAGE },
		.notes_last = true
	};
	struct cairn_fault fault;
	struct snapshot snapshot;

	make_core(&recipe);
	memset(core.bytes + core.size - NOTE - 6 * MIB, 0, 4 * MIB);
	ck_assert_int_eq(core_stream_open(&snapshot, &input, false, &taken, &fault), CAIRN_OK);
	ck_assert_uint_eq(snapshot.problem_count, 1);
	ck_assert(has_memory(&snapshot, heap, heap + MIB));
	ck_assert(has_memory(&snapshot, other, other + 4 * MIB));
	ck_assert(has_memory(&snapshot, stack, stack + MIB));
	ck_assert(is_unreadable(&snapshot, stack + MIB));
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

START_TEST(finds_segments_whose_number_does_not_fit)
{
	const struct recipe recipe = { .pieces = { { heap, PAGE }, { stack, MIB } },
		                       .sp = { stack + MIB - PAGE },
		                       .many = true };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert_uint_eq(snapshot.problem_count, 0);
	ck_assert_uint_eq(snapshot.mapping_count, 2);
	ck_assert(has_memory(&snapshot, stack + MIB - PAGE, stack + MIB - 1));
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

START_TEST(reports_segments_that_share_bytes)
{
	const struct recipe recipe = { .pieces = { { heap, MIB }, { stack, MIB } },
		                       .sp = { stack + MIB - PAGE },
		                       .overlap = true };
	struct snapshot snapshot;

	make_core(&recipe);
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_OK);
	ck_assert_uint_ge(snapshot.problem_count, 1);
	ck_assert_str_eq(snapshot.problems[0].part, "memory");
	snapshot_close(&snapshot);
	free(core.bytes);
}
END_TEST

/* Cut at each byte of its head, and then in steps: no crash, and a problem or a fault. */
START_TEST(reports_where_it_is_cut)
{
	const struct recipe recipe = { .pieces = { { heap, 4 * PAGE }, { stack, MIB } },
		                       .sp = { stack + MIB - PAGE } };
	struct snapshot snapshot;

	make_core(&recipe);
	const size_t whole = core.size;
	for (size_t size = 0; size < whole; size += size < 2048 ? 1 : 65521) {
		core.size = size;
		core.at = 0;
		if (open_stream(&snapshot) != CAIRN_OK) {
			ck_assert_uint_lt(size, sizeof(Elf64_Ehdr));
			continue;
		}
		ck_assert_uint_ge(snapshot.problem_count, 1);
		ck_assert_int_eq(snapshot.problems[0].fault.status, CAIRN_TRUNCATED);
		snapshot_close(&snapshot);
	}
	free(core.bytes);
}
END_TEST

START_TEST(takes_nothing_but_cores)
{
	const struct recipe recipe = { .pieces = { { heap, PAGE } }, .sp = { heap } };
	struct snapshot snapshot;

	make_core(&recipe);
	core.bytes[16] = ET_DYN;
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_MALFORMED);
	core.at = 0;
	core.bytes[0] = 0;
	ck_assert_int_eq(open_stream(&snapshot), CAIRN_MALFORMED);
	free(core.bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("core stream");
	TCase *tcase = tcase_create("core stream");

	tcase_add_test(tcase, keeps_the_used_part_of_a_stack_and_skips_the_rest);
	tcase_add_test(tcase, finds_the_thread_that_has_the_signal);
	tcase_add_test(tcase, tells_traps_of_programs_from_those_of_debuggers);
	tcase_add_test(tcase, keeps_small_segments_as_a_whole);
	tcase_add_test(tcase, keeps_so_many_small_segments);
	tcase_add_test(tcase, searches_so_much_for_a_stack);
	tcase_add_test(tcase, keeps_so_much_of_stacks_that_are_found);
	tcase_add_test(tcase, cuts_the_outermost_part_of_a_stack);
	tcase_add_test(tcase, keeps_the_own_stack_of_a_thread_on_another_one);
	tcase_add_test(tcase, keeps_all_memory_before_notes_that_come_last);
	tcase_add_test(tcase, keeps_what_a_packed_core_is_worth_and_zeros);
	tcase_add_test(tcase, finds_segments_whose_number_does_not_fit);
	tcase_add_test(tcase, reports_segments_that_share_bytes);
	tcase_add_test(tcase, reports_where_it_is_cut);
	tcase_add_test(tcase, takes_nothing_but_cores);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
