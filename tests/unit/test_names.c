/* SPDX-License-Identifier: MIT */
/* Functions, lines and variables from DWARF, and again after all of it was forgotten. */
#include "unit.h"

#include "debuginfo/lookup/names.h"
#include "os/file.h"

/* of tests/fixtures/markup/larder.c */
enum { INLINED = 0x1033, COOK = 0x1063, SHELF = 0x4014 };

static const char *const files[] = {
	FIXTURES "/markup/debug/.build-id/ca/1f0123456789ab.debug",
	FIXTURES "/markup/packed/zlib.debug",
	FIXTURES "/markup/packed/zlib-gnu.debug",
};

static bool is(struct cairn_bytes text, const char *what)
{
	return text.size == strlen(what) && memcmp(text.data, what, text.size) == 0;
}

static void check_chain(struct debuginfo_names *names, enum debuginfo_paths paths)
{
	static const char *const functions[] = { "open_jar", "reach", "fetch" };
	static const uint32_t lines[] = { 16, 21, 27 };
	struct cairn_location locations[DEBUGINFO_LOCATIONS];
	size_t count = debuginfo_names_chain(names, INLINED, paths, false, locations);

	ck_assert_uint_eq(count, COUNT(lines));
	for (size_t i = 0; i < count; i++) {
		ck_assert(is(locations[i].function, functions[i]));
		ck_assert_uint_eq(locations[i].line, lines[i]);
		ck_assert(locations[i].inlined == (i < 2));
	}
}

START_TEST(what_was_forgotten_is_read_again)
{
	struct cairn_location locations[DEBUGINFO_LOCATIONS], shelf;
	struct os_file file;
	const char *why;

	ck_assert_int_eq(os_file_open_regular(files[_i], &file), 0);
	struct debuginfo_names *names = debuginfo_names_open(file.bytes, &why);
	ck_assert_ptr_nonnull(names);
	for (unsigned round = 0; round < 3; round++) {
		check_chain(names, DEBUGINFO_PATH_NAME);
		ck_assert_uint_eq(debuginfo_names_find(names, COOK, locations), 1);
		ck_assert(is(locations[0].function, "cook"));
		ck_assert_uint_eq(locations[0].line, 33);
		ck_assert(debuginfo_names_symbol(names, SHELF, &shelf));
		ck_assert(is(shelf.function, "shelf"));
		ck_assert_uint_eq(shelf.offset, 4);
		debuginfo_names_release(names);
	}
	debuginfo_names_close(names);
	os_file_close(&file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("names");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, what_was_forgotten_is_read_again, 0, (int)COUNT(files));
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
