/* SPDX-License-Identifier: MIT */
/* Tests bytes that are taken apart, and their order. */
#include "base/bytes.h"
#include "unit.h"

static struct cairn_bytes make_bytes(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

static const struct {
	const char *text, *first, *rest; /* up to ';', and after it */
} parts[] = {
	{ "a;b;c", "a", "b;c" }, { ";b", "", "b" }, { "a;", "a", "" },
	{ "a", "a", "" },        { ";", "", "" },   { "", "", "" },
};

START_TEST(takes_a_part)
{
	struct cairn_bytes rest = make_bytes(parts[_i].text);

	ck_assert(bytes_are(bytes_before(rest, ';'), parts[_i].first));
	ck_assert(bytes_are(bytes_take_part(&rest, ';'), parts[_i].first));
	ck_assert(bytes_are(rest, parts[_i].rest));
}
END_TEST

START_TEST(takes_nothing_of_nothing)
{
	struct cairn_bytes rest = { NULL, 0 };

	ck_assert_uint_eq(bytes_before(rest, '\n').size, 0);
	ck_assert_uint_eq(bytes_take_part(&rest, '\n').size, 0);
	ck_assert_uint_eq(bytes_trim(rest, BYTES_WHITE, BYTES_WHITE).size, 0);
	ck_assert_ptr_null(rest.data);
}
END_TEST

static const struct {
	const char *text, *left, *right, *trimmed;
} trims[] = {
	{ " \ta b\r ", " \t", " \t\r", "a b" },
	{ " a ", "", " ", " a" },
	{ " a ", " ", "", "a " },
	{ "\n\n", "", "\n", "" },
	{ "   ", " ", "", "" },
	{ "\v\fa\n\r", BYTES_WHITE, BYTES_WHITE, "a" },
	{ "", " ", " ", "" },
};

START_TEST(trims_both_ends)
{
	const struct cairn_bytes text = make_bytes(trims[_i].text);

	ck_assert(bytes_are(bytes_trim(text, trims[_i].left, trims[_i].right), trims[_i].trimmed));
}
END_TEST

/* The zero at the end of a list of characters is none of them. */
START_TEST(keeps_zeros)
{
	static const uint8_t bytes[] = { ' ', 0, 'a', 0, ' ' };
	const struct cairn_bytes text = bytes_trim((struct cairn_bytes){ bytes, 5 }, " ", " ");

	ck_assert_ptr_eq(text.data, bytes + 1);
	ck_assert_uint_eq(text.size, 3);
}
END_TEST

START_TEST(orders)
{
	ck_assert_int_lt(bytes_order(make_bytes("a"), make_bytes("b")), 0);
	ck_assert_int_lt(bytes_order(make_bytes("a"), make_bytes("aa")), 0);
	ck_assert_int_gt(bytes_order(make_bytes("\xff"), make_bytes("a")), 0);
	ck_assert_int_eq(bytes_order(make_bytes("a"), make_bytes("a")), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bytes");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, takes_a_part, 0, COUNT(parts));
	tcase_add_test(tc, takes_nothing_of_nothing);
	tcase_add_loop_test(tc, trims_both_ends, 0, COUNT(trims));
	tcase_add_test(tc, keeps_zeros);
	tcase_add_test(tc, orders);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
