/* SPDX-License-Identifier: MIT */
/* An invariant that does not hold stops the process in builds that check them, and in no other. */
#include "unit.h"

#include "base/invariant.h"

#include <signal.h>
#include <stdlib.h>

#ifdef CAIRN_INVARIANTS
START_TEST(a_condition_that_holds_does_nothing)
{
	int calls = 0;

	INVARIANT(++calls == 1);
	ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(one_that_does_not_stops_the_process)
{
	volatile size_t index = 3, count = 3;

	INVARIANT(index < count);
}
END_TEST
#else
START_TEST(nothing_is_evaluated)
{
	int calls = 0;

	INVARIANT(++calls == 2);
	ck_assert_int_eq(calls, 0);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("invariant");
	TCase *tc = tcase_create("all");

#ifdef CAIRN_INVARIANTS
	tcase_add_test(tc, a_condition_that_holds_does_nothing);
	tcase_add_test_raise_signal(tc, one_that_does_not_stops_the_process, SIGABRT);
#else
	tcase_add_test(tc, nothing_is_evaluated);
#endif
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
