/* SPDX-License-Identifier: MIT */
/* Code followed without a target: where exceptions go on, what is asked for, and the bounds. */
#include "unwind/step/flow.h"

#include "unit.h"

#include "base/encoding.h"

#define START 0x1000ull
#define OPEN "4883ec28 48895c2408 31db e800000000 488b5c2408 " /* rbx saved, a call, restored */

static struct flow *flow;

static void setup(void)
{
	flow = malloc(sizeof(*flow));
	ck_assert_ptr_nonnull(flow);
}

static void teardown(void)
{
	free(flow);
}

static size_t decode_text(const char *text, uint8_t *code)
{
	size_t size = 0, fault;

	ck_assert(hex_decode((struct cairn_bytes){ (const uint8_t *)text, strlen(text) }, code,
	                     &size, &fault));
	return size;
}

/* One piece, with the rows of `sub $0x28,%rsp` at its start. */
static void lend_text(const char *text, bool catches)
{
	uint8_t code[256];
	size_t size = decode_text(text, code);

	flow_begin(flow, catches);
	uint8_t *buffer = flow_piece(flow, START, (uint32_t)size);
	ck_assert_ptr_nonnull(buffer);
	memcpy(buffer, code, size);
	flow_row(flow, (struct flow_row){ 0, AMD64_RSP, 8 });
	flow_row(flow, (struct flow_row){ 4, AMD64_RSP, 48 });
	ck_assert(flow_close_piece(flow));
}

static int where_rbx(uint32_t at)
{
	uint32_t count;
	const struct flow_fact *fact = flow_facts(flow, 0, &count);

	while (count > 1 && fact[1].start <= at) {
		fact++;
		count--;
	}
	return fact->where[0];
}

static const struct {
	const char *name, *code;
	bool catches;
	uint32_t at;
	int rbx;
} rows[] = {
	{ "behind a call, nothing is caught", OPEN "e800000000 90 0f0b", false, 26, FLOW_SAME },
	{ "behind a call, from one where it is saved", OPEN "e800000000 90 0f0b", true, 26,
	  FLOW_UNKNOWN },
	{ "the call itself", OPEN "e800000000 90 0f0b", true, 11, -5 },
	{ "where nothing leads, nothing is caught", OPEN "0f0b 90 0f0b", false, 23, FLOW_UNKNOWN },
	{ "where nothing leads", OPEN "0f0b 90 0f0b", true, 23, -5 },
};

START_TEST(exceptions_go_on)
{
	lend_text(rows[_i].code, rows[_i].catches);
	ck_assert_int_eq(flow_run(flow), FLOW_DONE);
	ck_assert_msg(where_rbx(rows[_i].at) == rows[_i].rbx, "%s: %d", rows[_i].name,
	              where_rbx(rows[_i].at));
}
END_TEST

/* What lies outside is asked for once; refused, it is another function. */
START_TEST(asks_for_what_lies_outside)
{
	lend_text("4883ec28 7510 90 e900010000", false);
	ck_assert_int_eq(flow_run(flow), FLOW_NEEDS_PIECE);
	ck_assert_uint_eq(flow->wanted.va, START + 6 + 0x10);
	flow_reject(flow);
	ck_assert_int_eq(flow_run(flow), FLOW_NEEDS_PIECE);
	ck_assert_uint_eq(flow->wanted.va, START + 12 + 0x100);
	flow_reject(flow);
	ck_assert_int_eq(flow_run(flow), FLOW_DONE);
}
END_TEST

/*
 * Two switches, whose tables of distances touch: what follows the first table's last entry belongs to the
 * second table, and leads to other places, if one counts from the first table.
 *
 *	sub $0x28,%rsp; jump by the first table
 *	c1: mov %rbx,8(%rsp); xor %ebx,%ebx; jump by the second table
 *	c2: mov 8(%rsp),%rbx
 *	c3: add $0x28,%rsp; ret
 */
#define JUMP_BY_TABLE(distance) "488d15" distance "000000 486304ba 4801d0 ffe0 "
enum { C1 = 0x14, C2 = 0x2b, C3 = 0x30, SWITCHES_RETURN = 0x34, TABLE = 0x40, TABLE_2 = 0x48 };

static void lend_switches(void)
{
	uint8_t code[64];
	size_t size = decode_text("4883ec28 " JUMP_BY_TABLE("35") "48895c2408 31db " JUMP_BY_TABLE(
					  "26") "488b5c2408 4883c428 c3",
	                          code);

	flow_begin(flow, false);
	uint8_t *buffer = flow_piece(flow, START, (uint32_t)size);
	ck_assert_ptr_nonnull(buffer);
	memcpy(buffer, code, size);
	flow_row(flow, (struct flow_row){ 0, AMD64_RSP, 8 });
	flow_row(flow, (struct flow_row){ 4, AMD64_RSP, 48 });
	flow_row(flow, (struct flow_row){ SWITCHES_RETURN, AMD64_RSP, 8 });
	ck_assert(flow_close_piece(flow));
}

START_TEST(tables_end_where_others_begin)
{
	lend_switches();
	ck_assert_int_eq(flow_run(flow), FLOW_NEEDS_TABLE);
	ck_assert_uint_eq(flow->wanted.va, START + TABLE);
	ck_assert(flow_target(flow, START + C1));
	ck_assert(flow_target(flow, START + C3));
	ck_assert(flow_target(flow, START + C2)); /* by the second table's first entry */
	ck_assert_int_eq(flow_run(flow), FLOW_NEEDS_TABLE);
	ck_assert_uint_eq(flow->wanted.va, START + TABLE_2);
	ck_assert(flow_target(flow, START + C2));
	ck_assert_int_eq(flow_run(flow), FLOW_DONE);
	ck_assert_int_eq(where_rbx(C1 + 7), -5);
	ck_assert_int_eq(where_rbx(C3), FLOW_SAME);
}
END_TEST

/* The other way round: the second table is known when the first one is read. */
START_TEST(tables_stop_at_others)
{
	lend_switches();
	ck_assert_int_eq(flow_run(flow), FLOW_NEEDS_TABLE);
	flow->wanted.va = START + TABLE_2;
	ck_assert(flow_target(flow, START + C2));
	ck_assert_int_eq(flow_run(flow), FLOW_NEEDS_TABLE);
	ck_assert_uint_eq(flow->wanted.va, START + TABLE);
	ck_assert(flow_target(flow, START + C1));
	ck_assert(flow_target(flow, START + C3));
	ck_assert(!flow_target(flow, START + C2));
	ck_assert_int_eq(flow_run(flow), FLOW_DONE);
	ck_assert_int_eq(where_rbx(C1 + 7), -5);
}
END_TEST

/* More places to jump to than there are states: nothing is known, and it ends. */
START_TEST(has_bounds)
{
	uint32_t size = 4 * (FLOW_STATES + 2);

	flow_begin(flow, false);
	uint8_t *code = flow_piece(flow, START, size);
	ck_assert_ptr_nonnull(code);
	for (uint32_t at = 0; at < size; at += 4)
		memcpy(code + at, "\x75\x00\x75\xfe", 4);
	flow_row(flow, (struct flow_row){ 0, AMD64_RSP, 8 });
	ck_assert(flow_close_piece(flow));
	ck_assert_int_eq(flow_run(flow), FLOW_FAILED);
	ck_assert_ptr_null(flow_piece(flow, 0x900000, FLOW_CODE));
	ck_assert_uint_le(flow->steps, FLOW_STEPS + FLOW_INSTRUCTIONS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flow");
	TCase *tcase = tcase_create("flow");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, exceptions_go_on, 0, COUNT(rows));
	tcase_add_test(tcase, asks_for_what_lies_outside);
	tcase_add_test(tcase, tables_end_where_others_begin);
	tcase_add_test(tcase, tables_stop_at_others);
	tcase_add_test(tcase, has_bounds);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
