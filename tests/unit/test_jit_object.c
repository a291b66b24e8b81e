/* SPDX-License-Identifier: MIT */
/* Tests the relocations of objects of made code: those of lines and frames are applied, others, and those of linked files, are not. */
#include "unit.h"

#include "base/bytes.h"
#include "fixture_elf.h"
#include "symbols/jit_list.h"

enum { X86 = ELF_EM_X86_64, ARM = ELF_EM_AARCH64, TEXT = 3, LINES = 4, TEXTS = 5 };
#define TEXT_AT 0x7f0012345000u
#define FRAMES_AT 0x7f0012349000u

/* A relocation of the section `name` at byte 8, with the addend 0x10, against .text or against one that is not loaded. */
static const struct {
	const char *what, *name;
	uint16_t machine;
	bool big;
	uint16_t file;
	uint32_t type, symbol;
	unsigned width;
	uint64_t value; /* 0: it stays as it is */
} rows[] = {
	{ "an address", ".debug_line", X86, false, ELF_TYPE_REL, 1, 1, 8, TEXT_AT + 0x110 },
	{ "of a text", ".debug_line", X86, false, ELF_TYPE_REL, 10, 2, 4, 0x210 },
	{ "with a sign", ".debug_frame", X86, false, ELF_TYPE_REL, 11, 2, 4, 0x210 },
	{ "relative, 4 bytes", ".eh_frame", X86, false, ELF_TYPE_REL, 2, 1, 4,
	  (uint32_t)(TEXT_AT + 0x110 - FRAMES_AT - 8) },
	{ "relative, 8 bytes", ".eh_frame", X86, false, ELF_TYPE_REL, 24, 1, 8,
	  TEXT_AT + 0x110 - FRAMES_AT - 8 },
	{ "aarch64", ".debug_line", ARM, false, ELF_TYPE_REL, 257, 1, 8, TEXT_AT + 0x110 },
	{ "aarch64, of a text", ".debug_line", ARM, true, ELF_TYPE_REL, 258, 2, 4, 0x210 },
	{ "aarch64, relative", ".eh_frame", ARM, true, ELF_TYPE_REL, 260, 1, 8,
	  TEXT_AT + 0x110 - FRAMES_AT - 8 },
	{ "aarch64, relative, 4 bytes", ".eh_frame", ARM, false, ELF_TYPE_REL, 261, 1, 4,
	  (uint32_t)(TEXT_AT + 0x110 - FRAMES_AT - 8) },
	{ "of another section", ".debug_info", X86, false, ELF_TYPE_REL, 1, 1, 8, 0 },
	{ "of a linked file", ".debug_line", X86, false, ELF_TYPE_DYN, 1, 1, 8, 0 },
	{ "of code", ".debug_line", X86, false, ELF_TYPE_REL, 4, 1, 4, 0 },
	{ "of another machine", ".debug_line", 21, false, ELF_TYPE_REL, 1, 1, 8, 0 },
	{ "not defined", ".debug_line", X86, false, ELF_TYPE_REL, 1, 0, 8, 0 },
	{ "no such section", ".debug_line", X86, false, ELF_TYPE_REL, 1, 3, 8, 0 },
};

#define SIXTEEN "ABCDEFGHIJKLMNOP"

static void set_loaded(struct fixture_out *file, const struct fixture_elf_places *places,
                       unsigned section)
{
	file->data[places->sections + 64 * section + (file->big ? 15 : 8)] = ELF_SHF_ALLOC;
}

/* Where the relocated section begins is in places->bytes[LINES]. */
static void make_object(size_t row, uint64_t offset, struct fixture_out *file,
                        struct fixture_elf_places *places)
{
	static struct fixture_out relocations, symbols;
	const bool is_loaded = strcmp(rows[row].name, ".eh_frame") == 0;

	relocations.big = symbols.big = rows[row].big;
	relocations.size = symbols.size = 0;
	fixture_symbol(&symbols, true, 0, 0);
	fixture_symbol(&symbols, true, TEXT, 0x100);
	fixture_symbol(&symbols, true, TEXTS, 0x200);
	fixture_symbol(&symbols, true, 77, 0x200);
	fixture_relocation(&relocations, true, offset, rows[row].symbol, rows[row].type, 0x10);
	const struct fixture_section sections[] = {
		{ ".rela", ELF_SHT_RELA, 0, fixture_out_bytes(&relocations), 2, LINES },
		{ ".symtab", ELF_SHT_SYMTAB, 0, fixture_out_bytes(&symbols), 0, 0 },
		{ ".text", 1, TEXT_AT, BYTES("x"), 0, 0 },
		{ rows[row].name, 1, FRAMES_AT, BYTES(SIXTEEN), 0, 0 },
		{ ".debug_line_str", 1, 0x5000, BYTES("x"), 0, 0 },
	};
	const struct fixture_elf elf = {
		true, rows[row].big, false,           rows[row].file, rows[row].machine, 0,
		0,    NULL,          COUNT(sections), sections
	};
	fixture_elf(file, &elf, places);
	set_loaded(file, places, TEXT);
	if (is_loaded)
		set_loaded(file, places, LINES);
}

START_TEST(relocates_lines_and_frames)
{
	static struct fixture_out file;
	struct fixture_elf_places places;

	make_object((size_t)_i, 8, &file, &places);
	const uint8_t *section = file.data + places.bytes[LINES];
	jit_object_relocate(file.data, file.size);
	ck_assert(memcmp(section, SIXTEEN, 8) == 0);
	if (rows[_i].value == 0)
		ck_assert_msg(memcmp(section, SIXTEEN, 16) == 0, "%s", rows[_i].what);
	else
		ck_assert_msg(bytes_unsigned(section + 8, rows[_i].width, rows[_i].big) ==
		                      rows[_i].value,
		              "%s", rows[_i].what);
	ck_assert(memcmp(section + 8 + rows[_i].width, &SIXTEEN[8 + rows[_i].width],
	                 8 - rows[_i].width) == 0);
}
END_TEST

/* Nothing is written past the end of a section. */
START_TEST(stays_in_the_section)
{
	static const uint64_t offsets[] = { 9, 16, 17, UINT64_MAX - 7, UINT64_MAX };
	static struct fixture_out file, before;
	struct fixture_elf_places places;

	make_object(0, offsets[_i], &file, &places);
	before = file;
	jit_object_relocate(file.data, file.size);
	ck_assert(memcmp(file.data, before.data, file.size) == 0);
}
END_TEST

/* Returns the object with `count` relocations of byte 8 behind it, of which the last one alone has an addend. */
static uint8_t *make_long_object(size_t count, size_t *size, size_t *section)
{
	static struct fixture_out file;
	struct fixture_elf_places places;

	make_object(0, 8, &file, &places);
	*section = places.bytes[LINES];
	*size = file.size + 24 * count;
	uint8_t *image = calloc(1, *size);
	ck_assert(image != NULL);
	memcpy(image, file.data, file.size);
	uint8_t *table = image + places.sections + 64 * 1;
	const uint8_t *last = file.data + places.bytes[1];
	for (size_t i = 0; i < count; i++)
		memcpy(image + file.size + 24 * i, last, i + 1 < count ? 16 : 24);
	for (unsigned i = 0; i < 8; i++) {
		table[24 + i] = (uint8_t)((uint64_t)file.size >> 8 * i);
		table[32 + i] = (uint8_t)((uint64_t)(24 * count) >> 8 * i);
	}
	return image;
}

/* Of a table that is too long the rest is left alone. */
START_TEST(applies_so_many)
{
	for (size_t more = 0; more < 2; more++) {
		size_t size, section;
		uint8_t *image = make_long_object(JIT_OBJECT_RELOCATIONS + more, &size, &section);

		jit_object_relocate(image, size);
		ck_assert_uint_eq(bytes_u64(image + section + 8, false),
		                  TEXT_AT + 0x100 + (more ? 0 : 0x10));
		free(image);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jit_object");
	TCase *objects = tcase_create("objects");

	tcase_add_loop_test(objects, relocates_lines_and_frames, 0, COUNT(rows));
	tcase_add_loop_test(objects, stays_in_the_section, 0, 5);
	tcase_add_test(objects, applies_so_many);
	suite_add_tcase(suite, objects);
	return unit_run(suite);
}
