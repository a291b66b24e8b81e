/* SPDX-License-Identifier: MIT */
/* Tests the kernel's list of symbols: good lines, and those that are passed over. */
#include "unit.h"

#include "formats/kallsyms.h"

static const struct {
	const char *text;
	uint64_t address;
	char type;
	const char *name, *module; /* name NULL: there is no symbol */
} rows[] = {
	{ "ffffffff81000000 T _text\n", 0xffffffff81000000, 'T', "_text", "" },
	{ "c0201000 t nf_hook\t[nf_tables]\n", 0xc0201000, 't', "nf_hook", "nf_tables" },
	{ "\nbad\n10 W weak", 0x10, 'W', "weak", "" },
	{ "0000000000000000 t hidden", 0, 't', "hidden", "" },
	{ "10 t cut\t[mod", 0x10, 't', "cut", "" },
	{ "10 t cut\t", 0x10, 't', "cut", "" },
	{ "10 t \t[mod]", 0, 0, NULL, NULL },
	{ "10 t ", 0, 0, NULL, NULL },
	{ "10  name", 0, 0, NULL, NULL },
	{ " t name", 0, 0, NULL, NULL },
	{ "11111111111111111 t large", 0, 0, NULL, NULL },
	{ "", 0, 0, NULL, NULL },
};

START_TEST(reads_lines)
{
	struct cairn_bytes text = { (const uint8_t *)rows[_i].text, strlen(rows[_i].text) };
	struct kallsyms list = kallsyms_open(unit_exact(text));
	struct kallsyms_symbol symbol;
	const bool found = kallsyms_next(&list, &symbol);

	ck_assert_int_eq(found, rows[_i].name != NULL);
	if (!found)
		return;
	ck_assert_uint_eq(symbol.address, rows[_i].address);
	ck_assert_int_eq(symbol.type, rows[_i].type);
	ck_assert_uint_eq(symbol.name.size, strlen(rows[_i].name));
	ck_assert_mem_eq(symbol.name.data, rows[_i].name, symbol.name.size);
	ck_assert_uint_eq(symbol.module.size, strlen(rows[_i].module));
	ck_assert_mem_eq(symbol.module.data, rows[_i].module, symbol.module.size);
	ck_assert(!kallsyms_next(&list, &symbol));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kallsyms");
	TCase *tcase = tcase_create("kallsyms");

	tcase_add_loop_test(tcase, reads_lines, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
