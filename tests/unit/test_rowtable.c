/* SPDX-License-Identifier: MIT */
/* Tests row tables: what is written is read back, and each check of the reader refuses one damaged byte. */
#include "unit.h"

#include "base/rule_places.h"
#include "formats/rowtable.h"

enum { SIZE = ROWTABLE_HEADER + 16 + 3 * ROWTABLE_ROW, FIRST = ROWTABLE_HEADER + 16 };

static const uint8_t id[] = { 1, 2, 3, 4 };

/* Rows of 16 bytes at 0x1000, of 16 at 0x1010, and none from there on. */
static const struct cairn_rule written[] = {
	{ .cfa = { CAIRN_REGISTER_VALUE, 7, 8 },
	  .ra = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -8 },
	  .fp = { .kind = CAIRN_REGISTER_SAME_VALUE },
	  .signal = true },
	{ .cfa = { CAIRN_REGISTER_MEMORY, 6, -0x12345 },
	  .ra = { CAIRN_REGISTER_VALUE, 16, 0 },
	  .fp = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -0x1234 } },
};

static void write_table(bool big, uint8_t bytes[SIZE])
{
	const struct rowtable table = { .big = big,
		                        .machine = CAIRN_MACHINE_AARCH64,
		                        .base = 0x1000,
		                        .rows = 3,
		                        .rows_at = FIRST,
		                        .build_id = { id, sizeof(id) } };
	struct sink out = sink_open(bytes, SIZE);

	rowtable_write_head(&out, &table);
	rowtable_write_row(&out, big, 0, &written[0]);
	rowtable_write_row(&out, big, 16, &written[1]);
	rowtable_write_row(&out, big, 32, NULL);
	ck_assert_uint_eq(out.size, SIZE);
}

START_TEST(reads_back)
{
	uint8_t bytes[SIZE];
	struct rowtable table;
	struct cairn_fault fault;
	struct cairn_rule rule;

	write_table(_i, bytes);
	ck_assert_int_eq(
		rowtable_open(unit_exact((struct cairn_bytes){ bytes, SIZE }), &table, &fault),
		CAIRN_OK);
	ck_assert_uint_eq(table.build_id.size, sizeof(id));
	ck_assert_mem_eq(table.build_id.data, id, sizeof(id));
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(rowtable_find(&table, 0x1000 + 16 * i + 15, &rule), CAIRN_OK);
		ck_assert(rule_has_same_locations(&rule, &written[i]));
		ck_assert(rule.signal == written[i].signal && !rule.outermost);
		ck_assert_uint_eq(rule.start, 0x1000 + 16 * i);
		ck_assert_uint_eq(rule.end, 0x1010 + 16 * i);
	}
	ck_assert_int_eq(rowtable_find(&table, 0xfff, &rule), CAIRN_NOT_FOUND);
	ck_assert_int_eq(rowtable_find(&table, 0x1020, &rule), CAIRN_NOT_FOUND);
	ck_assert_int_eq(rowtable_find(&table, UINT64_MAX, &rule), CAIRN_NOT_FOUND);
}
END_TEST

/* One byte of the little-endian table is another; the fault is at `fault`. */
static const struct {
	size_t at;
	uint8_t byte;
	enum cairn_status status;
	size_t fault;
} damages[] = {
	{ 0, 'X', CAIRN_MALFORMED, 0 },
	{ 8, 2, CAIRN_UNSUPPORTED, 8 },
	{ 12, 3, CAIRN_UNSUPPORTED, 12 },
	{ 24, 4, CAIRN_TRUNCATED, 24 },
	{ 31, 1, CAIRN_TRUNCATED, 24 },
	{ 32, FIRST + 8, CAIRN_MALFORMED, 32 },
	{ 32, ROWTABLE_HEADER, CAIRN_MALFORMED, 32 },
	{ 36, 65, CAIRN_MALFORMED, 36 },
	{ 40, 1, CAIRN_UNSUPPORTED, 40 },
	{ FIRST + 4, 0x41, CAIRN_UNSUPPORTED, FIRST + 4 },
	{ FIRST + 5, 32, CAIRN_UNSUPPORTED, FIRST + 5 },
	{ FIRST + 6, 4, CAIRN_UNSUPPORTED, FIRST + 6 },
	{ FIRST + 7, 4, CAIRN_UNSUPPORTED, FIRST + 6 },
	{ FIRST + 16, 0, CAIRN_MALFORMED, FIRST + 16 },
	{ FIRST + 32, 16, CAIRN_MALFORMED, FIRST + 32 },
};

START_TEST(refuses_damage)
{
	uint8_t bytes[SIZE];
	struct rowtable table;
	struct cairn_fault fault;

	write_table(false, bytes);
	bytes[damages[_i].at] = damages[_i].byte;
	ck_assert_int_eq(
		rowtable_open(unit_exact((struct cairn_bytes){ bytes, SIZE }), &table, &fault),
		damages[_i].status);
	ck_assert_uint_eq(fault.offset, damages[_i].fault);
}
END_TEST

START_TEST(refuses_the_end_of_the_address_space)
{
	uint8_t bytes[SIZE];
	struct rowtable table;
	struct cairn_fault fault;

	write_table(false, bytes);
	memset(bytes + 16, 0xff, 8);
	bytes[16] = 0xdf; /* the last row begins at the last address */
	ck_assert_int_eq(rowtable_open((struct cairn_bytes){ bytes, SIZE }, &table, &fault),
	                 CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, 16);
	bytes[16] = 0xde;
	ck_assert_int_eq(rowtable_open((struct cairn_bytes){ bytes, SIZE }, &table, &fault),
	                 CAIRN_OK);
}
END_TEST

/* What a row cannot say, and why. */
START_TEST(says_what_fits)
{
	struct cairn_rule rule = written[0];
	enum cairn_sframe_loss loss;

	ck_assert(rowtable_can_say(&rule, &loss));
	rule.ra.offset = INT16_MIN - 1;
	ck_assert(!rowtable_can_say(&rule, &loss) && loss == CAIRN_SFRAME_LOSS_OFFSET);
	rule = written[0];
	rule.fp = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, 7, 0 };
	ck_assert(!rowtable_can_say(&rule, &loss) && loss == CAIRN_SFRAME_LOSS_FP);
	rule = written[0];
	rule.ra = (struct cairn_register_rule){ CAIRN_REGISTER_VALUE, 5, 8 };
	ck_assert(!rowtable_can_say(&rule, &loss) && loss == CAIRN_SFRAME_LOSS_RA);
	rule = written[0];
	rule.cfa.base = CAIRN_BASE_CFA;
	ck_assert(!rowtable_can_say(&rule, &loss) && loss == CAIRN_SFRAME_LOSS_CFA);
	rule.outermost = true;
	ck_assert(rowtable_can_say(&rule, &loss));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rowtable");
	TCase *tcase = tcase_create("rowtable");

	tcase_add_loop_test(tcase, reads_back, 0, 2);
	tcase_add_loop_test(tcase, refuses_damage, 0, COUNT(damages));
	tcase_add_test(tcase, refuses_the_end_of_the_address_space);
	tcase_add_test(tcase, says_what_fits);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
