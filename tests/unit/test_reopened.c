/* SPDX-License-Identifier: MIT */
/* Tests what debuggers need of a core that a minidump of aarch64 becomes: where addresses are signed, and frames of signals without records that they fail on. */
#include "unit.h"

#include "base/bytes.h"
#include "base/target_memory.h"
#include "fixture_minidump.h"
#include "formats/corenotes.h"
#include "process/snapshot/core_snapshot.h"

enum {
	CODE = 0x400000,
	STACK = 0x7000,
	RECORDS = 128 + 176 + 288, /* of a signal's frame */
	FURTHER = 4096,            /* records elsewhere */
	STACK_SIZE = 8192,
	CORE_MAX = 1 << 16,
	HWCAP = 16,
	NOTE_AUXV = 6,
	NOTE_MASK = 0x406,
	THREADS = 2,
};

#define PACA (UINT64_C(1) << 30)
#define MASK(from) (UINT64_MAX << (from)&UINT64_MAX >> 9)

struct written {
	uint8_t bytes[CORE_MAX];
	size_t size;
};

static struct fixture_minidump made;
static struct written core;
static uint8_t stack[STACK_SIZE];
static uint32_t threads = THREADS;

static int append(void *context, const void *bytes, size_t size)
{
	struct written *w = context;

	ck_assert_uint_le(size, sizeof(w->bytes) - w->size);
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	return 0;
}

/* Threads, each at the code that returns from a signal's handler. A module begins at `high`, and the auxiliary vector has `hwcap`, if it is to have any. */
static struct cairn_bytes make_dump(enum fixture_minidump_form form, uint64_t high,
                                    const uint64_t *hwcap)
{
	const struct fixture_minidump_part none = { 0, 0 };
	const bool is_arm = form == FIXTURE_MINIDUMP_ARM64;
	uint64_t values[34] = { 0 };

	values[is_arm ? 31 : 7] = STACK;
	values[33] = CODE;
	fixture_minidump_begin(&made, false);
	fixture_minidump_system(&made, is_arm ? 12 : 9, 0x8201);
	const struct fixture_minidump_part code =
		fixture_minidump_bytes(&made, "\x68\x11\x80\xd2\x01\0\0\xd4", 8);
	const struct fixture_minidump_part memory =
		fixture_minidump_bytes(&made, stack, sizeof(stack));
	const struct fixture_minidump_part context = fixture_minidump_context(&made, form, values);
	const size_t name = fixture_minidump_text(&made, "/lib/a.so");
	fixture_minidump_open(&made, 3);
	fixture_out_put(&made.out, threads, 4);
	for (uint32_t i = 0; i < threads; i++)
		fixture_minidump_thread(&made, 7 + i, STACK, memory, context);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 5);
	fixture_out_put(&made.out, 2, 4);
	fixture_out_put(&made.out, CODE, 8);
	fixture_minidump_point(&made, code);
	fixture_out_put(&made.out, STACK, 8);
	fixture_minidump_point(&made, memory);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 4);
	fixture_out_put(&made.out, 1, 4);
	fixture_minidump_module(&made, high - 0x1000, 0x1000, name, none);
	fixture_minidump_close(&made);
	if (hwcap) {
		fixture_minidump_open(&made, 0x47670008);
		fixture_out_put(&made.out, HWCAP, 8);
		fixture_out_put(&made.out, *hwcap, 8);
		fixture_out_put(&made.out, 3, 8);
		fixture_out_put(&made.out, CODE + 64, 8);
		fixture_out_put(&made.out, 0, 16);
		fixture_minidump_close(&made);
	}
	return unit_exact(fixture_minidump_finish(&made));
}

/* The dump as a core. */
static void write_core(struct cairn_bytes dump)
{
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	struct cairn_core_options wanted = CAIRN_CORE_OPTIONS;
	struct cairn_stacks *stacks;
	struct cairn_error error;

	search.sysroot = "/nowhere";
	search.skip = CAIRN_SKIP_SYSTEM;
	options.search = &search;
	options.bytes = dump;
	options.keep_registers = true;
	core.size = 0;
	wanted.write = append;
	wanted.context = &core;
	ck_assert_int_eq(cairn_stacks_open(&options, &stacks, &error), CAIRN_OK);
	ck_assert_int_eq(cairn_core_write(stacks, &wanted, NULL, &error), CAIRN_OK);
	cairn_stacks_close(stacks);
}

static void open_core(struct snapshot *snapshot, struct elf *elf)
{
	struct cairn_fault fault;

	ck_assert_int_eq(elf_open((struct cairn_bytes){ core.bytes, core.size }, elf, &fault),
	                 CAIRN_OK);
	ck_assert_int_eq(core_snapshot_open(snapshot, elf, &fault), CAIRN_OK);
}

static struct cairn_bytes find_notes(const struct elf *elf)
{
	struct elf_segment segment;

	for (uint32_t i = 0; elf_segment(elf, i, &segment); i++)
		if (segment.type == ELF_PT_NOTE)
			return (struct cairn_bytes){ core.bytes + segment.offset,
				                     (size_t)segment.file_size };
	ck_abort_msg("no notes");
}

/* How many notes of that type there are, of which *last becomes one. */
static size_t count_notes(const struct elf *elf, uint32_t type, struct corenote *last)
{
	struct corenotes notes = corenotes_open(find_notes(elf), false);
	struct corenote note;
	size_t count = 0;

	while (corenotes_next(&notes, &note))
		if (note.type == type) {
			*last = note;
			count++;
		}
	ck_assert_int_eq(notes.in.fault.status, CAIRN_OK);
	return count;
}

static uint64_t find_hwcap(const struct elf *elf)
{
	struct corenote auxv;

	ck_assert_uint_eq(count_notes(elf, NOTE_AUXV, &auxv), 1);
	for (size_t at = 0; at + 16 <= auxv.body.size; at += 16)
		if (bytes_u64(auxv.body.data + at, false) == HWCAP)
			return bytes_u64(auxv.body.data + at + 8, false);
	return 0;
}

static const struct {
	const char *name;
	enum fixture_minidump_form form;
	bool told;
	uint64_t hwcap, high;
	uint64_t made, mask; /* of the core */
} masks[] = {
	{ "signed", FIXTURE_MINIDUMP_ARM64, true, PACA | 1, 0xfffff0001000, PACA | 1, MASK(48) },
	{ "nothing is mapped high", FIXTURE_MINIDUMP_ARM64, true, PACA, 0x501000, PACA, MASK(48) },
	{ "addresses of 39 bits", FIXTURE_MINIDUMP_ARM64, true, PACA, 0x7ffffff000, PACA,
	  MASK(39) },
	{ "a processor that signs nothing", FIXTURE_MINIDUMP_ARM64, true, ~PACA, 0xfffff0001000,
	  ~PACA, 0 },
	{ "nobody knows", FIXTURE_MINIDUMP_ARM64, false, 0, 0xfffff0001000, PACA, MASK(48) },
	{ "amd64", FIXTURE_MINIDUMP_AMD64, true, PACA, 0x7ffffff000, PACA, 0 },
	{ "amd64, untold", FIXTURE_MINIDUMP_AMD64, false, 0, 0x7ffffff000, 0, 0 },
};

/* Each thread has the note, as the kernel writes it, and who reads the core knows what it says. */
START_TEST(says_where_signatures_are)
{
	struct snapshot snapshot;
	struct corenote note;
	struct elf elf;

	write_core(make_dump(masks[_i].form, masks[_i].high,
	                     masks[_i].told ? &masks[_i].hwcap : NULL));
	open_core(&snapshot, &elf);
	const size_t count = count_notes(&elf, NOTE_MASK, &note);
	ck_assert_msg(find_hwcap(&elf) == masks[_i].made, "%s: hwcap", masks[_i].name);
	ck_assert_msg(count == (masks[_i].mask ? THREADS : 0), "%s: %zu notes", masks[_i].name,
	              count);
	ck_assert_uint_eq(snapshot.thread_count, THREADS);
	ck_assert_uint_eq(snapshot.signature_bits, masks[_i].mask);
	if (count > 0) {
		ck_assert_uint_eq(note.body.size, 16);
		ck_assert_uint_eq(bytes_u64(note.body.data, false), masks[_i].mask);
		ck_assert_mem_eq(note.body.data - 8, "LINUX\0\0", 8);
		ck_assert_uint_eq(bytes_u32(note.body.data - 20, false), 6);
	}
	snapshot_close(&snapshot);
}
END_TEST

/* A note that is cut, or of which the size is wrong, tells nothing; the threads and what another note tells are there all the same. */
START_TEST(damaged_masks_tell_nothing)
{
	static const uint32_t sizes[] = { 0, 8, 15, 17, 1 << 20, UINT32_MAX };
	const uint64_t hwcap = PACA;
	struct snapshot snapshot;
	struct corenote note;
	struct elf elf;

	threads = (uint32_t)_i + 1;
	write_core(make_dump(FIXTURE_MINIDUMP_ARM64, 0x501000, &hwcap));
	open_core(&snapshot, &elf);
	snapshot_close(&snapshot);
	ck_assert_uint_eq(count_notes(&elf, NOTE_MASK, &note), threads);
	uint8_t *size = core.bytes + (note.body.data - core.bytes) - 16;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t byte = 0; byte < 4; byte++)
			size[byte] = (uint8_t)(sizes[i] >> 8 * byte);
		open_core(&snapshot, &elf);
		ck_assert_uint_eq(snapshot.thread_count, threads);
		ck_assert_uint_eq(snapshot.signature_bits, threads > 1 ? MASK(48) : 0);
		snapshot_close(&snapshot);
	}
}
END_TEST

struct record {
	uint32_t at, magic, size;
	uint64_t extra; /* the third and fourth word */
};

enum {
	FPSIMD = 0x46508001,
	ESR = 0x45535201,
	SVE = 0x53564501,
	ZA = 0x54366345,
	EXTRA = 0x45585401
};

static const struct {
	const char *name;
	struct record records[4];
	uint32_t left_out; /* of the stack; 0: nothing is */
} frames[] = {
	{ "no vectors", { { RECORDS, FPSIMD, 528, 0 }, { RECORDS + 528, ESR, 16, 0 } }, 0 },
	{ "vectors first", { { RECORDS, SVE, 16, 64 } }, RECORDS },
	{ "as the kernel puts them",
	  { { RECORDS, FPSIMD, 528, 0 },
	    { RECORDS + 528, ESR, 16, 0 },
	    { RECORDS + 544, SVE, 16, 64 },
	    { RECORDS + 560, ZA, 16, 0 } },
	  RECORDS + 544 },
	{ "a matrix alone",
	  { { RECORDS, FPSIMD, 528, 0 }, { RECORDS + 528, ZA, 16, 0 } },
	  RECORDS + 528 },
	{ "elsewhere",
	  { { RECORDS, FPSIMD, 528, 0 },
	    { RECORDS + 528, EXTRA, 32, STACK + FURTHER },
	    { FURTHER, SVE, 8768, 256 } },
	  FURTHER },
	{ "behind the last", { { RECORDS, FPSIMD, 528, 0 }, { RECORDS + 544, SVE, 16, 64 } }, 0 },
	{ "a record without a size",
	  { { RECORDS, FPSIMD, 0, 0 }, { RECORDS + 16, SVE, 16, 64 } },
	  0 },
	{ "a record in itself", { { RECORDS, EXTRA, 32, STACK + RECORDS } }, 0 },
	{ "past what was captured", { { RECORDS, FPSIMD, 0x7ffffff0, 0 } }, 0 },
	{ "elsewhere, which was not captured", { { RECORDS, EXTRA, 32, 0x123456789 } }, 0 },
	{ "the last bytes",
	  { { RECORDS, FPSIMD, STACK_SIZE - 8 - RECORDS, 0 }, { STACK_SIZE - 8, SVE, 16, 0 } },
	  STACK_SIZE - 8 },
};

static void put_number(uint8_t *out, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = (uint8_t)(value >> 8 * i);
}

static void put_records(const struct record *record, size_t count)
{
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)(i * 7 + 1);
	memset(stack + RECORDS, 0, FURTHER - RECORDS);
	for (size_t i = 0; i < count && record[i].at; i++) {
		put_number(stack + record[i].at, record[i].magic, 4);
		put_number(stack + record[i].at + 4, record[i].size, 4);
		if (record[i].at + 16 <= sizeof(stack))
			put_number(stack + record[i].at + 8, record[i].extra, 8);
	}
}

/* The head of the first record of vectors is not in memory, and all else is. */
START_TEST(leaves_out_records_of_vectors)
{
	const uint64_t hwcap = PACA;
	struct snapshot snapshot;
	struct elf elf;
	uint8_t byte;

	put_records(frames[_i].records, COUNT(frames[_i].records));
	write_core(make_dump(FIXTURE_MINIDUMP_ARM64, 0x501000, &hwcap));
	open_core(&snapshot, &elf);
	for (uint32_t i = 0; i < sizeof(stack); i++) {
		const bool there = memory_read(&snapshot.memory, STACK + i, &byte, 1);
		const bool wanted = !frames[_i].left_out || i < frames[_i].left_out ||
		                    i >= frames[_i].left_out + 8;
		ck_assert_msg(there == wanted, "%s: byte %u", frames[_i].name, i);
		ck_assert_msg(!there || byte == stack[i], "%s: byte %u is another", frames[_i].name,
		              i);
	}
	snapshot_close(&snapshot);
}
END_TEST

/* The kernel of amd64 has none: there the same bytes are nothing but memory. */
START_TEST(keeps_memory_of_other_machines)
{
	struct snapshot snapshot;
	struct elf elf;
	uint8_t bytes[STACK_SIZE];

	put_records(frames[1].records, 1);
	write_core(make_dump(FIXTURE_MINIDUMP_AMD64, 0x501000, NULL));
	open_core(&snapshot, &elf);
	ck_assert(memory_read(&snapshot.memory, STACK, bytes, sizeof(bytes)));
	ck_assert_mem_eq(bytes, stack, sizeof(bytes));
	snapshot_close(&snapshot);
}
END_TEST

START_TEST(knows_no_process_zero)
{
	struct cairn_stacks *stacks = NULL;
	struct cairn_error error;

	ck_assert(cairn_stacks_open_process(0, &stacks, &error) == CAIRN_NOT_FOUND);
	ck_assert(strncmp(error.text, "no such process", 15) == 0);
	ck_assert(stacks == NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("reopened");
	TCase *c = tcase_create("reopened");

	tcase_add_loop_test(c, says_where_signatures_are, 0, COUNT(masks));
	tcase_add_loop_test(c, damaged_masks_tell_nothing, 0, THREADS);
	tcase_add_loop_test(c, leaves_out_records_of_vectors, 0, COUNT(frames));
	tcase_add_test(c, keeps_memory_of_other_machines);
	tcase_add_test(c, knows_no_process_zero);
	suite_add_tcase(s, c);
	return unit_run(s);
}
