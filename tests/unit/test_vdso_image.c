/* SPDX-License-Identifier: MIT */
/* Which bytes of a program are its vDSO, and what is not believed. */
#include "unit.h"

#include "process/snapshot/snapshot_modules.h"

enum { LOW = 0x700000 };

static const struct {
	const char *name;
	struct cairn_bytes path;
	uint64_t module, low, high; /* the module, and a mapping */
	size_t size;
} rows[] = {
	{ "the kernel's", BYTES("[vdso]"), LOW, LOW, LOW + 0x2000, 0x2000 },
	{ "the most", BYTES("[vdso]"), LOW, LOW, LOW + VDSO_IMAGE_MAX, VDSO_IMAGE_MAX },
	{ "one more", BYTES("[vdso]"), LOW, LOW, LOW + VDSO_IMAGE_MAX + 1, 0 },
	{ "all addresses", BYTES("[vdso]"), LOW, 0, UINT64_MAX, 0 },
	{ "within a larger mapping", BYTES("[vdso]"), LOW + 0x100, LOW - 0x100000, LOW + 0x1000,
	  0xf00 },
	{ "the last byte", BYTES("[vdso]"), LOW + 0xfff, LOW, LOW + 0x1000, 1 },
	{ "after the mapping", BYTES("[vdso]"), LOW + 0x1000, LOW, LOW + 0x1000, 0 },
	{ "before the mapping", BYTES("[vdso]"), LOW - 1, LOW, LOW + 0x1000, 0 },
	{ "no mapping", BYTES("[vdso]"), LOW, LOW, LOW, 0 },
	{ "another module", BYTES("[vvar]"), LOW, LOW, LOW + 0x1000, 0 },
	{ "a longer name", BYTES("[vdso]x"), LOW, LOW, LOW + 0x1000, 0 },
	{ "a file of that name", BYTES("/[vdso]"), LOW, LOW, LOW + 0x1000, 0 },
	{ "no name", BYTES(""), LOW, LOW, LOW + 0x1000, 0 },
};

START_TEST(finds_the_image)
{
	struct snapshot_mapping mapping = { .low = rows[_i].low, .high = rows[_i].high };
	struct snapshot_module module = { .path = rows[_i].path,
		                          .low = rows[_i].module,
		                          .high = rows[_i].module + 1 };
	struct snapshot snapshot = { .mappings = &mapping,
		                     .mapping_count = rows[_i].low < rows[_i].high };
	size_t size = vdso_image_size(&snapshot, &module);

	ck_assert_msg(size == rows[_i].size, "%s: %zu", rows[_i].name, size);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vdso_image");
	TCase *tests = tcase_create("vdso_image");

	tcase_add_loop_test(tests, finds_the_image, 0, COUNT(rows));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
