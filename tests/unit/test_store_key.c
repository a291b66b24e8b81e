/* SPDX-License-Identifier: MIT */
/* The names that a file has in a store: of Breakpad files by their first record, of others by what they are. */
#include "unit.h"

#include "os/store.h"

#include <stdio.h>

#define ID "0123456789ABCDEF0123456789ABCDEF0"
#define MODULE(name) "MODULE Linux x86_64 " ID " " name "\nPUBLIC 10 0 f\n"

static const struct {
	struct cairn_bytes file;
	enum cairn_status status;
	const char *key; /* or what is wrong */
} files[] = {
	{ BYTES(MODULE("libx.so")), CAIRN_OK, "libx.so/" ID "/libx.so.sym" },
	{ BYTES("MODULE windows x86 0123456789abcdef0123456789abcdef12 a.pdb\n"), CAIRN_OK,
	  "a.pdb/0123456789ABCDEF0123456789ABCDEF12/a.sym" },
	{ BYTES(MODULE("libstdc++.so.6")), CAIRN_OK, "libstdc++.so.6/" ID "/libstdc++.so.6.sym" },
	{ BYTES(MODULE("a/b")), CAIRN_NOT_FOUND, "no module with a plain name and an ID" },
	{ BYTES(MODULE("..")), CAIRN_NOT_FOUND, "no module with a plain name and an ID" },
	{ BYTES(MODULE("a\\b")), CAIRN_NOT_FOUND, "no module with a plain name and an ID" },
	{ BYTES(MODULE("%2e%2e")), CAIRN_NOT_FOUND, "no module with a plain name and an ID" },
	{ BYTES(MODULE("a b")), CAIRN_NOT_FOUND, "no module with a plain name and an ID" },
	{ BYTES("MODULE Linux x86_64 ../../x a\n"), CAIRN_NOT_FOUND,
	  "no module with a plain name and an ID" },
	{ BYTES("MODULE Linux x86_64 .. a\n"), CAIRN_NOT_FOUND,
	  "no module with a plain name and an ID" },
	{ BYTES(MODULE("a") "FUNC x\n"), CAIRN_MALFORMED,
	  "a line that is not a record, of this number" },
	{ BYTES(MODULE("a") "PUBLIC 20 0 g"), CAIRN_TRUNCATED, "the last line has no newline" },
	{ BYTES(""), CAIRN_UNSUPPORTED,
	  "neither ELF, GSYM nor Breakpad: a store has no name for it" },
	{ BYTES("MYSG"), CAIRN_TRUNCATED, NULL },
	{ BYTES("GSYM"), CAIRN_TRUNCATED, NULL },
	{ BYTES("\177ELF"), CAIRN_TRUNCATED, NULL },
};

START_TEST(names_files)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct store_keys keys;
	const enum cairn_status status = store_keys_read(unit_exact(files[_i].file), &keys, &fault);

	ck_assert_int_eq(status, files[_i].status);
	ck_assert_uint_eq(keys.count, status == CAIRN_OK);
	if (status == CAIRN_OK)
		ck_assert_str_eq(keys.key[0], files[_i].key);
	else if (files[_i].key)
		ck_assert_str_eq(fault.what, files[_i].key);
}
END_TEST

START_TEST(bounds_names)
{
	char file[2 * STORE_NAME_MAX + 64];
	struct cairn_fault fault;
	struct store_keys keys;

	for (int size = STORE_NAME_MAX - 4; size <= STORE_NAME_MAX - 3; size++) {
		const int length =
			snprintf(file, sizeof(file), "MODULE Linux x86_64 " ID " %0*d\n", size, 7);
		const enum cairn_status status = store_keys_read(
			(struct cairn_bytes){ (const uint8_t *)file, (size_t)length }, &keys,
			&fault);
		ck_assert_int_eq(status, size <= STORE_NAME_MAX - 4 ? CAIRN_OK : CAIRN_NOT_FOUND);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("store_key");
	TCase *tests = tcase_create("store_key");

	tcase_add_loop_test(tests, names_files, 0, COUNT(files));
	tcase_add_test(tests, bounds_names);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
