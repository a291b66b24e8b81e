/* SPDX-License-Identifier: MIT */
/*
 * Tests rules for code of HotSpot by a made code cache: with the structures of JDK 17 and those of JDK 25, whole and
 * with each byte changed.
 */
#include "unit.h"

#include "fixture_hotspot.h"

#include "process/stacks/hotspot.h"

enum { RBP = 6, RSP = 7, R13 = 13 };

static struct fixture_hotspot cache;

static bool open_cache(struct hotspot *h)
{
	const struct snapshot_module module = fixture_hotspot_module();
	const struct cairn_target target = fixture_hotspot_target(&cache);

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
	{ "a caller", JVM_COMPILED + JVM_BODY + 64, "|", false, 5, 48, true },
	{ "its first instruction", JVM_COMPILED + JVM_BODY, "|", false, 5, 48, true },
	{ "past the frame's code", JVM_COMPILED + 0x300, "|", false, 5, 0, false },
	{ "stubs", JVM_STUBS + JVM_BODY, "|", false, 5, 0, false },
	{ "free memory", JVM_CODE + 0x780, "|", false, 5, 0, false },
	{ "before the heap", JVM_CODE - 1, "|", false, 5, 0, false },
	{ "after the heap", JVM_CODE + 0xc00, "|", false, 5, 0, false },
	{ "within", JVM_COMPILED + JVM_BODY + 64, "\x90|\x90", true, 5, 48, true },
	{ "within, with a pushed word", JVM_COMPILED + JVM_BODY + 64, "\x51|\x90", true, 6, 56,
	  true },
	{ "within, with the address nowhere", JVM_COMPILED + JVM_BODY + 64, "\x90|\x90", true, -1,
	  0, false },
	{ "at the entry", JVM_COMPILED + JVM_BODY, "\x90|\x55", true, 0, 8, false },
	{ "after push %rbp", JVM_COMPILED + JVM_BODY + 8, "\x55|\x48\x83\xec\x20", true, 1, 16,
	  true },
	{ "after sub $32,%rsp", JVM_COMPILED + JVM_BODY + 12, "\x48\x83\xec\x20|\x90", true, 5, 48,
	  false },
	{ "after sub of 4 bytes", JVM_COMPILED + JVM_BODY + 12, "\x48\x81\xec\x20\x10\x20\x10|\x90",
	  true, 5, 48, false },
	{ "at pop %rbp", JVM_COMPILED + JVM_BODY + 64, "\x90|\x5d\xc3", true, 1, 16, true },
	{ "at pop %rbp before a poll", JVM_COMPILED + JVM_BODY + 64,
	  "\x90|\x5d\x49\x3b\x67\x28\x0f\x87\x10\x10\x10\x10\xc3", true, 1, 16, true },
	{ "at a poll of JDK 17", JVM_COMPILED + JVM_BODY + 64,
	  "\x5d|\x49\x3b\xa7\x08\x01\x01\x01\x0f\x87\x10\x10\x10\x10\xc3", true, 0, 8, false },
	{ "at ja", JVM_COMPILED + JVM_BODY + 64, "\x28|\x0f\x87\x10\x10\x10\x10\xc3", true, 0, 8,
	  false },
	{ "at ret", JVM_COMPILED + JVM_BODY + 64, "\x5d|\xc3", true, 0, 8, false },
	{ "at pop %rbp without ret", JVM_COMPILED + JVM_BODY + 64, "\x90|\x5d\x90", true, 5, 48,
	  true },
};

static void put_frame(const struct row *row, struct cairn_registers *frame)
{
	const char *bar = strchr(row->code, '|');

	for (size_t i = 0; i < strlen(row->code); i++)
		if (row->code + i != bar && row->pc >= JVM_CODE)
			fixture_hotspot_put(&cache,
			                    row->pc - (uint64_t)(bar - row->code) + i -
			                            (row->code + i > bar),
			                    (uint8_t)row->code[i], 1);
	memset(cache.memory + (JVM_STACK - JVM_LOW), 0x11, 0x100);
	if (row->back >= 0)
		fixture_hotspot_put(&cache, JVM_STACK + 8 * (uint64_t)row->back,
		                    JVM_COMPILED + JVM_BODY + 32, 8);
	*frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64,
		                           .pc = row->innermost ? row->pc : row->pc + 1,
		                           .known = 0xffff };
	frame->value[RSP] = JVM_STACK;
	frame->value[RBP] = JVM_STACK + 0x80;
}

START_TEST(finds_compiled_frames)
{
	const struct row *row = &rows[_i];
	struct cairn_registers frame;
	struct cairn_rule rule;
	struct hotspot h;

	for (int is_new = 0; is_new < 2; is_new++) {
		fixture_hotspot_make(&cache, is_new);
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
		ck_assert_uint_eq(rule.function, JVM_COMPILED + JVM_BODY);
	}
}
END_TEST

START_TEST(finds_interpreted_frames)
{
	const struct row caller = { "", JVM_INTERPRETER + 64, "|", false, -1, 0, false },
			 innermost = { "", JVM_INTERPRETER + 64, "|", true, -1, 0, false };
	struct cairn_registers frame;
	struct cairn_rule rule;
	struct hotspot h;

	fixture_hotspot_make(&cache, true);
	ck_assert(open_cache(&h));
	put_frame(&caller, &frame);
	ck_assert(hotspot_find_rule(&h, JVM_INTERPRETER + 64, &frame, &rule));
	ck_assert(rule.cfa.kind == CAIRN_REGISTER_MEMORY && rule.cfa.base == RBP &&
	          rule.cfa.offset == -8);
	put_frame(&innermost,
	          &frame); /* who calls is not compiled: nothing is between the frames */
	ck_assert(!hotspot_find_rule(&h, frame.pc, &frame, &rule));
	fixture_hotspot_put(&cache, JVM_STACK + 0x88, JVM_COMPILED + JVM_BODY + 32, 8);
	ck_assert(hotspot_find_rule(&h, frame.pc, &frame, &rule));
	ck_assert(rule.cfa.kind == CAIRN_REGISTER_MEMORY && rule.cfa.base == RBP);
	fixture_hotspot_put(&cache, JVM_STACK, JVM_COMPILED + JVM_BODY + 32,
	                    8); /* it enters a method */
	frame.value[R13] = JVM_STACK + 24;
	ck_assert(hotspot_find_rule(&h, frame.pc, &frame, &rule));
	ck_assert(rule.cfa.kind == CAIRN_REGISTER_VALUE && rule.cfa.base == R13 &&
	          rule.ra.base == RSP);
	frame.value[R13] = JVM_STACK + 0x10000;
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

	fixture_hotspot_make(&cache, _i);
	fixture_hotspot_put(&cache, JVM_COMPILED + (_i ? JVM_HEADER_25 : JVM_HEADER_17) + 32,
	                    UINT32_MAX, _i ? 2 : 4);
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

	for (size_t at = 0; at < JVM_CODE + 0x200 - JVM_LOW; at++) {
		fixture_hotspot_make(&cache, _i);
		cache.memory[at] = values[at % COUNT(values)];
		if (!open_cache(&h))
			continue;
		put_frame(row, &frame);
		ck_assert(!hotspot_find_rule(&h, row->pc, &frame, &rule) || rule.cfa.offset > 0);
	}
	/* a map that leads nowhere costs so many reads for all frames together */
	fixture_hotspot_make(&cache, _i);
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
		fixture_hotspot_make(&cache, _i);
		fixture_hotspot_put(&cache, JVM_TABLES + 48 * skipped,
		                    fixture_hotspot_put_text(&cache, "Other"), 8);
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
