/* SPDX-License-Identifier: MIT */
/*
 * Tests rules for code of HotSpot by a code cache that is made here: with the structures of JDK 17 and those of JDK 25, whole and
 * with each byte changed.
 */
#include "unit.h"

#include "fixture_elf.h"

#include "formats/elf/elf.h"
#include "process/stacks/hotspot.h"

enum {
	LOW = 0x10000,
	SIZE = 0x4000,
	TABLES = LOW, /* gHotSpotVMStructs, and gHotSpotVMTypes behind them */
	TYPES = LOW + 0x600,
	TEXTS = LOW + 0x700,
	POINTERS = LOW + 0xb00, /* the variables of libjvm */
	QUEUE = LOW + 0xb40,
	LIST = LOW + 0xb80,
	HEAP = LOW + 0xc00,
	MAP = LOW + 0xd00,
	CODE = LOW + 0x1000, /* segments of 128 bytes */
	INTERPRETER = CODE + 0x800,
	COMPILED = CODE + 0x100, /* a blob of 0x300 bytes with a frame of 6 words */
	STUBS = CODE + 0x400,    /* a blob without a frame */
	STACK = LOW + 0x3000,
	HEADER_17 = 16,
	HEADER_25 = 8,
	BODY = 0x80, /* from the block to its code, whose frame is complete after 16 bytes */
	RBP = 6,
	RSP = 7,
	R13 = 13,
};

static uint8_t memory[SIZE];
static size_t texts, entries;

static void put(uint64_t at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		memory[at - LOW + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t put_text(const char *text)
{
	const uint64_t at = TEXTS + texts;

	memcpy(memory + (at - LOW), text, strlen(text) + 1);
	texts += strlen(text) + 1;
	return at;
}

static void put_field(const char *type, const char *name, bool is_static, uint64_t value)
{
	const uint64_t at = TABLES + 48 * entries++;

	put(at, put_text(type), 8);
	put(at + 8, put_text(name), 8);
	put(at + 24, is_static, 4);
	put(at + (is_static ? 40 : 32), value, 8);
}

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const uint64_t at = address - LOW;

	(void)context;
	if (at > SIZE || size > SIZE - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + at, size);
	return CAIRN_OK;
}

static void put_blob(uint64_t block, unsigned size, unsigned words, bool is_new)
{
	const uint64_t blob = block + (is_new ? HEADER_25 : HEADER_17);

	put(blob + 24, size, 4);
	put(blob + 28, words, 4);
	put(blob + 32, 16, is_new ? 2 : 4);
	put(blob + 40, is_new ? BODY - HEADER_25 : block + BODY, is_new ? 4 : 8);
	put(MAP + (block - CODE) / 128, 0, 1);
	for (unsigned i = 1; i < size / 128; i++)
		put(MAP + (block - CODE) / 128 + i, i, 1);
}

static void make_cache(bool is_new)
{
	memset(memory, 0, sizeof(memory));
	memset(memory + (MAP - LOW), 0xff, 0x20);
	texts = entries = 0;
	put_field("Klass", "_name", false, 24);
	put_field("CodeCache", "_heaps", true, POINTERS + 16);
	put_field("AbstractInterpreter", "_code", true, POINTERS + 24);
	put_field(is_new ? "GrowableArrayBase" : "GenericGrowableArray", "_len", false, 0);
	put_field("GrowableArray<int>", "_data", false, 8);
	put_field("CodeHeap", "_memory", false, 0);
	put_field("CodeHeap", "_segmap", false, 32);
	put_field("CodeHeap", "_log2_segment_size", false, 64);
	put_field("VirtualSpace", "_low", false, 8);
	put_field("VirtualSpace", "_high", false, 16);
	put_field("StubQueue", "_stub_buffer", false, 8);
	put_field("StubQueue", "_buffer_limit", false, 16);
	put_field("CodeBlob", "_size", false, 24);
	put_field("CodeBlob", "_frame_size", false, 28);
	put_field("CodeBlob", "_frame_complete_offset", false, 32);
	put_field("CodeBlob", is_new ? "_code_offset" : "_code_begin", false, 40);
	put(TYPES, put_text("HeapBlock"), 8);
	put(TYPES + 32, is_new ? HEADER_25 : HEADER_17, 8);
	put(POINTERS, TABLES, 8);
	put(POINTERS + 8, TYPES, 8);
	put(POINTERS + 16, LIST, 8);
	put(POINTERS + 24, QUEUE, 8);
	put(QUEUE + 8, INTERPRETER, 8);
	put(QUEUE + 16, 0x400, 4);
	put(LIST, 1, 4);
	put(LIST + 8, LIST + 16, 8);
	put(LIST + 16, HEAP, 8);
	put(HEAP + 8, CODE, 8);
	put(HEAP + 16, CODE + 0xc00, 8);
	put(HEAP + 32 + 8, MAP, 8);
	put(HEAP + 32 + 16, MAP + 0x18, 8);
	put(HEAP + 64, 7, 4);
	put_blob(COMPILED, 0x300, 6, is_new);
	put_blob(STUBS, 0x100, 0, is_new);
}

static bool open_cache(struct hotspot *h)
{
	static const char names[] = "\0gHotSpotVMStructs\0gHotSpotVMTypes\0";
	const struct cairn_target target = { read_memory, NULL };
	struct fixture_out table = { .size = 0 };
	static struct fixture_out file;
	struct fixture_elf_places places;

	for (unsigned i = 0; i < 3; i++) {
		fixture_out_put(&table, i == 0 ? 0 : i == 1 ? 1 : 19, 4);
		fixture_out_put(&table, 1, 2);
		fixture_out_put(&table, i > 0, 2);
		fixture_out_put(&table, POINTERS - 0x1000 + (i == 2 ? 8 : 0), 8);
		fixture_out_put(&table, 8, 8);
	}
	file = (struct fixture_out){ .size = 0 };
	const struct fixture_section sections[] = {
		{ ".dynsym", ELF_SHT_DYNSYM, 0, fixture_out_bytes(&table), 2, 1 },
		{ ".dynstr", 3, 0, BYTES(names), 0, 0 },
	};
	const struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0,
		                          0,    NULL,  2,     sections };
	fixture_elf(&file, &made, &places);
	const struct snapshot_module module = { .has_bias = true,
		                                .bias = 0x1000,
		                                .file = unit_exact(fixture_out_bytes(&file)) };
	return hotspot_open(h, &module, target, target);
}

/* A frame at `pc`, whose code and stack are as in the row; the caller is compiled where its address is. */
static const struct row {
	const char *name;
	uint64_t pc;
	const char *code; /* before and at the pc, apart by a '|' */
	bool innermost;
	int back;      /* word of the stack that has the return address; -1: none */
	uint64_t size; /* of the frame that is found; 0: it is not */
	bool saved;    /* the frame pointer is below the return address */
} rows[] = {
	{ "a caller", COMPILED + BODY + 64, "|", false, 5, 48, true },
	{ "its first instruction", COMPILED + BODY, "|", false, 5, 48, true },
	{ "past the frame's code", COMPILED + 0x300, "|", false, 5, 0, false },
	{ "stubs", STUBS + BODY, "|", false, 5, 0, false },
	{ "free memory", CODE + 0x780, "|", false, 5, 0, false },
	{ "before the heap", CODE - 1, "|", false, 5, 0, false },
	{ "after the heap", CODE + 0xc00, "|", false, 5, 0, false },
	{ "within", COMPILED + BODY + 64, "\x90|\x90", true, 5, 48, true },
	{ "within, with a pushed word", COMPILED + BODY + 64, "\x51|\x90", true, 6, 56, true },
	{ "within, with the address nowhere", COMPILED + BODY + 64, "\x90|\x90", true, -1, 0,
	  false },
	{ "at the entry", COMPILED + BODY, "\x90|\x55", true, 0, 8, false },
	{ "after push %rbp", COMPILED + BODY + 8, "\x55|\x48\x83\xec\x20", true, 1, 16, true },
	{ "after sub $32,%rsp", COMPILED + BODY + 12, "\x48\x83\xec\x20|\x90", true, 5, 48, false },
	{ "after sub of 4 bytes", COMPILED + BODY + 12, "\x48\x81\xec\x20\x10\x20\x10|\x90", true,
	  5, 48, false },
	{ "at pop %rbp", COMPILED + BODY + 64, "\x90|\x5d\xc3", true, 1, 16, true },
	{ "at pop %rbp before a poll", COMPILED + BODY + 64,
	  "\x90|\x5d\x49\x3b\x67\x28\x0f\x87\x10\x10\x10\x10\xc3", true, 1, 16, true },
	{ "at a poll of JDK 17", COMPILED + BODY + 64,
	  "\x5d|\x49\x3b\xa7\x08\x01\x01\x01\x0f\x87\x10\x10\x10\x10\xc3", true, 0, 8, false },
	{ "at ja", COMPILED + BODY + 64, "\x28|\x0f\x87\x10\x10\x10\x10\xc3", true, 0, 8, false },
	{ "at ret", COMPILED + BODY + 64, "\x5d|\xc3", true, 0, 8, false },
	{ "at pop %rbp without ret", COMPILED + BODY + 64, "\x90|\x5d\x90", true, 5, 48, true },
};

static void put_frame(const struct row *row, struct cairn_registers *frame)
{
	const char *bar = strchr(row->code, '|');

	for (size_t i = 0; i < strlen(row->code); i++)
		if (row->code + i != bar && row->pc >= CODE)
			put(row->pc - (uint64_t)(bar - row->code) + i - (row->code + i > bar),
			    (uint8_t)row->code[i], 1);
	memset(memory + (STACK - LOW), 0x11, 0x100);
	if (row->back >= 0)
		put(STACK + 8 * (uint64_t)row->back, COMPILED + BODY + 32, 8);
	*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64,
		                           .pc = row->innermost ? row->pc : row->pc + 1,
		                           .known = 0xffff };
	frame->value[RSP] = STACK;
	frame->value[RBP] = STACK + 0x80;
}

START_TEST(finds_compiled_frames)
{
	const struct row *row = &rows[_i];
	struct cairn_registers frame;
	struct cairn_rule rule;
	struct hotspot h;

	for (int is_new = 0; is_new < 2; is_new++) {
		make_cache(is_new);
		ck_assert(open_cache(&h));
		put_frame(row, &frame);
		const bool found = hotspot_find_rule(&h, row->pc, &frame, &rule);
		ck_assert_msg(found == (row->size > 0), "%s, %d: %d", row->name, is_new, found);
		if (!found)
			continue;
		ck_assert_msg(rule.cfa.base == RSP && rule.cfa.offset == (int64_t)row->size,
		              "%s: %lld", row->name, (long long)rule.cfa.offset);
		ck_assert_msg((rule.fp.kind == CAIRN_REGISTER_MEMORY) == row->saved, "%s",
		              row->name);
		ck_assert_uint_eq(rule.function, COMPILED + BODY);
	}
}
END_TEST

START_TEST(finds_interpreted_frames)
{
	const struct row caller = { "", INTERPRETER + 64, "|", false, -1, 0, false },
			 innermost = { "", INTERPRETER + 64, "|", true, -1, 0, false };
	struct cairn_registers frame;
	struct cairn_rule rule;
	struct hotspot h;

	make_cache(true);
	ck_assert(open_cache(&h));
	put_frame(&caller, &frame);
	ck_assert(hotspot_find_rule(&h, INTERPRETER + 64, &frame, &rule));
	ck_assert(rule.cfa.kind == CAIRN_REGISTER_MEMORY && rule.cfa.base == RBP &&
	          rule.cfa.offset == -8);
	put_frame(&innermost,
	          &frame); /* who calls is not compiled: nothing is between the frames */
	ck_assert(!hotspot_find_rule(&h, frame.pc, &frame, &rule));
	put(STACK + 0x88, COMPILED + BODY + 32, 8);
	ck_assert(hotspot_find_rule(&h, frame.pc, &frame, &rule));
	ck_assert(rule.cfa.kind == CAIRN_REGISTER_MEMORY && rule.cfa.base == RBP);
	put(STACK, COMPILED + BODY + 32, 8); /* it enters a method */
	frame.value[R13] = STACK + 24;
	ck_assert(hotspot_find_rule(&h, frame.pc, &frame, &rule));
	ck_assert(rule.cfa.kind == CAIRN_REGISTER_VALUE && rule.cfa.base == R13 &&
	          rule.ra.base == RSP);
	frame.value[R13] = STACK + 0x10000;
	ck_assert(!hotspot_find_rule(&h, frame.pc, &frame, &rule));
	frame.known &= ~(1u << RBP);
	ck_assert(!hotspot_find_rule(&h, frame.pc, &frame, &rule));
}
END_TEST

/* Stubs of run-time calls keep a frame pointer, and are never said to have their frame. */
START_TEST(leaves_innermost_stubs)
{
	const struct row *row = &rows[0];
	struct cairn_registers frame;
	struct cairn_rule rule;
	struct hotspot h;

	make_cache(_i);
	put(COMPILED + (_i ? HEADER_25 : HEADER_17) + 32, UINT32_MAX, _i ? 2 : 4);
	ck_assert(open_cache(&h));
	put_frame(row, &frame);
	ck_assert(hotspot_find_rule(&h, row->pc, &frame, &rule));
	frame.pc = row->pc;
	ck_assert(!hotspot_find_rule(&h, row->pc, &frame, &rule));
}
END_TEST

/* Whatever the memory holds, no read leaves it, and searches end. */
START_TEST(survives_damage)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	const struct row *row = &rows[7];
	struct cairn_registers frame;
	struct cairn_rule rule;
	struct hotspot h;

	for (size_t at = 0; at < CODE + 0x200 - LOW; at++) {
		make_cache(_i);
		memory[at] = values[at % COUNT(values)];
		if (!open_cache(&h))
			continue;
		put_frame(row, &frame);
		ck_assert(!hotspot_find_rule(&h, row->pc, &frame, &rule) || rule.cfa.offset > 0);
	}
	/* a map that leads nowhere costs so many reads for all frames together */
	make_cache(_i);
	ck_assert(open_cache(&h));
	put_frame(row, &frame);
	ck_assert_uint_eq(h.hops_left, HOTSPOT_HOPS);
	h.hops_left = 3;
	for (unsigned i = 0; i < 10; i++)
		ck_assert(!hotspot_find_rule(&h, row->pc, &frame, &rule) || i == 0);
}
END_TEST

START_TEST(needs_all_fields)
{
	struct hotspot h;

	for (size_t skipped = 1; skipped < 16; skipped++) {
		make_cache(_i);
		put(TABLES + 48 * skipped, put_text("Other"), 8);
		ck_assert_msg(!open_cache(&h), "%zu", skipped);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hotspot");
	TCase *tests = tcase_create("hotspot");

	tcase_add_loop_test(tests, finds_compiled_frames, 0, COUNT(rows));
	tcase_add_test(tests, finds_interpreted_frames);
	tcase_add_loop_test(tests, leaves_innermost_stubs, 0, 2);
	tcase_add_loop_test(tests, survives_damage, 0, 2);
	tcase_add_loop_test(tests, needs_all_fields, 0, 2);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
