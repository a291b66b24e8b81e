/* SPDX-License-Identifier: MIT */
/* Tests the ELF reader on hand-made files of both classes and byte orders. */
#include "formats/elf/append.h"
#include "formats/elf/elf.h"

#include "fixture_elf.h"
#include "unit.h"

/* Both classes in both orders. */
static const struct kind {
	bool wide, big;
} kinds[] = { { false, false }, { false, true }, { true, false }, { true, true } };

static const struct fixture_section text_and_data[] = {
	{ ".text", 1, 0x401000, BYTES("code"), 0, 0 },
	{ ".note", ELF_SHT_NOTE, 0x402000, BYTES(""), 0, 0 },
	{ ".bss", ELF_SHT_NOBITS, 0x403000, BYTES(""), 7, 9 },
};
static const struct fixture_segment loads[] = {
	{ ELF_PT_LOAD, 5, 0x401000, 0x1000, 1 },
	{ ELF_PT_NOTE, 4, 0x402000, 0x20, 2 },
};

/* The file of one kind; its sections are 1 .text, 2 .note, 3 .bss, 4 names. */
static struct fixture_out *make_file(const struct kind *kind, bool hidden,
                                     struct fixture_elf_places *places)
{
	static struct fixture_out file;
	struct fixture_elf elf = { kind->wide, kind->big, hidden, ELF_TYPE_DYN, 62, 0x401234,
		                   2,          loads,     3,      text_and_data };

	fixture_elf(&file, &elf, places);
	return &file;
}

static bool named(const struct elf_section *section, const char *name)
{
	return section->name.size == strlen(name) &&
	       memcmp(section->name.data, name, section->name.size) == 0;
}

static void check_contents(const struct elf *elf, const struct fixture_elf_places *places)
{
	struct elf_segment segment;
	struct elf_section section;

	ck_assert(elf_segment(elf, 0, &segment) && segment.type == ELF_PT_LOAD);
	ck_assert(segment.flags == 5 && segment.va == 0x401000);
	ck_assert(segment.file_size == 4 && segment.memory_size == 0x1000 && segment.align == 8);
	ck_assert(elf_segment_bytes(elf, &segment).data == elf->bytes.data + places->bytes[1]);
	ck_assert(elf_segment(elf, 1, &segment) && segment.type == ELF_PT_NOTE);
	ck_assert(!elf_segment(elf, 2, &segment));
	ck_assert(elf_section(elf, 0, &section) && section.name.size == 0);
	ck_assert(elf_section(elf, 1, &section) && named(&section, ".text"));
	ck_assert(section.va == 0x401000 && section.size == 4 && section.index == 1);
	ck_assert(memcmp(elf_section_bytes(elf, &section).data, "code", 4) == 0);
	ck_assert(elf_section(elf, 3, &section) && named(&section, ".bss"));
	ck_assert(section.link == 7 && section.info == 9);
	ck_assert(elf_section(elf, 4, &section) && section.name.size == 0);
	ck_assert(!elf_section(elf, 5, &section));
	ck_assert(elf_find_section(elf, ".note", &section) && section.index == 2);
	ck_assert(!elf_find_section(elf, ".not", &section));
	ck_assert(!elf_find_section(elf, ".notes", &section));
}

START_TEST(reads_either_class_and_order)
{
	const struct kind *kind = &kinds[_i % 4];
	struct fixture_elf_places places;
	struct elf elf;
	struct cairn_fault fault;
	struct cairn_bytes bytes = unit_exact(fixture_out_bytes(make_file(kind, _i >= 4, &places)));

	ck_assert_int_eq(elf_open(bytes, &elf, &fault), CAIRN_OK);
	ck_assert(elf.wide == kind->wide && elf.big == kind->big);
	ck_assert(elf.type == ELF_TYPE_DYN && elf.machine == 62 && elf.entry == 0x401234);
	ck_assert(elf.segments == 2 && elf.sections == 5 && elf.names == 4);
	check_contents(&elf, &places);
}
END_TEST

/* The same number is another machine in a 32-bit file. */
static const struct {
	uint16_t machine;
	bool wide;
	enum cairn_machine is;
} machines[] = {
	{ ELF_EM_X86_64, true, CAIRN_MACHINE_AMD64 },
	{ ELF_EM_X86_64, false, CAIRN_MACHINE_X32 },
	{ ELF_EM_AARCH64, true, CAIRN_MACHINE_AARCH64 },
	{ ELF_EM_S390, true, CAIRN_MACHINE_S390X },
	{ ELF_EM_S390, false, CAIRN_MACHINE_S390 },
	{ ELF_EM_PPC, false, CAIRN_MACHINE_PPC },
	{ ELF_EM_ARM, false, CAIRN_MACHINE_ARM },
	{ ELF_EM_AARCH64, false, CAIRN_MACHINE_NONE },
	{ 3, true, CAIRN_MACHINE_NONE },
};

START_TEST(knows_its_machines)
{
	struct elf elf = { .wide = machines[_i].wide, .machine = machines[_i].machine };
	ck_assert_int_eq(elf_machine(&elf), machines[_i].is);
}
END_TEST

static const struct {
	const char *name;
	size_t at[2]; /* where a 32-bit and a 64-bit header has the field */
	size_t width;
	uint64_t value;
	enum cairn_status status;
	size_t fault[2];
} headers[] = {
	{ "no magic", { 0, 0 }, 1, 0x7e, CAIRN_MALFORMED, { 0, 0 } },
	{ "magic cut short", { 3, 3 }, 1, 'G', CAIRN_MALFORMED, { 0, 0 } },
	{ "class 0", { 4, 4 }, 1, 0, CAIRN_UNSUPPORTED, { 4, 4 } },
	{ "class 3", { 4, 4 }, 1, 3, CAIRN_UNSUPPORTED, { 4, 4 } },
	{ "order 0", { 5, 5 }, 1, 0, CAIRN_UNSUPPORTED, { 5, 5 } },
	{ "order 3", { 5, 5 }, 1, 3, CAIRN_UNSUPPORTED, { 5, 5 } },
	{ "odd segment size", { 42, 54 }, 2, 57, CAIRN_UNSUPPORTED, { 44, 56 } },
	{ "odd section size", { 46, 58 }, 2, 63, CAIRN_UNSUPPORTED, { 48, 60 } },
};

START_TEST(refuses_odd_headers)
{
	for (size_t k = 0; k < COUNT(kinds); k++) {
		struct fixture_out *file = make_file(&kinds[k], false, NULL);
		struct cairn_fault fault;
		struct elf elf;

		fixture_out_poke(file, headers[_i].at[kinds[k].wide], headers[_i].value,
		                 headers[_i].width);
		ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault),
		                 headers[_i].status);
		ck_assert_msg(fault.offset == headers[_i].fault[kinds[k].wide] &&
		                      fault.status == headers[_i].status,
		              "%s: fault at %llu", headers[_i].name,
		              (unsigned long long)fault.offset);
	}
}
END_TEST

/* Entry sizes do not matter where there are no entries. */
START_TEST(sizes_of_nothing_do_not_matter)
{
	for (size_t k = 0; k < COUNT(kinds); k++) {
		struct fixture_out *file = make_file(&kinds[k], false, NULL);
		size_t at = kinds[k].wide ? 54 : 42;
		struct cairn_fault fault;
		struct elf elf;

		for (size_t i = 0; i < 4; i++)
			fixture_out_poke(file, at + 2 * i, 0, 2);
		fixture_out_poke(file, kinds[k].wide ? 40 : 32, 0, kinds[k].wide ? 8 : 4);
		ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault),
		                 CAIRN_OK);
		ck_assert(elf.segments == 0 && elf.sections == 0);
	}
}
END_TEST

START_TEST(notices_every_cut_of_the_header)
{
	static const size_t narrow[] = { 0,  4,  5,  6,  16, 18, 20, 24, 28,
		                         32, 36, 40, 42, 44, 46, 48, 50, 52 };
	static const size_t wide[] = { 0,  4,  5,  6,  16, 18, 20, 24, 32,
		                       40, 48, 52, 54, 56, 58, 60, 62, 64 };
	const size_t *fields = kinds[_i].wide ? wide : narrow;
	struct fixture_out *file = make_file(&kinds[_i], false, NULL);
	size_t field = 0;

	for (size_t size = 0; size < fields[COUNT(wide) - 1]; size++) {
		struct cairn_fault fault;
		struct elf elf;

		while (fields[field + 1] <= size)
			field++;
		ck_assert_int_eq(elf_open(unit_exact((struct cairn_bytes){ file->data, size }),
		                          &elf, &fault),
		                 CAIRN_TRUNCATED);
		ck_assert_uint_eq(fault.offset, fields[field]);
	}
}
END_TEST

/* An image in memory ends before its section table: it has segments and no sections. */
START_TEST(reads_what_a_cut_left)
{
	struct fixture_elf_places places;
	struct fixture_out *file = make_file(&kinds[_i % 4], _i >= 4, &places);
	size_t segment_end = places.segments + fixture_segment_size(kinds[_i % 4].wide);

	for (size_t size = places.segments; size < file->size; size++) {
		struct cairn_fault fault;
		struct elf_segment segment;
		struct elf_section section;
		struct elf elf;

		ck_assert_int_eq(elf_open(unit_exact((struct cairn_bytes){ file->data, size }),
		                          &elf, &fault),
		                 CAIRN_OK);
		ck_assert(elf_segment(&elf, 0, &segment) == (size >= segment_end));
		ck_assert(elf_section(&elf, 0, &section) ==
		          (size >= places.sections + fixture_section_size(kinds[_i % 4].wide)));
		ck_assert(!elf_section(&elf, 4, &section));
		ck_assert_uint_eq(elf_build_id(&elf).size, 0);
		if (size >= segment_end && size < places.bytes[1] + 4)
			ck_assert_uint_eq(elf_segment_bytes(&elf, &segment).size, 0);
	}
}
END_TEST

/* Counts of section 0 that cannot be true are not believed. */
START_TEST(hidden_counts_are_bounded)
{
	bool wide = kinds[_i].wide;
	struct fixture_elf_places places;
	struct fixture_out *file = make_file(&kinds[_i], true, &places);
	struct cairn_fault fault;
	struct elf_section section;
	struct elf_segment segment;
	struct elf elf;

	fixture_out_poke(file, places.sections + (wide ? 32 : 20), UINT64_MAX, wide ? 8 : 4);
	fixture_out_poke(file, places.sections + (wide ? 44 : 28), UINT32_MAX, 4);
	fixture_out_poke(file, places.sections + (wide ? 40 : 24), UINT32_MAX, 4);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault), CAIRN_OK);
	ck_assert_uint_eq(elf.sections, 0);
	ck_assert_uint_le(elf.segments, 0xffff);
	ck_assert(elf_segment(&elf, 1, &segment) && !elf_section(&elf, 1, &section));
	ck_assert(!elf_segment(&elf, 0xfffe, &segment));
}
END_TEST

/* Tables whose offsets wrap or lie behind the end. */
static const struct {
	uint64_t offset;
} far_tables[] = { { UINT64_MAX }, { UINT64_MAX - 55 }, { UINT64_MAX - 63 }, { 0x7fffffff } };

START_TEST(tables_outside_are_not_there)
{
	for (size_t k = 0; k < COUNT(kinds); k++) {
		bool wide = kinds[k].wide;
		struct fixture_out *file = make_file(&kinds[k], false, NULL);
		struct elf_section section;
		struct elf_segment segment;
		struct cairn_fault fault;
		struct elf elf;

		fixture_out_poke(file, wide ? 32 : 28, far_tables[_i].offset, wide ? 8 : 4);
		fixture_out_poke(file, wide ? 40 : 32, far_tables[_i].offset, wide ? 8 : 4);
		ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault),
		                 CAIRN_OK);
		for (uint32_t i = 0; i < 5; i++)
			ck_assert(!elf_segment(&elf, i, &segment) &&
			          !elf_section(&elf, i, &section));
		ck_assert_uint_eq(elf_build_id(&elf).size, 0);
	}
}
END_TEST

/* Bytes of a section or segment that wrap, or reach past the end, are none. */
START_TEST(ranges_outside_have_no_bytes)
{
	static const struct {
		uint64_t offset, size;
	} ranges[] = { { 0, UINT64_MAX },
		       { UINT64_MAX, 1 },
		       { UINT64_MAX, 2 },
		       { 1, UINT64_MAX },
		       { FIXTURE_OUT_MAX, FIXTURE_OUT_MAX } };
	struct fixture_out *file = make_file(&kinds[_i], false, NULL);
	struct elf elf = { .bytes = fixture_out_bytes(file) };

	for (size_t i = 0; i < COUNT(ranges); i++) {
		struct elf_section section = { .offset = ranges[i].offset, .size = ranges[i].size };
		struct elf_segment segment = { .offset = ranges[i].offset,
			                       .file_size = ranges[i].size };
		ck_assert(elf_section_bytes(&elf, &section).size == 0);
		ck_assert_ptr_nonnull(elf_section_bytes(&elf, &section).data);
		ck_assert(elf_segment_bytes(&elf, &segment).size == 0);
		ck_assert_ptr_nonnull(elf_segment_bytes(&elf, &segment).data);
	}
	struct elf_section nobits = { .type = ELF_SHT_NOBITS, .offset = 0, .size = 4 };
	ck_assert(elf_section_bytes(&elf, &nobits).size == 0);
}
END_TEST

/* Names that are not there: past their section, without an end, or without their section. */
START_TEST(bad_names_are_empty)
{
	bool wide = kinds[_i].wide;
	struct fixture_elf_places places;
	struct cairn_fault fault;
	struct elf_section section;
	struct elf elf;
	struct fixture_out *file = make_file(&kinds[_i], false, &places);
	size_t header = places.sections + fixture_section_size(wide);

	fixture_out_poke(file, header, 0x7fffffff, 4);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_section(&elf, 1, &section) && section.name.size == 0);
	file = make_file(&kinds[_i], false, &places);
	file->data[places.bytes[4] + strlen("/.text/.note/.bss")] = 'x'; /* its last NUL */
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_section(&elf, 3, &section) && section.name.size == 0);
	ck_assert(elf_section(&elf, 1, &section) && named(&section, ".text"));
	file = make_file(&kinds[_i], false, &places);
	fixture_out_poke(file, wide ? 62 : 50, 77, 2);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_section(&elf, 1, &section) && section.name.size == 0);
}
END_TEST

/* A name is looked for in its first 4096 bytes only. */
START_TEST(endless_names_are_empty)
{
	static char names[5000];
	static struct fixture_out file;
	struct fixture_section section = { ".x", 3, 0, { (const uint8_t *)names, sizeof(names) },
		                           0,    0 };
	struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0, 0, NULL, 1, &section };
	struct cairn_fault fault;
	struct elf_section found;
	struct elf elf;

	memset(names, 'n', sizeof(names) - 1);
	fixture_elf(&file, &made, NULL);
	fixture_out_poke(&file, 62, 1, 2); /* the names are in section 1 now */
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_section(&elf, 2, &found) && found.name.size == 0);
	fixture_out_poke(&file, fixture_out_bytes(&file).size - 64, 4000, 4);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_section(&elf, 2, &found) && found.name.size == 999);
}
END_TEST

/* Notes, by their build ID. */
static const struct {
	const char *name;
	struct cairn_bytes notes; /* little-endian */
	const char *id;
} notes[] = {
	{ "one", BYTES("\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abcd"), "abcd" },
	{ "padded", BYTES("\4\0\0\0\3\0\0\0\3\0\0\0GNU\0abc\0"), "abc" },
	{ "padding cut off", BYTES("\4\0\0\0\3\0\0\0\3\0\0\0GNU\0abc"), "abc" },
	{ "behind another type",
	  BYTES("\4\0\0\0\5\0\0\0\1\0\0\0GNU\0hello\0\0\0\4\0\0\0\2\0\0\0\3\0\0\0GNU\0id"), "id" },
	{ "behind another name",
	  BYTES("\3\0\0\0\1\0\0\0\3\0\0\0Go\0\0x\0\0\0\4\0\0\0\2\0\0\0\3\0\0\0GNU\0id"), "id" },
	{ "behind a note without name and content",
	  BYTES("\0\0\0\0\0\0\0\0\3\0\0\0\4\0\0\0\2\0\0\0\3\0\0\0GNU\0id"), "id" },
	{ "none", BYTES(""), "" },
	{ "short header", BYTES("\4\0\0\0\4\0\0\0\3\0\0"), "" },
	{ "name cut", BYTES("\4\0\0\0\4\0\0\0\3\0\0\0GNU"), "" },
	{ "content cut", BYTES("\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abc"), "" },
	{ "content of 4 GiB", BYTES("\4\0\0\0\xff\xff\xff\xff\3\0\0\0GNU\0abcd"), "" },
	{ "name of 4 GiB", BYTES("\xfd\xff\xff\xff\4\0\0\0\3\0\0\0GNU\0abcd"), "" },
	{ "another name of 4 bytes", BYTES("\4\0\0\0\4\0\0\0\3\0\0\0GNX\0abcd"), "" },
	{ "longer name", BYTES("\5\0\0\0\4\0\0\0\3\0\0\0GNUX\0\0\0\0abcd"), "" },
};

START_TEST(finds_the_build_id_in_notes)
{
	struct cairn_bytes in = unit_exact(notes[_i].notes);
	struct cairn_bytes id = elf_build_id_in_notes(in, false);

	ck_assert_ptr_nonnull(id.data);
	ck_assert_msg(id.size == strlen(notes[_i].id) &&
	                      memcmp(id.data, notes[_i].id, id.size) == 0,
	              "%s: %zu bytes", notes[_i].name, id.size);
}
END_TEST

/* From the note segment, else from note sections. */
START_TEST(finds_the_build_id_of_a_file)
{
	static struct fixture_out file, first, second;
	struct fixture_section sections[2] = { { "a", ELF_SHT_NOTE, 0, { NULL, 0 }, 0, 0 },
		                               { "b", ELF_SHT_NOTE, 0, { NULL, 0 }, 0, 0 } };
	struct fixture_segment segment = { ELF_PT_NOTE, 4, 0, 0, 2 };
	struct fixture_elf made = {
		kinds[_i].wide, kinds[_i].big, false, ELF_TYPE_DYN, 62, 0, 1, &segment, 2, sections
	};
	struct cairn_fault fault;
	struct elf elf;

	first.big = second.big = kinds[_i].big;
	fixture_note(&first, "GNU", 3, "first", 5);
	fixture_note(&second, "GNU", 1, "x", 1);
	fixture_note(&second, "GNU", 3, "second", 6);
	sections[0].bytes = fixture_out_bytes(&first);
	sections[1].bytes = fixture_out_bytes(&second);
	fixture_elf(&file, &made, NULL);
	ck_assert_int_eq(elf_open(fixture_out_bytes(&file), &elf, &fault), CAIRN_OK);
	struct cairn_bytes id = elf_build_id(&elf);
	ck_assert(id.size == 6 && memcmp(id.data, "second", 6) == 0);
	const struct cairn_bytes bytes = fixture_out_bytes(&file);
	ck_assert(elf_is_of_build(bytes, (struct cairn_bytes)BYTES("second")));
	ck_assert(!elf_is_of_build(bytes, (struct cairn_bytes)BYTES("secona")) &&
	          !elf_is_of_build(bytes, (struct cairn_bytes)BYTES("first")) &&
	          !elf_is_of_build(bytes, (struct cairn_bytes)BYTES("")));
	ck_assert(!elf_is_of_build((struct cairn_bytes){ bytes.data, 3 },
	                           (struct cairn_bytes)BYTES("second")));
	ck_assert(elf_shows_build_id(&elf));
	elf.segments = 0;
	ck_assert(!elf_shows_build_id(&elf));
	id = elf_build_id(&elf);
	ck_assert(id.size == 5 && memcmp(id.data, "first", 5) == 0);
	elf.sections = 0;
	ck_assert_uint_eq(elf_build_id(&elf).size, 0);
}
END_TEST

/* What compilers leave behind their names. */
static const struct {
	struct cairn_bytes comment;
	bool by_clang;
} comments[] = {
	{ BYTES(""), false },
	{ BYTES("GCC: (Debian 12.2.0-14) 12.2.0\0"), false },
	{ BYTES("GCC: 12.2.0\0Debian clang version 14.0.6\0"), true },
	{ BYTES("clang version"), true },
	{ BYTES("clang versio"), false },
};

START_TEST(knows_clang)
{
	static struct fixture_out file;
	struct fixture_section section = {
		".comment", 1, 0, unit_exact(comments[_i].comment), 0, 0
	};
	struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0, 0, NULL, 1, &section };
	struct cairn_fault fault;
	struct elf elf;

	fixture_elf(&file, &made, NULL);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_by_clang(&elf) == comments[_i].by_clang);
	elf.sections = 0;
	ck_assert(!elf_by_clang(&elf));
}
END_TEST

/* Sections that tell of frames, and one that does not. */
START_TEST(knows_tables_of_frames)
{
	static const struct {
		const char *name;
		bool unwinds;
	} sections[] = { { ".eh_frame", true },
		         { ".debug_frame", true },
		         { ".sframe", true },
		         { ".eh_frame_hdr", false } };
	static struct fixture_out file;
	struct cairn_fault fault;
	struct elf elf;

	for (size_t i = 0; i < COUNT(sections); i++) {
		struct fixture_section section = { sections[i].name, 1, 0, BYTES("x"), 0, 0 };
		struct fixture_elf made = { true, false, false, ELF_TYPE_DYN, 62, 0,
			                    0,    NULL,  1,     &section };
		fixture_elf(&file, &made, NULL);
		ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault),
		                 CAIRN_OK);
		ck_assert(elf_unwinds(&elf) == sections[i].unwinds);
	}
}
END_TEST

/* A table whose section has another name is found by the program header. */
START_TEST(knows_tables_without_their_section)
{
	static const struct fixture_section section = { ".other", 1, 0x1000, BYTES("x"), 0, 0 };
	struct fixture_segment segment = { ELF_PT_LOAD, 4, 0x1000, 1, 1 };
	const struct fixture_elf made = { true, false,    false, ELF_TYPE_DYN, 62, 0,
		                          1,    &segment, 1,     &section };
	static struct fixture_out file;
	struct cairn_fault fault;
	struct elf elf;

	fixture_elf(&file, &made, NULL);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	ck_assert(!elf_unwinds(&elf));
	segment.type = ELF_PT_GNU_EH_FRAME;
	fixture_elf(&file, &made, NULL);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(&file)), &elf, &fault), CAIRN_OK);
	ck_assert(elf_unwinds(&elf));
}
END_TEST

/* Relocations: 1 .rela.other for 3, 2 .rela.sframe for 4, 3 other, 4 .sframe, 5 symbols. */
static struct fixture_out *make_relocatable(const struct kind *kind,
                                            struct fixture_elf_places *places)
{
	static struct fixture_out file, other, wanted, symbols;
	bool wide = kind->wide;
	uint32_t none = 0, first = 1, second = 2;

	other.big = wanted.big = symbols.big = kind->big;
	other.size = wanted.size = symbols.size = 0;
	fixture_symbol(&symbols, wide, 0, 0);
	fixture_symbol(&symbols, wide, 3, 0x100);
	fixture_symbol(&symbols, wide, 0xfff1, (uint64_t)-8);
	fixture_relocation(&other, wide, 1, first, 2, 0);
	fixture_relocation(&wanted, wide, 0x1c, first, 2, 0x10);
	fixture_relocation(&wanted, wide, 0x2c, first, 0, 0x20); /* R_NONE */
	fixture_relocation(&wanted, wide, 0x3c, 77, 2, 0x30);    /* no such symbol */
	fixture_relocation(&wanted, wide, 0x4c, second, 24, 4);  /* wraps */
	fixture_relocation(&wanted, wide, 0x5c, none, 2, 0x50);  /* undefined */
	fixture_out_text(&wanted, "cut", 3);
	struct fixture_section sections[] = {
		{ ".rela.other", ELF_SHT_RELA, 0, fixture_out_bytes(&other), 5, 3 },
		{ ".rela.sframe", ELF_SHT_RELA, 0, fixture_out_bytes(&wanted), 5, 4 },
		{ "other", 1, 0, BYTES("xxxx"), 0, 0 },
		{ ".sframe", 1, 0, BYTES("xxxx"), 0, 0 },
		{ ".symtab", 2, 0, fixture_out_bytes(&symbols), 0, 0 },
	};
	struct fixture_elf elf = {
		wide, kind->big, false, ELF_TYPE_REL, 62, 0, 0, NULL, 5, sections
	};
	fixture_elf(&file, &elf, places);
	return &file;
}

START_TEST(reads_relocations)
{
	static const struct elf_relocation expected[] = { { 0x1c, 2, 3, 0x110, false },
		                                          { 0x4c, 24, 0xfff1, (uint64_t)-4, false },
		                                          { 0x5c, 2, 0, 0x50, false } };
	struct elf_relocation r;
	struct cairn_fault fault;
	uint32_t section = 0;
	uint64_t at = 0;
	struct elf elf;
	struct cairn_bytes bytes =
		unit_exact(fixture_out_bytes(make_relocatable(&kinds[_i], NULL)));

	ck_assert_int_eq(elf_open(bytes, &elf, &fault), CAIRN_OK);
	for (size_t i = 0; i < COUNT(expected); i++) {
		uint64_t value = expected[i].value;
		ck_assert(elf_next_relocation(&elf, 4, &section, &at, &r));
		ck_assert(r.offset == expected[i].offset && r.type == expected[i].type);
		ck_assert_uint_eq(r.section, expected[i].section);
		ck_assert_uint_eq(kinds[_i].wide ? r.value : (uint32_t)r.value,
		                  kinds[_i].wide ? value : (uint32_t)value);
	}
	ck_assert(!elf_next_relocation(&elf, 4, &section, &at, &r));
	ck_assert(!elf_next_relocation(&elf, 4, &section, &at, &r));
	ck_assert_uint_eq(section, 2);
	at = 0;
	ck_assert(!elf_next_relocation(&elf, 5, &section, &at, &r)); /* it has none */
}
END_TEST

/* Relocations whose symbols cannot be read are passed over. */
START_TEST(relocations_without_symbols_end)
{
	bool wide = kinds[_i].wide;
	struct fixture_elf_places places;
	struct fixture_out *file = make_relocatable(&kinds[_i], &places);
	struct elf_relocation r;
	struct cairn_fault fault;
	uint32_t section = 0;
	uint64_t at = 0;
	struct elf elf;

	fixture_out_poke(file, places.sections + 2 * fixture_section_size(wide) + (wide ? 40 : 24),
	                 99, 4);
	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault), CAIRN_OK);
	ck_assert(!elf_next_relocation(&elf, 4, &section, &at, &r));
}
END_TEST

/* How many bytes of the file stay when its section .text is replaced. */
static size_t kept_bytes(struct fixture_out *file)
{
	struct elf_append append;
	struct cairn_fault fault;
	struct elf elf;
	size_t kept;

	ck_assert_int_eq(elf_open(unit_exact(fixture_out_bytes(file)), &elf, &fault), CAIRN_OK);
	uint8_t *memory = malloc(elf_append_capacity(&elf, ".text"));
	ck_assert(memory != NULL);
	ck_assert_int_eq(elf_append_section(&elf, ".text", (struct cairn_bytes)BYTES("new"), memory,
	                                    &append, &fault),
	                 CAIRN_OK);
	kept = append.part[0].size + append.part[1].size;
	free(memory);
	return kept;
}

/* The bytes of the last section need not stay when it is replaced, unless a segment reaches past where it begins. */
START_TEST(replaced_bytes_stay_where_a_segment_has_them)
{
	const bool wide = kinds[_i].wide;
	const size_t size_at = wide ? 32 : 16, width = wide ? 8 : 4;
	struct fixture_elf_places places;
	struct fixture_out *file = make_file(&kinds[_i], false, &places);

	fixture_out_poke(file, places.segments + size_at, 0, width);
	ck_assert_uint_eq(kept_bytes(file), places.bytes[1]);
	/* its end is past 2^64 */
	fixture_out_poke(file, places.segments + size_at, UINT64_MAX, width);
	ck_assert_uint_eq(kept_bytes(file), fixture_out_bytes(file).size);
}
END_TEST

static void add_contents(Suite *suite)
{
	TCase *contents = tcase_create("contents");

	tcase_add_loop_test(contents, ranges_outside_have_no_bytes, 0, COUNT(kinds));
	tcase_add_loop_test(contents, bad_names_are_empty, 0, COUNT(kinds));
	tcase_add_test(contents, endless_names_are_empty);
	tcase_add_loop_test(contents, finds_the_build_id_in_notes, 0, COUNT(notes));
	tcase_add_loop_test(contents, finds_the_build_id_of_a_file, 0, COUNT(kinds));
	tcase_add_loop_test(contents, reads_relocations, 0, COUNT(kinds));
	tcase_add_loop_test(contents, relocations_without_symbols_end, 0, COUNT(kinds));
	tcase_add_loop_test(contents, replaced_bytes_stay_where_a_segment_has_them, 0,
	                    COUNT(kinds));
	suite_add_tcase(suite, contents);
}

int main(void)
{
	Suite *suite = suite_create("elf");
	TCase *headers_case = tcase_create("headers");

	tcase_add_loop_test(headers_case, reads_either_class_and_order, 0, 2 * COUNT(kinds));
	tcase_add_loop_test(headers_case, knows_its_machines, 0, COUNT(machines));
	tcase_add_loop_test(headers_case, refuses_odd_headers, 0, COUNT(headers));
	tcase_add_test(headers_case, sizes_of_nothing_do_not_matter);
	tcase_add_loop_test(headers_case, notices_every_cut_of_the_header, 0, COUNT(kinds));
	tcase_add_loop_test(headers_case, reads_what_a_cut_left, 0, 2 * COUNT(kinds));
	tcase_add_loop_test(headers_case, hidden_counts_are_bounded, 0, COUNT(kinds));
	tcase_add_loop_test(headers_case, tables_outside_are_not_there, 0, COUNT(far_tables));
	tcase_add_loop_test(headers_case, knows_clang, 0, COUNT(comments));
	tcase_add_test(headers_case, knows_tables_of_frames);
	tcase_add_test(headers_case, knows_tables_without_their_section);
	suite_add_tcase(suite, headers_case);
	add_contents(suite);
	return unit_run(suite);
}
