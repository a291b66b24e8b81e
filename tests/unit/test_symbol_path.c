/* SPDX-License-Identifier: MIT */
/* Where symbols of a binary are looked for, in which order. */
#include "unit.h"

#include "os/symbol_path.h"

enum { PATHS = 14 };

static const struct {
	const char *binary;
	struct cairn_bytes id;
	const char *directories, *cache, *home;
	const char *paths[PATHS];
} rows[] = {
	{ "/usr/bin/x",
	  BYTES("\xab\xcd\xef"),
	  "/one:two",
	  "/cache",
	  "/home",
	  { "/usr/bin/x.gsym", "/one/x.gsym", "two/x.gsym", "/one/.build-id/ab/cdef.gsym",
	    "two/.build-id/ab/cdef.gsym", "/one/buildid/abcdef/gsym", "two/buildid/abcdef/gsym",
	    "/one/abcdef.gsym", "two/abcdef.gsym", "/usr/lib/debug/.build-id/ab/cdef.gsym",
	    "/cache/cairn/abcdef.debuginfod.gsym", "/cache/cairn/abcdef.gsym" } },
	{ "x",
	  BYTES("\1\2"),
	  NULL,
	  NULL,
	  "/home",
	  { "x.gsym", "/usr/lib/debug/.build-id/01/02.gsym",
	    "/home/.cache/cairn/0102.debuginfod.gsym", "/home/.cache/cairn/0102.gsym" } },
	{ "x",
	  BYTES("\1\2"),
	  "",
	  "relative",
	  "/home",
	  { "x.gsym", "/usr/lib/debug/.build-id/01/02.gsym",
	    "/home/.cache/cairn/0102.debuginfod.gsym", "/home/.cache/cairn/0102.gsym" } },
	{ "x",
	  BYTES("\1\2"),
	  ":::a::",
	  NULL,
	  NULL,
	  { "x.gsym", "a/x.gsym", "a/.build-id/01/02.gsym", "a/buildid/0102/gsym", "a/0102.gsym",
	    "/usr/lib/debug/.build-id/01/02.gsym" } },
	{ "x",
	  BYTES("\1\2"),
	  NULL,
	  NULL,
	  "home",
	  { "x.gsym", "/usr/lib/debug/.build-id/01/02.gsym" } },
	{ "./x", BYTES(""), "d", "/cache", "/home", { "./x.gsym", "d/x.gsym" } },
	{ "x", BYTES("\1"), "d", "/cache", "/home", { "x.gsym", "d/x.gsym" } },
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

START_TEST(goes_over_all_places)
{
	unsigned count = 0;

	set("XDG_CACHE_HOME", rows[_i].cache);
	set("HOME", rows[_i].home);
	struct symbol_path s =
		symbol_path(rows[_i].binary, rows[_i].id, rows[_i].directories, "gsym");
	while (symbol_path_next(&s)) {
		ck_assert_uint_lt(count, PATHS);
		ck_assert_ptr_nonnull(rows[_i].paths[count]);
		ck_assert_str_eq(s.path, rows[_i].paths[count++]);
	}
	ck_assert_ptr_null(rows[_i].paths[count]);
	ck_assert(!symbol_path_next(&s));
}
END_TEST

/* Names that do not fit are left out, the others stay. */
START_TEST(leaves_out_what_is_too_long)
{
	static char directories[3 * SYMBOL_PATH_MAX];
	unsigned count = 0;

	memset(directories, 'd', 2 * SYMBOL_PATH_MAX);
	strcpy(directories + 2 * SYMBOL_PATH_MAX, ":/short");
	set("XDG_CACHE_HOME", NULL);
	set("HOME", NULL);
	struct cairn_bytes id = BYTES("\1\2");
	struct symbol_path s = symbol_path("x", id, directories, "gsym");
	const char *const expected[] = { "x.gsym",
		                         "/short/x.gsym",
		                         "/short/.build-id/01/02.gsym",
		                         "/short/buildid/0102/gsym",
		                         "/short/0102.gsym",
		                         "/usr/lib/debug/.build-id/01/02.gsym" };
	while (symbol_path_next(&s))
		ck_assert_str_eq(s.path, expected[count++]);
	ck_assert_uint_eq(count, COUNT(expected));
}
END_TEST

/* What does not tell its build is looked for by an ID alone. */
START_TEST(leaves_out_names_of_binaries)
{
	static const char *const expected[] = { "/d/.build-id/01/02.ranges", "/d/0102.ranges",
		                                "/usr/lib/debug/.build-id/01/02.ranges" };
	const struct cairn_bytes id = BYTES("\1\2");
	struct symbol_path s = symbol_path_by_id("x", id, "/d", "ranges");
	unsigned count = 0;

	set("XDG_CACHE_HOME", NULL);
	set("HOME", NULL);
	while (symbol_path_next(&s)) {
		ck_assert_uint_lt(count, COUNT(expected));
		ck_assert_str_eq(s.path, expected[count++]);
	}
	ck_assert_uint_eq(count, COUNT(expected));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symbol path");
	TCase *path = tcase_create("path");

	tcase_add_loop_test(path, goes_over_all_places, 0, COUNT(rows));
	tcase_add_test(path, leaves_out_what_is_too_long);
	tcase_add_test(path, leaves_out_names_of_binaries);
	suite_add_tcase(s, path);
	return unit_run(s);
}
