/* SPDX-License-Identifier: MIT */
/* Languages of units, by the codes of the DWARF committee's list. */
#include "unit.h"

#include "debuginfo/dies.h"

/* Is it in this set, and in no other one? */
static bool is_only_in(uint64_t language, enum dies_languages set)
{
	for (int i = DIES_C; i <= DIES_RUST; i++)
		if (dies_is_in(language, (enum dies_languages)i) != (i == (int)set))
			return false;
	return true;
}

START_TEST(knows_c_and_its_children)
{
	static const uint64_t c[] = { 0x01, 0x02, 0x0c, 0x1d, 0x2c };
	static const uint64_t cplusplus[] = { 0x04, 0x11, 0x19, 0x1a, 0x21, 0x2a, 0x2b };

	for (size_t i = 0; i < COUNT(c); i++)
		ck_assert(is_only_in(c[i], DIES_C));
	for (size_t i = 0; i < COUNT(cplusplus); i++)
		ck_assert(is_only_in(cplusplus[i], DIES_CPLUSPLUS));
	ck_assert(is_only_in(0x1c, DIES_RUST));
	ck_assert(!dies_is_in(0x16, DIES_C) && !dies_is_in(0x16, DIES_CPLUSPLUS)); /* Go */
	ck_assert(!dies_is_in(64 + 1, DIES_C)); /* more than bits */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("languages");
	TCase *tests = tcase_create("languages");

	tcase_add_test(tests, knows_c_and_its_children);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
