/* SPDX-License-Identifier: MIT */
/* Tests the Mach-O reader on load commands, truncated files and other file types. */
#include "unit.h"

#include "fixture_out.h"

#include "formats/macho.h"

static const struct form {
	bool wide, big;
} forms[] = { { false, false }, { false, true }, { true, false }, { true, true } };

static void put_name(struct fixture_out *o, const char *name)
{
	char field[16] = "";

	memcpy(field, name, strlen(name));
	fixture_out_text(o, field, sizeof(field));
}

static void put_section(struct fixture_out *o, const struct form *f, const char *name,
                        uint64_t offset, uint64_t size)
{
	size_t word = f->wide ? 8 : 4;

	put_name(o, name);
	put_name(o, "__DWARF");
	fixture_out_put(o, 0x1000, word);
	fixture_out_put(o, size, word);
	fixture_out_put(o, offset, 4);
	for (size_t i = 0; i < (f->wide ? 7 : 6); i++)
		fixture_out_put(o, 0, 4);
}

/* Two segments, a table of strings at 600, a UUID; returns where the commands end. */
static size_t make(struct fixture_out *o, const struct form *f)
{
	size_t word = f->wide ? 8 : 4, segment = f->wide ? 72 + 2 * 80 : 56 + 2 * 68;

	o->size = 0;
	o->big = f->big;
	fixture_out_put(o, f->wide ? 0xfeedfacf : 0xfeedface, 4);
	for (int i = 0; i < 3; i++)
		fixture_out_put(o, 0, 4);
	fixture_out_put(o, 3, 4);
	for (int i = 0; i < (f->wide ? 3 : 2); i++)
		fixture_out_put(o, 0, 4);
	fixture_out_put(o, f->wide ? 0x19 : 1, 4);
	fixture_out_put(o, segment, 4);
	put_name(o, "__DWARF");
	for (int i = 0; i < 4; i++)
		fixture_out_put(o, 0, word);
	fixture_out_put(o, 0, 8);
	fixture_out_put(o, 2, 4);
	fixture_out_put(o, 0, 4);
	put_section(o, f, "__sixteen_letter", 610, 3);
	put_section(o, f, "__gsym", 605, 4);
	fixture_out_put(o, 2, 4);
	fixture_out_put(o, 24, 4);
	fixture_out_put(o, 0, 8);
	fixture_out_put(o, 600, 4);
	fixture_out_put(o, 20, 4);
	fixture_out_put(o, 0x1b, 4);
	fixture_out_put(o, 24, 4);
	fixture_out_text(o, "0123456789abcdef", 16);
	size_t end = o->size;
	while (o->size < 620)
		fixture_out_put(o, o->size & 0xff, 1);
	return end;
}

START_TEST(reads_the_commands)
{
	static struct fixture_out out;
	struct macho_section section;
	struct cairn_fault fault;
	struct macho macho;

	make(&out, &forms[_i]);
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&out));
	ck_assert(macho_has_magic(bytes));
	ck_assert_int_eq(macho_open(bytes, &macho, &fault), CAIRN_OK);
	ck_assert(macho.wide == forms[_i].wide && macho.big == forms[_i].big);
	ck_assert_uint_eq(macho.strings_at, 600);
	ck_assert_uint_eq(macho.strings_size, 20);
	ck_assert_mem_eq(macho.uuid.data, "0123456789abcdef", 16);
	ck_assert(macho_find_section(&macho, "__gsym", &section));
	ck_assert_uint_eq(section.offset, 605);
	ck_assert_uint_eq(section.bytes.size, 4);
	ck_assert_uint_eq(section.bytes.data[0], 605 & 0xff);
	ck_assert(macho_find_section(&macho, "__sixteen_letter", &section));
	ck_assert(!macho_find_section(&macho, "__gsy", &section));
	ck_assert(!macho_find_section(&macho, "__gsymm", &section));
}
END_TEST

/* Cut anywhere it opens or not, but never leads outside. */
START_TEST(survives_cuts)
{
	static struct fixture_out out;
	struct macho_section section;
	struct cairn_fault fault;
	struct macho macho;
	size_t end = make(&out, &forms[_i]);

	for (size_t size = 0; size < out.size; size++) {
		struct cairn_bytes cut = unit_exact((struct cairn_bytes){ out.data, size });
		if (macho_open(cut, &macho, &fault) != CAIRN_OK) {
			ck_assert_uint_lt(size, 32);
			ck_assert_int_eq(fault.status, CAIRN_TRUNCATED);
			continue;
		}
		ck_assert(macho.uuid.size == (size >= end ? 16u : 0u));
		ck_assert_int_eq(macho_find_section(&macho, "__gsym", &section), size >= 609);
	}
}
END_TEST

START_TEST(refuses_other_files)
{
	static const struct cairn_bytes fat = BYTES("\xca\xfe\xba\xbe\0\0\0\0");
	struct cairn_fault fault;
	struct macho macho;

	ck_assert(!macho_has_magic(fat));
	ck_assert_int_eq(macho_open(fat, &macho, &fault), CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("macho");
	TCase *macho = tcase_create("macho");

	tcase_add_loop_test(macho, reads_the_commands, 0, COUNT(forms));
	tcase_add_loop_test(macho, survives_cuts, 0, COUNT(forms));
	tcase_add_test(macho, refuses_other_files);
	suite_add_tcase(s, macho);
	return unit_run(s);
}
