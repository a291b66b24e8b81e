/* SPDX-License-Identifier: MIT */
/* Tests what was at an address at some time, by jitdumps and perf maps. */
#include "unit.h"

#include "symbols/jit_code.h"

#include <stdio.h>
#include <string.h>

#define HEAD "DTiJ\1\0\0\0\x28\0\0\0\x3e\0\0\0\0\0\0\0\x34\x12\0\0TTTTTTTTFFFFFFFF"
#define WORD(a) a "\0\0\0\0\0\0\0"
/* `name` is three letters and a NUL */
#define LOAD(time, start, size, name)                                                           \
	"\0\0\0\0\x3c\0\0\0" WORD(time) "PPPPTTTT" WORD("\1") WORD(start) WORD(size) WORD("\0") \
		name "\0"
#define MOVE(time, old, start, size)                                             \
	"\1\0\0\0\x40\0\0\0" WORD(time) "PPPPTTTTVVVVVVVV" WORD(old) WORD(start) \
		WORD(size) "IIIIIIII"

enum { UNKNOWN = 99 };

/* `names`: at each of the times, at 10, 18 and 20 */
static const struct {
	const char *what;
	struct cairn_bytes file;
	uint64_t time;
	const char *names;
} rows[] = {
	{ "nothing", BYTES(""), 5, "? ? ? " },
	{ "a map", BYTES("10 10 abc\n20 1 def\n"), 5, "abc abc def " },
	{ "a map with one name twice", BYTES("10 10 abc\n10 10 abc\n"), 5, "abc abc ? " },
	{ "a map with two names", BYTES("10 10 abc\n10 4 def\n20 1 def\n"), 5, "? ? def " },
	{ "before the first", BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc")), 3, "? ? ? " },
	{ "from then on", BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc")), 4, "abc abc ? " },
	{ "before it was replaced",
	  BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc") LOAD("\6", "\x10", "\x10", "def")), 5,
	  "abc abc ? " },
	{ "when it was replaced",
	  BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc") LOAD("\6", "\x10", "\x10", "def")), 6,
	  "def def ? " },
	{ "no time, and it was replaced",
	  BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc") LOAD("\6", "\x10", "\x10", "def")), UNKNOWN,
	  "? ? ? " },
	{ "no time, and it was not",
	  BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc") LOAD("\6", "\x20", "\1", "def")), UNKNOWN,
	  "abc abc def " },
	{ "a part was replaced",
	  BYTES(HEAD LOAD("\4", "\x10", "\x10", "abc") LOAD("\6", "\x18", "\1", "def")), 7,
	  "? def ? " },
	{ "a long one below short ones",
	  BYTES(HEAD LOAD("\4", "\4", "\x20", "abc") LOAD("\5", "\x10", "\1", "def")
	                LOAD("\6", "\4", "\x20", "abc")),
	  7, "abc abc abc " },
	{ "before it moved",
	  BYTES(HEAD LOAD("\4", "\x10", "\4", "abc") MOVE("\6", "\x10", "\x20", "\4")), 5,
	  "abc ? ? " },
	{ "after it moved",
	  BYTES(HEAD LOAD("\4", "\x10", "\4", "abc") MOVE("\6", "\x10", "\x20", "\4")
	                LOAD("\7", "\x10", "\4", "def")),
	  7, "def ? abc " },
};

START_TEST(names_by_time)
{
	static const uint64_t places[] = { 0x10, 0x18, 0x20 };
	const uint64_t *time = rows[_i].time == UNKNOWN ? NULL : &rows[_i].time;
	struct jit_history history;
	char names[64] = "";

	ck_assert_int_eq(jit_history_read(&history, unit_exact(rows[_i].file)), CAIRN_OK);
	for (size_t i = 0; i < COUNT(places); i++) {
		const struct jit_function *f = jit_history_find(&history, places[i], time);
		strncat(names, f ? (const char *)f->name.data : "?", f ? f->name.size : 1);
		strcat(names, " ");
	}
	ck_assert_msg(strcmp(names, rows[_i].names) == 0, "%s: %s", rows[_i].what, names);
	jit_history_finish(&history);
}
END_TEST

/* A hundred thousand functions over one another, and as many questions, end, and what was not looked at has no name. */
START_TEST(ends_where_the_file_is_worth_no_more)
{
	enum {
		LENGTH = 16,
		LINES = 20000,
		/* each question looks at all lines twice */
		QUESTIONS = HISTORY_STEPS_LEAST / LINES / 2 +
		            HISTORY_STEPS_TIMES * (LENGTH + 1) / 2 + 1,
	};
	static char text[LINES * LENGTH + 1];
	struct jit_history history;
	size_t size = 0, found = 0;

	for (unsigned i = 0; i < LINES; i++)
		size += (size_t)sprintf(text + size, "%x fffff n\n", 0x100 + i);
	ck_assert_int_eq(
		jit_history_read(&history, (struct cairn_bytes){ (const uint8_t *)text, size }),
		CAIRN_OK);
	for (unsigned i = 0; i < QUESTIONS; i++)
		found += jit_history_find(&history, 0x100 + LINES, NULL) != NULL;
	ck_assert_uint_gt(found, 0);
	ck_assert_uint_lt(found, QUESTIONS);
	ck_assert(history.steps.over);
	jit_history_finish(&history);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jit_history");
	TCase *tcase = tcase_create("jit_history");

	tcase_add_loop_test(tcase, names_by_time, 0, COUNT(rows));
	tcase_add_test(tcase, ends_where_the_file_is_worth_no_more);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
