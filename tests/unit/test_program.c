/* SPDX-License-Identifier: MIT */
/* What the file of a program tells of it: sections that are loaded, build ID, span. */
#include "unit.h"

#include "fixture_elf.h"

#include "formats/elf/elf.h"

enum {
	ALLOC = 2,
	CODE = 6,
	ID_SIZE = 20,
	LONG_ID = 65, /* one byte more than there is room for */
};

static struct cairn_bytes note_of(uint32_t size)
{
	static const char id[LONG_ID + 1] =
		"0123456789abcdefghijABCDEFGHIJ0123456789abcdefghijABCDEFGHIJ01234";
	static struct fixture_out note;

	note.size = 0;
	note.big = false;
	fixture_note(&note, "GNU", 3, id, size);
	return fixture_out_bytes(&note);
}

/* A program of three sections that are loaded and one that is not. */
static struct cairn_bytes make_program(const char *text_name, uint64_t text_va, const char *last,
                                       struct cairn_bytes note)
{
	static struct fixture_out file;
	const uint64_t flags[] = { ALLOC, CODE, ALLOC | 1, 0 };
	const struct fixture_section sections[] = {
		{ ".note.gnu.build-id", ELF_SHT_NOTE, 0x200, note, 0, 0 },
		{ text_name, 1, text_va, BYTES("\x90\x90\x90\xc3"), 0, 0 },
		{ ".data", 1, 0x3000, BYTES("12345678"), 0, 0 },
		{ last, 1, 0, BYTES("x"), 0, 0 },
	};
	const struct fixture_segment segments[] = {
		{ ELF_PT_LOAD, 5, 0x1000, 0x1234, 2 },
		{ ELF_PT_LOAD, 6, 0x3000, 0x2000, 3 },
		{ ELF_PT_LOAD, 6, UINT64_MAX - 8, 16, 3 }, /* wraps */
		{ ELF_PT_NOTE, 4, 0x200, 0, 1 },
	};
	const struct fixture_elf made = { true, false,    false, ELF_TYPE_DYN, 62, 0x1002,
		                          4,    segments, 4,     sections };
	struct fixture_elf_places places;

	fixture_elf(&file, &made, &places);
	for (size_t i = 0; i < COUNT(flags); i++)
		fixture_out_poke(&file, places.sections + (i + 1) * fixture_section_size(true) + 8,
		                 flags[i], 8);
	return unit_exact(fixture_out_bytes(&file));
}

START_TEST(tells_what_is_loaded)
{
	static struct cairn_program p;
	struct cairn_fault fault;
	struct cairn_bytes file = make_program(".text", 0x1000, ".comment", note_of(ID_SIZE));

	ck_assert_int_eq(cairn_program_parse(file, &p, &fault), CAIRN_OK);
	ck_assert_int_eq(p.machine, CAIRN_MACHINE_AMD64);
	ck_assert(!p.big_endian && !p.debug_info);
	ck_assert_uint_eq(p.entry, 0x1002);
	ck_assert_uint_eq(p.span.low, 0x1000);
	ck_assert_uint_eq(p.span.high, 0x5000);
	ck_assert_uint_eq(p.build_id_size, ID_SIZE);
	ck_assert_mem_eq(p.build_id, "0123456789abcdefghij", ID_SIZE);
	ck_assert_uint_eq(p.sections, 3);
	ck_assert_str_eq(p.section[1].name, ".text");
	ck_assert_uint_eq(p.section[1].flags, CODE);
	ck_assert_uint_eq(p.section[1].range.low, 0x1000);
	ck_assert_uint_eq(p.section[1].range.high, 0x1004);
	ck_assert_str_eq(p.section[2].name, ".data");
}
END_TEST

START_TEST(knows_debug_information)
{
	static const struct {
		const char *name;
		bool debug_info;
	} names[] = { { ".debug_info", true },
		      { ".zdebug_info", true },
		      { ".debug_infos", false },
		      { ".debug_line", false } };
	static struct cairn_program p;
	struct cairn_fault fault;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct cairn_bytes file =
			make_program(".text", 0x1000, names[i].name, note_of(ID_SIZE));
		ck_assert_int_eq(cairn_program_parse(file, &p, &fault), CAIRN_OK);
		ck_assert_msg(p.debug_info == names[i].debug_info, "%s", names[i].name);
	}
}
END_TEST

#define NAME_63 "123456789012345678901234567890123456789012345678901234567890123"

static const struct {
	const char *what, *text;
	uint64_t va;
	uint32_t id_size;
	enum cairn_status status;
} refused[] = {
	{ "the longest name", NAME_63, 0x1000, ID_SIZE, CAIRN_OK },
	{ "a longer one", NAME_63 "4", 0x1000, ID_SIZE, CAIRN_UNSUPPORTED },
	{ "the longest build ID", ".text", 0x1000, LONG_ID - 1, CAIRN_OK },
	{ "a longer one", ".text", 0x1000, LONG_ID, CAIRN_UNSUPPORTED },
	{ "up to the last address", ".text", UINT64_MAX - 4, ID_SIZE, CAIRN_OK },
	{ "behind it", ".text", UINT64_MAX - 3, ID_SIZE, CAIRN_MALFORMED },
};

START_TEST(refuses_what_does_not_fit)
{
	static struct cairn_program p;
	struct cairn_fault fault;
	struct cairn_bytes file = make_program(refused[_i].text, refused[_i].va, ".comment",
	                                       note_of(refused[_i].id_size));
	enum cairn_status status = cairn_program_parse(file, &p, &fault);

	ck_assert_msg(status == refused[_i].status, "%s: %d", refused[_i].what, status);
	if (status != CAIRN_OK)
		ck_assert(fault.status == status && fault.what);
}
END_TEST

/* A section table of `count` entries that are all loaded and have the name "". */
static struct cairn_bytes make_many(uint16_t count)
{
	static uint8_t bytes[64 + 200 * 64];
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	enum { HEADER = 64, ENTRY = 64 };

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, ident, sizeof(ident));
	bytes[16] = ELF_TYPE_DYN;
	bytes[18] = 62;
	bytes[20] = 1;
	bytes[40] = HEADER; /* where the table is */
	bytes[52] = HEADER;
	bytes[58] = ENTRY;
	bytes[60] = (uint8_t)count;
	for (uint16_t i = 1; i < count; i++)
		bytes[HEADER + i * ENTRY + 8] = ALLOC;
	return unit_exact((struct cairn_bytes){ bytes, (size_t)(HEADER + count * ENTRY) });
}

START_TEST(counts_sections)
{
	static const struct cairn_bytes text = BYTES("no ELF");
	static struct cairn_program p;
	struct cairn_fault fault;

	ck_assert_int_eq(cairn_program_parse(make_many(CAIRN_SECTIONS + 1), &p, &fault), CAIRN_OK);
	ck_assert_uint_eq(p.sections, CAIRN_SECTIONS);
	ck_assert_int_eq(cairn_program_parse(make_many(CAIRN_SECTIONS + 2), &p, &fault),
	                 CAIRN_UNSUPPORTED);
	ck_assert_int_eq(cairn_program_parse(make_many(1), &p, &fault), CAIRN_NOT_FOUND);
	ck_assert_int_eq(cairn_program_parse(text, &p, &fault), CAIRN_MALFORMED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("program");
	TCase *all = tcase_create("files");

	tcase_add_test(all, tells_what_is_loaded);
	tcase_add_test(all, knows_debug_information);
	tcase_add_loop_test(all, refuses_what_does_not_fit, 0, COUNT(refused));
	tcase_add_test(all, counts_sections);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
