/* SPDX-License-Identifier: MIT */
/* Languages of units, by the codes of the DWARF committee's list. */
#include "unit.h"

#include "debuginfo/dwarf/dies.h"

START_TEST(knows_c_and_its_children)
{
	static const uint64_t c[] = { 0x01, 0x02, 0x0c, 0x1d, 0x2c };
	static const uint64_t cplusplus[] = { 0x04, 0x11, 0x19, 0x1a, 0x21, 0x2a, 0x2b };

	for (size_t i = 0; i < COUNT(c); i++)
		ck_assert(dies_is_c(c[i]) && !dies_is_cplusplus(c[i]) && !dies_is_rust(c[i]));
	for (size_t i = 0; i < COUNT(cplusplus); i++)
		ck_assert(dies_is_cplusplus(cplusplus[i]) && !dies_is_c(cplusplus[i]) &&
		          !dies_is_rust(cplusplus[i]));
	ck_assert(dies_is_rust(0x1c) && !dies_is_c(0x1c) && !dies_is_cplusplus(0x1c));
	ck_assert(!dies_is_c(0x16) && !dies_is_cplusplus(0x16)); /* Go */
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
