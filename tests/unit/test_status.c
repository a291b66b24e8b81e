/* SPDX-License-Identifier: MIT */
/* Tests that every enumerator that has a name or a phrase has a valid one. */
#include "unit.h"

#include <ctype.h>
#include <stdio.h>

/* A name for scripts: lower-case words with hyphens. */
static bool is_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!islower((unsigned char)*p) && *p != '-')
			return false;
	return *name && *name != '-';
}

/* A phrase for people: begins lower-case or with an abbreviation, and ends without a full stop. */
static bool is_phrase(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && isalpha((unsigned char)text[0]) && text[length - 1] != '.';
}

START_TEST(every_outcome_has_words)
{
	enum cairn_status status = (enum cairn_status)_i;

	ck_assert(is_phrase(cairn_status_text(status)));
	ck_assert(is_name(cairn_status_name(status)));
	ck_assert_str_ne(cairn_status_name(status), "unknown");
	for (int other = 0; other < _i; other++) {
		ck_assert_str_ne(cairn_status_text((enum cairn_status)other),
		                 cairn_status_text(status));
		ck_assert_str_ne(cairn_status_name((enum cairn_status)other),
		                 cairn_status_name(status));
	}
}
END_TEST

START_TEST(every_stop_has_words)
{
	enum cairn_stop stop = (enum cairn_stop)_i;

	ck_assert(is_phrase(cairn_stop_text(stop)));
	ck_assert(is_name(cairn_stop_name(stop)));
	ck_assert_str_ne(cairn_stop_name(stop), "unknown");
	for (int other = 0; other < _i; other++) {
		ck_assert_str_ne(cairn_stop_text((enum cairn_stop)other), cairn_stop_text(stop));
		ck_assert_str_ne(cairn_stop_name((enum cairn_stop)other), cairn_stop_name(stop));
	}
}
END_TEST

START_TEST(every_method_has_a_name)
{
	const char *name = cairn_unwind_method_name((enum cairn_unwind_method)_i);

	ck_assert(is_name(name));
	ck_assert_str_ne(name, "unknown");
}
END_TEST

START_TEST(every_loss_has_a_name)
{
	ck_assert(is_name(cairn_sframe_loss_name((enum cairn_sframe_loss)_i)));
}
END_TEST

START_TEST(what_is_no_enumerator_is_unknown)
{
	ck_assert_str_eq(cairn_status_name((enum cairn_status)1000), "unknown");
	ck_assert_str_eq(cairn_unwind_method_name((enum cairn_unwind_method)1000), "unknown");
	ck_assert_str_eq(cairn_sframe_loss_name(CAIRN_SFRAME_LOSSES), "?");
}
END_TEST

START_TEST(version_is_the_project_s)
{
	char header[64];

	ck_assert_str_eq(cairn_version(), CAIRN_VERSION);
	snprintf(header, sizeof(header), "%d.%d.%d", CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR,
	         CAIRN_VERSION_PATCH);
	ck_assert_str_eq(cairn_version(), header);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("status");
	TCase *status = tcase_create("status");

	tcase_add_loop_test(status, every_outcome_has_words, 0, CAIRN_LIMIT + 1);
	tcase_add_loop_test(status, every_stop_has_words, 0, CAIRN_STOP_RA_IMPLAUSIBLE + 1);
	tcase_add_loop_test(status, every_method_has_a_name, 0, CAIRN_UNWIND_METHOD_LINK + 1);
	tcase_add_loop_test(status, every_loss_has_a_name, 0, CAIRN_SFRAME_LOSSES);
	tcase_add_test(status, what_is_no_enumerator_is_unknown);
	tcase_add_test(status, version_is_the_project_s);
	suite_add_tcase(suite, status);
	return unit_run(suite);
}
