/* SPDX-License-Identifier: MIT */
/* Tests which of a few words is taken for the one that somebody meant. */
#include "base/names.h"
#include "unit.h"

#include <string.h>

static const char *const words[] = { "bt",       "cache",   "markup", "sframe",
	                             "symbfile", "symbols", "where" };

static const struct {
	const char *typed;
	const char *meant; /* NULL: none of them is near */
} rows[] = {
	{ "makrup", "markup" },  /* neighbours exchanged */
	{ "markups", "markup" }, /* one too many */
	{ "marup", "markup" },   /* one missing */
	{ "merkup", "markup" },  /* one wrong */
	{ "symbol", "symbols" }, /* a beginning */
	{ "wh", "where" },       /* a short one */
	{ "symb", "symbfile" },  /* of two the first */
	{ "frame", "sframe" },   /* the first one missing */
	{ "whrere", "where" },
	{ "ct", "bt" },
	{ "tb", "bt" },
	{ "markup", "markup" },
	{ "xy", NULL },
	{ "w", NULL },
	{ "", NULL },
	{ "dwarf", NULL },
	{ "kramup", NULL },
	{ "Markup", "markup" },
	{ "\n\n\n\n", NULL },
	{ "a-word-that-is-longer-than-any-that-is-compared", NULL },
};

START_TEST(finds)
{
	struct similar_word word = similar_word_start(rows[_i].typed, strlen(rows[_i].typed));

	for (size_t i = 0; i < COUNT(words); i++)
		similar_word_offer(&word, words[i]);
	if (rows[_i].meant)
		ck_assert_msg(word.best && strcmp(word.best, rows[_i].meant) == 0, "%s: %s",
		              rows[_i].typed, word.best ? word.best : "none");
	else
		ck_assert_msg(!word.best, "%s: %s", rows[_i].typed, word.best);
}
END_TEST

/* What is typed ends where its length says. */
START_TEST(reads_no_further)
{
	struct similar_word word = similar_word_start("wherever", 4);

	similar_word_offer(&word, "where");
	ck_assert_ptr_nonnull(word.best);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("similar_word");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, finds, 0, COUNT(rows));
	tcase_add_test(tc, reads_no_further);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
