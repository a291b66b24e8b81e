/* SPDX-License-Identifier: MIT */
/* Tests that the .sframe section is found, relocated and read from each kind of ELF file. */
#include "unwind/tables/sframe_rules.h"

#include "fixture.h"
#include "fixture_elf.h"
#include "unit.h"


enum { ADDRESS = 0x9000 };

static const struct fixture_row rows[] = { { 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } } };
static const struct fixture_function functions[] = { { 0x5000, 0x10, 0, 0, 0, 1, rows },
	                                             { 0x5010, 0x10, 0, 0, 0, 1, rows },
	                                             { 0x6000, 0x10, 0, 0, 0, 1, rows } };

static struct cairn_bytes make_section(uint8_t version, uint8_t abi, uint8_t flags)
{
	static struct fixture_out section;
	struct fixture_table table = { version, abi, flags, 0, 0, COUNT(functions), functions };

	section.size = 0;
	section.big = fixture_is_big(abi);
	fixture_append(&section, ADDRESS, &table, NULL);
	return fixture_out_bytes(&section);
}

static enum cairn_status ask(struct cairn_rules *rules, uint64_t va)
{
	const struct cairn_rule *rule;

	return cairn_rules_find(rules, va, &rule, NULL);
}

static struct elf open_file(const struct fixture_elf *made)
{
	static struct fixture_out file;
	struct cairn_fault fault;
	struct elf elf;

	fixture_elf(&file, made, NULL);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	return elf;
}

/* Two sections that may be the one; which is taken. */
#define SFRAME ELF_SHT_GNU_SFRAME

static const struct {
	const char *what;
	const char *names[2];
	uint32_t types[2];
	bool is_table[2]; /* else the bytes are something else */
	uint32_t found;   /* 0: none */
} choices[] = {
	{ "by name", { ".text", ".sframe" }, { 1, 1 }, { true, true }, 2 },
	{ "by name and type", { ".text", ".sframe" }, { 1, SFRAME }, { true, true }, 2 },
	{ "by type and magic", { ".text", ".x" }, { 1, SFRAME }, { true, true }, 2 },
	{ "the first of two", { ".sframe", ".sframe" }, { 1, 1 }, { true, true }, 1 },
	{ "not by type alone", { ".SUNW_dof", ".sframe" }, { SFRAME, 1 }, { false, true }, 2 },
	{ "a name, but of no table", { ".sframe", ".x" }, { 1, 1 }, { false, true }, 1 },
	{ "a longer name", { ".sframe.x", ".x" }, { 1, 1 }, { true, true }, 0 },
	{ "a shorter name", { ".sfram", ".x" }, { 1, 1 }, { true, true }, 0 },
	{ "no bytes in this file", { ".sframe", ".x" }, { ELF_SHT_NOBITS, 1 }, { true, true }, 0 },
	{ "none", { ".text", ".data" }, { 1, 1 }, { true, true }, 0 },
};

START_TEST(finds_its_section)
{
	struct cairn_bytes table = make_section(2, FIXTURE_AMD64, 1), other = BYTES("DOF?");
	struct fixture_section sections[2];
	struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0, 0, NULL, 2, sections };
	struct sframe_section found;

	for (int i = 0; i < 2; i++)
		sections[i] = (struct fixture_section){ choices[_i].names[i],
			                                choices[_i].types[i],
			                                ADDRESS,
			                                choices[_i].is_table[i] ? table : other,
			                                0,
			                                0 };
	struct elf elf = open_file(&made);
	enum cairn_status status = sframe_section_find(&elf, &found);
	ck_assert_msg(status == (choices[_i].found ? CAIRN_OK : CAIRN_NOT_FOUND), "%s",
	              choices[_i].what);
	if (status != CAIRN_OK)
		return;
	ck_assert_msg(found.section == choices[_i].found, "%s", choices[_i].what);
	ck_assert_uint_eq(found.address, ADDRESS);
	ck_assert_uint_eq(found.bytes.size,
	                  choices[_i].is_table[found.section - 1] ? table.size : 4);
}
END_TEST

START_TEST(empty_section_is_none)
{
	struct fixture_section section = { ".sframe", 1, ADDRESS, BYTES(""), 0, 0 };
	struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0, 0, NULL, 1, &section };
	struct sframe_section found;
	struct elf elf = open_file(&made);

	ck_assert_int_eq(sframe_section_find(&elf, &found), CAIRN_NOT_FOUND);
}
END_TEST

/* The segment counts only where there are no sections, and only with the magic. */
START_TEST(finds_its_segment)
{
	struct fixture_section sections[] = {
		{ ".a", 1, 0, BYTES("DOF?"), 0, 0 },
		{ ".b", 1, 0, make_section(3, FIXTURE_AMD64, 5), 0, 0 },
		{ ".c", 1, 0, BYTES("\xe2"), 0, 0 },
	};
	struct fixture_segment segments[] = { { ELF_PT_GNU_SFRAME, 4, 0x1000, 0, 1 },
		                              { ELF_PT_GNU_SFRAME, 4, 0x1000, 0, 3 },
		                              { ELF_PT_LOAD, 5, 0x5000, 0x2000, 2 },
		                              { ELF_PT_GNU_SFRAME, 4, ADDRESS, 0, 2 } };
	struct fixture_elf made = { true, false,    false, ELF_TYPE_DYN, 62, 0,
		                    4,    segments, 3,     sections };
	struct sframe_section found;
	struct elf elf = open_file(&made);

	ck_assert_int_eq(sframe_section_find(&elf, &found), CAIRN_NOT_FOUND);
	elf.sections = 0;
	ck_assert_int_eq(sframe_section_find(&elf, &found), CAIRN_OK);
	ck_assert(found.address == ADDRESS && found.section == 0);
	ck_assert_uint_eq(found.bytes.size, sections[1].bytes.size);
	struct cairn_rules *rules = sframe_section_rules(&elf, &found);
	ck_assert_int_eq(ask(rules, 0x6000), CAIRN_OK);
	cairn_rules_free(rules);
	elf.segments = 3;
	ck_assert_int_eq(sframe_section_find(&elf, &found), CAIRN_NOT_FOUND);
}
END_TEST

/* A base that puts no function into the code, while the other puts all there, is exchanged. */
static const struct {
	uint64_t code; /* va of 0x3000 bytes of it */
	uint32_t flags;
	bool rebased;
} codes[] = {
	{ 0x5000, 5, true },   { 0x5000, 6, false }, /* not executable */
	{ 0x20000, 5, false },                       /* elsewhere */
	{ 0x4000, 5, false },                        /* some of it lies there already */
	{ 0x5008, 5, false },                        /* not all would */
};

START_TEST(settles_the_base_by_the_code)
{
	struct fixture_function near[] = { { 0x5000, 4, 0, 0, 0, 1, rows },
		                           { 0x5004, 4, 0, 0, 0, 1, rows } };
	struct fixture_table table = { 2, FIXTURE_AMD64, 5, 0, 0, COUNT(near), near };
	static struct fixture_out section;
	struct fixture_segment load = { ELF_PT_LOAD, codes[_i].flags, codes[_i].code, 0x3000, 0 };
	struct fixture_section sframe = { ".sframe", 1, ADDRESS, { NULL, 0 }, 0, 0 };
	struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0, 1, &load, 1, &sframe };
	struct sframe_section found;

	fixture_append(&section, ADDRESS, &table, NULL);
	section.data[3] = SFRAME_FLAG_SORTED; /* a lie: they count from the field */
	sframe.bytes = fixture_out_bytes(&section);
	struct elf elf = open_file(&made);
	ck_assert_int_eq(sframe_section_find(&elf, &found), CAIRN_OK);
	struct cairn_rules *rules = sframe_section_rules(&elf, &found);
	ck_assert(rules->rebased == codes[_i].rebased);
	ck_assert_int_eq(ask(rules, 0x5004), codes[_i].rebased ? CAIRN_OK : CAIRN_NOT_FOUND);
	cairn_rules_free(rules);
}
END_TEST

/*
 * Relocatable: 1 .text, 2 .text.b, 3 .sframe with two tables, 4 its relocations, 5 symbols.  Of
 * the second table's functions one has no relocation, and one of R_NONE.
 */
static const struct kind {
	uint8_t version, abi;
} kinds[] = { { 1, FIXTURE_AMD64 },
	      { 2, FIXTURE_AARCH64_BIG },
	      { 2, FIXTURE_S390X },
	      { 3, FIXTURE_AMD64 },
	      { 3, FIXTURE_S390X } };

static void relocate_all(struct fixture_out *relocations, const struct fixture_places places[2],
                         bool big)
{
	relocations->size = 0;
	relocations->big = big;
	fixture_relocation(relocations, true, places[1].functions[2].record, 2, 24, 0x40);
	fixture_relocation(relocations, true, places[0].functions[0].record, 1, 24, 0x100);
	fixture_relocation(relocations, true, places[0].functions[1].record, 2, 24, 0x10);
	fixture_relocation(relocations, true, places[0].functions[2].record, 1, 24, 0);
	fixture_relocation(relocations, true, places[1].functions[0].record, 2, 0, 0x80);
	fixture_relocation(relocations, true, places[1].functions[1].record + 4, 2, 24, 0x80);
	fixture_relocation(relocations, true, places[1].functions[1].record, 0, 24, 0x80);
	fixture_relocation(relocations, true, places[1].end + 100, 2, 24, 0x80);
	fixture_relocation(relocations, true, 3, 2, 24, 0x80);
}

START_TEST(relocates_functions)
{
	static const uint64_t there[] = { 0x100000100, 0x200001010, 0x100000000, 0x200001040 };
	static const uint64_t not_there[] = { 0x5000,      0x200001080, 0,         0x80,
		                              0x1000000f0, 0x100000010, UINT64_MAX };
	static struct fixture_out section, relocations, symbols;
	struct fixture_places places[2];
	bool big = fixture_is_big(kinds[_i].abi);
	uint8_t flags = kinds[_i].version == 3 ? 5 : 1;
	struct fixture_table table = {
		kinds[_i].version, kinds[_i].abi, flags, 0, 0, 3, functions
	};

	section.big = symbols.big = big;
	fixture_append(&section, 0, &table, &places[0]);
	fixture_out_pad(&section, 8);
	fixture_append(&section, 0, &table, &places[1]);
	fixture_symbol(&symbols, true, 0, 0);
	fixture_symbol(&symbols, true, 1, 0);
	fixture_symbol(&symbols, true, 2, 0x1000);
	relocate_all(&relocations, places, big);
	struct fixture_section sections[] = {
		{ ".text", 1, 0, BYTES("x"), 0, 0 },
		{ ".text.b", 1, 0, BYTES("x"), 0, 0 },
		{ ".sframe", ELF_SHT_GNU_SFRAME, 0, fixture_out_bytes(&section), 0, 0 },
		{ ".rela.sframe", ELF_SHT_RELA, 0, fixture_out_bytes(&relocations), 5, 3 },
		{ ".symtab", 2, 0, fixture_out_bytes(&symbols), 0, 0 },
	};
	struct fixture_elf made = { true, big, false, ELF_TYPE_REL, 62, 0, 0, NULL, 5, sections };
	struct sframe_section found;
	struct elf elf = open_file(&made);

	ck_assert_int_eq(sframe_section_find(&elf, &found), CAIRN_OK);
	ck_assert_uint_eq(found.section, 3);
	struct cairn_rules *rules = sframe_section_rules(&elf, &found);
	for (int way = 0; way < 2; way++) {
		for (size_t i = 0; i < COUNT(there); i++) {
			ck_assert_int_eq(ask(rules, there[i]), CAIRN_OK);
			ck_assert_int_eq(ask(rules, there[i] + 15), CAIRN_OK);
			ck_assert_int_eq(ask(rules, there[i] + 16), CAIRN_NOT_FOUND);
		}
		for (size_t i = 0; i < COUNT(not_there); i++)
			ck_assert_int_eq(ask(rules, not_there[i]), CAIRN_NOT_FOUND);
		cairn_rules_build_index(rules);
	}
	cairn_rules_free(rules);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("object");
	TCase *object = tcase_create("object");

	tcase_add_loop_test(object, finds_its_section, 0, COUNT(choices));
	tcase_add_test(object, empty_section_is_none);
	tcase_add_test(object, finds_its_segment);
	tcase_add_loop_test(object, settles_the_base_by_the_code, 0, COUNT(codes));
	tcase_add_loop_test(object, relocates_functions, 0, COUNT(kinds));
	suite_add_tcase(suite, object);
	return unit_run(suite);
}
