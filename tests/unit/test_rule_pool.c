/* SPDX-License-Identifier: MIT */
/* Tests that the rule pool shares equal unwind rules and keeps different ones apart. */
#include "unwind/tables/sframe_rules.h"

#include "unit.h"

static struct cairn_rule rule_of(int64_t cfa, int64_t fp)
{
	return (struct cairn_rule){
		.cfa = { CAIRN_REGISTER_VALUE, 7, cfa },
		.ra = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -8 },
		.fp = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, fp },
		.machine = CAIRN_MACHINE_AMD64,
	};
}

START_TEST(equal_rules_share_a_number)
{
	struct rule_pool shapes = { 0 };
	uint32_t number;

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1000; i++) {
			struct cairn_rule rule = rule_of(8 * i, -16);
			rule.start = (uint64_t)round; /* ranges do not count */
			rule.function = i;
			ck_assert(rule_pool_add(&shapes, &rule, &number));
			ck_assert_uint_eq(number, i);
			ck_assert_int_eq(shapes.rules[number].cfa.offset, 8 * i);
		}
	ck_assert_uint_eq(shapes.count, 1000);
	rule_pool_finish(&shapes);
}
END_TEST

/* Each of these differs from the plain rule in one thing. */
static struct cairn_rule variant(int i)
{
	struct cairn_rule rule = rule_of(16, -16);

	rule.cfa.kind = i == 1 ? CAIRN_REGISTER_MEMORY : rule.cfa.kind;
	rule.cfa.base = i == 2 ? 6 : rule.cfa.base;
	rule.cfa.offset = i == 3 ? 24 : rule.cfa.offset;
	rule.ra.kind = i == 4 ? CAIRN_REGISTER_SAME_VALUE : rule.ra.kind;
	rule.ra.base = i == 5 ? 1 : rule.ra.base;
	rule.ra.offset = i == 6 ? -16 : rule.ra.offset;
	rule.fp.kind = i == 7 ? CAIRN_REGISTER_SAME_VALUE : rule.fp.kind;
	rule.fp.base = i == 8 ? 1 : rule.fp.base;
	rule.fp.offset = i == 9 ? -24 : rule.fp.offset;
	rule.machine = i == 10 ? CAIRN_MACHINE_S390X : rule.machine;
	rule.outermost = i == 11;
	rule.signal = i == 12;
	rule.trampoline = i == 13;
	rule.mangled = i == 14;
	rule.key_b = i == 15;
	rule.patched = i == 16;
	return rule;
}

START_TEST(every_difference_counts)
{
	struct rule_pool shapes = { 0 };
	uint32_t number;

	for (int round = 0; round < 2; round++)
		for (int i = 0; i <= 16; i++) {
			struct cairn_rule rule = variant(i);
			ck_assert(rule_pool_add(&shapes, &rule, &number));
			ck_assert_uint_eq(number, (uint32_t)i);
		}
	rule_pool_finish(&shapes);
}
END_TEST

START_TEST(the_number_of_shapes_is_bounded)
{
	struct rule_pool shapes = { 0 };
	uint32_t number, refused = 0;

	for (uint32_t i = 0; i < RULE_POOL_MAX + 100; i++) {
		struct cairn_rule rule = rule_of(8 * (int64_t)i, -8 * (int64_t)(i % 7));
		ck_assert(rule_pool_add(&shapes, &rule, &number));
		refused += number == RULE_POOL_NONE;
	}
	ck_assert_uint_eq(shapes.count, RULE_POOL_MAX);
	ck_assert_uint_eq(refused, 100);
	struct cairn_rule known = rule_of(0, 0);
	ck_assert(rule_pool_add(&shapes, &known, &number));
	ck_assert_uint_eq(number, 0);
	rule_pool_finish(&shapes);
}
END_TEST

/* Rules that differ only in what the hash does not see all fall on one slot. */
START_TEST(collisions_stay_cheap)
{
	struct rule_pool shapes = { 0 };
	uint32_t number, refused = 0;

	for (uint32_t i = 0; i < 2000; i++) {
		struct cairn_rule rule = rule_of(8, -16);
		rule.ra.base = (uint16_t)i;
		ck_assert(rule_pool_add(&shapes, &rule, &number));
		refused += number == RULE_POOL_NONE;
		if (number != RULE_POOL_NONE)
			ck_assert_uint_eq(shapes.rules[number].ra.base, i);
	}
	ck_assert_uint_gt(refused, 1000);
	ck_assert_uint_lt(shapes.count, 1000);
	rule_pool_finish(&shapes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shapes");
	TCase *shapes = tcase_create("shapes");

	tcase_set_timeout(shapes, 60);
	tcase_add_test(shapes, equal_rules_share_a_number);
	tcase_add_test(shapes, every_difference_counts);
	tcase_add_test(shapes, the_number_of_shapes_is_bounded);
	tcase_add_test(shapes, collisions_stay_cheap);
	suite_add_tcase(suite, shapes);
	return unit_run(suite);
}
