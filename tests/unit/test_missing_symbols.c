/* SPDX-License-Identifier: MIT */
/* The line about modules without symbols: names, places, and what helps. */
#include "unit.h"

#include <stdlib.h>

struct line {
	char text[512];
	size_t size, names; /* pieces that were bytes of a name */
};

static void take_piece(void *context, const char *bytes, size_t size, bool is_name)
{
	struct line *line = context;

	ck_assert_uint_lt(line->size + size, sizeof(line->text));
	memcpy(line->text + line->size, bytes, size);
	line->size += size;
	line->text[line->size] = '\0';
	line->names += is_name;
}

static const struct cairn_missing_module modules[] = {
	{ BYTES("/bin/x"), 0x1000, BYTES("\xab\x01") },
	{ BYTES(""), 0x2000, BYTES("") },
};

static const struct {
	size_t first, named, count;
	const char *directories, *servers;
	bool asks;
	size_t names;
	const char *line;
} rows[] = {
	{ 0, 1, 1, NULL, NULL, true, 1,
	  "no symbols for /bin/x (build ID ab01): none beside it, in /usr/lib/debug or in the "
	  "cache; by "
	  "hand" },
	{ 0, 2, 2, "--folder", "https://example", true, 1,
	  "no symbols for /bin/x (build ID ab01), the module at 0x2000 (no build ID): none beside "
	  "them, "
	  "in --folder, in /usr/lib/debug or in the cache; by servers" },
	{ 0, 1, 4, NULL, "https://example", false, 1,
	  "no symbols for /bin/x (build ID ab01) and 3 more: none beside them, in /usr/lib/debug "
	  "or in "
	  "the cache; by hand" },
	{ 1, 1, 1, NULL, "https://example", true, 0,
	  "no symbols for the module at 0x2000 (no build ID): none beside it, in /usr/lib/debug or "
	  "in "
	  "the cache; without ID" },
	{ 0, 1, 1, NULL, "", true, 1,
	  "no symbols for /bin/x (build ID ab01): none beside it, in /usr/lib/debug or in the "
	  "cache; by "
	  "hand" },
};

START_TEST(says_what_is_missing)
{
	struct cairn_missing_symbols missing = CAIRN_MISSING_SYMBOLS;
	struct line line = { .size = 0 };

	if (rows[_i].servers)
		setenv("DEBUGINFOD_URLS", rows[_i].servers, 1);
	else
		unsetenv("DEBUGINFOD_URLS");
	missing.modules = modules + rows[_i].first;
	missing.module_count = rows[_i].named;
	missing.count = rows[_i].count;
	missing.directories = rows[_i].directories;
	missing.without_id = "without ID";
	missing.by_servers = rows[_i].asks ? "by servers" : NULL;
	missing.by_hand = "by hand";
	missing.write = take_piece;
	missing.context = &line;
	cairn_missing_symbols_write(&missing);
	ck_assert_str_eq(line.text, rows[_i].line);
	ck_assert_uint_eq(line.names, rows[_i].names);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("missing symbols");
	TCase *lines = tcase_create("lines");

	tcase_add_loop_test(lines, says_what_is_missing, 0, COUNT(rows));
	suite_add_tcase(s, lines);
	return unit_run(s);
}
