/* SPDX-License-Identifier: MIT */
/* Functions as an object: which code is told of which function, and that memory may run out. */
#include "unit.h"

#include "check_object.h"
#include "failing_alloc.h"

#include "base/bytes.h"
#include "formats/dwarf/line.h"
#include "formats/elf/elf.h"
#include "writers/elf/internal.h"

#include <stdio.h>

static const struct function_file files[] = {
	{ BYTES(""), BYTES("") },
	{ BYTES("/src"), BYTES("a.c") },
	{ BYTES(""), BYTES("b.c") },
};

static const struct function_row rows[] = { ROW(0x1000, 1, 1), ROW(0x1004, 2, 2),
	                                    ROW(0x1008, 0, 0) };
static const struct cairn_range ranges[] = {
	{ 0x1000, 0x1010 }, { 0x1004, 0x1008 }, { 0x1006, 0x1020 }, { 0x1006, 0x100c }
};
/* the third call overlaps the first, of its depth; the fourth lies inside it */
static const struct function_inline calls[] = {
	{ 1, 0, 1, 1, 7, 0, BYTES("first"), 0, 0 },
	{ 2, 1, 1, 2, 8, 0, BYTES(""), 0, 0 },
	{ 1, 2, 1, 0, 0, 0, BYTES("_ZN5third4callEv"), 0, 0 },
	{ 2, 3, 1, 1, 9, 0, BYTES("lost"), 0, 0 },
};

/* of a part that begins at 0x2000: the first call goes on, and so does the second, in it; a third is
 * there alone */
static const struct function_row cold_rows[] = { ROW(0x2000, 1, 9), ROW(0x2008, 2, 3) };
static const struct cairn_range cold_ranges[] = { { 0x2000, 0x200c },
	                                          { 0x2000, 0x2004 },
	                                          { 0x2004, 0x2008 } };
static const struct function_inline cold_calls[] = {
	{ 1, 0, 1, 1, 7, 0, BYTES("first"), 0, 0 },
	{ 2, 1, 1, 2, 8, 0, BYTES(""), 0, 0 },
	{ 2, 2, 1, 2, 8, 0, BYTES("other"), 0, 0 },
};

/* of a part in front of its function */
static const struct function_row early_rows[] = { ROW(0x800, 1, 9) };
static const struct cairn_range early_ranges[] = { { 0x800, 0x80c }, { 0x804, 0x808 } };
static const struct function_inline early_calls[] = {
	{ 1, 0, 1, 1, 7, 0, BYTES("over"), 0, 0 },
	{ 2, 1, 1, 2, 8, 0, BYTES("inner"), 0, 0 },
};
static const struct cairn_range twice_ranges[] = { { 0x1000, 0x1008 },
	                                           { 0x1004, 0x1008 },
	                                           { 0x1018, 0x101c } };
static const struct function_inline twice_calls[] = {
	{ 1, 0, 1, 1, 7, 0, BYTES("over"), 0, 0 },
	{ 2, 1, 1, 2, 8, 0, BYTES("inner"), 0, 0 },
	{ 1, 2, 1, 1, 7, 0, BYTES("over"), 0, 0 },
};

/* where both say where calls are entered: the first goes on, in an inner call of its own; the other one,
 * which is made at the same place, does not */
static const struct cairn_range known_ranges[] = { { 0x800, 0x808 },
	                                           { 0x804, 0x808 },
	                                           { 0x808, 0x80c } };
static const struct function_inline known_calls[] = {
	{ 1, 0, 1, 1, 7, 0, BYTES("over"), 0x1004, 0 },
	{ 2, 1, 1, 2, 8, 0, BYTES("inner"), 0, 0 },
	{ 1, 2, 1, 1, 7, 0, BYTES("over"), 0, 0 },
};
static const struct function_inline known_twice[] = {
	{ 1, 0, 1, 1, 7, 0, BYTES("over"), 0x1004, 0 },
	{ 2, 1, 1, 2, 8, 0, BYTES("inner"), 0, 0 },
	{ 1, 2, 1, 1, 7, 0, BYTES("over"), 0, 0 },
};

#define KNOWN                                                                \
	.files = files, .file_count = 3, .rows = early_rows, .row_count = 1, \
	.range = known_ranges, .inlines = known_calls, .inline_count = 3, .parted = true
#define KNOWN_TWICE .range = twice_ranges, .inlines = known_twice, .inline_count = 3, .parted = true
#define EARLY                                                                \
	.files = files, .file_count = 3, .rows = early_rows, .row_count = 1, \
	.range = early_ranges, .inlines = early_calls, .inline_count = 2
#define TWICE(calls) .range = twice_ranges, .inlines = twice_calls, .inline_count = calls
#define COLD_ROWS .files = files, .file_count = 3, .rows = cold_rows, .row_count = 2
#define COLD_CALLS .range = cold_ranges, .inlines = cold_calls, .inline_count = 3
#define ROWS .files = files, .file_count = 3, .rows = rows, .row_count = 3
#define PLAIN .rows = NULL
/* an instruction of a call that is put into code of another file, and no statement begins with it */
static const struct function_row between_rows[] = { { 0x1000, 1, 1, true, false, false, 0 },
	                                            { 0x1000, 2, 7, false, false, false, 0 },
	                                            { 0x1004, 1, 2, true, false, false, 0 } };
#define BETWEEN .files = files, .file_count = 3, .rows = between_rows, .row_count = 3
#define CALLS .range = ranges, .inlines = calls, .inline_count = 4

static const struct {
	const char *name;
	struct function function[4];
	size_t symbols; /* without the first one */
	size_t texts;   /* sections of code */
} cases[] = {
	{ "one", { { 0x1000, 0x20, BYTES("f"), ROWS, CALLS } }, 1, 1 },
	{ "none with a name", { { 0x1000, 0x20, BYTES(""), ROWS } }, 0, 0 },
	{ "inside another",
	  { { 0x1000, 0x40, BYTES("f"), ROWS, CALLS }, { 0x1010, 8, BYTES("g"), PLAIN } },
	  2,
	  1 },
	{ "one behind the other's end",
	  { { 0x1010, 0x40, BYTES("g"), PLAIN }, { 0x1000, 0x20, BYTES("f"), ROWS, CALLS } },
	  2,
	  1 },
	{ "twins",
	  { { 0x1000, 0x20, BYTES("f"), PLAIN }, { 0x1000, 0x20, BYTES("g"), ROWS, CALLS } },
	  2,
	  1 },
	{ "same start",
	  { { 0x1000, 0x20, BYTES("f"), ROWS }, { 0x1000, 0x10, BYTES("_ZN1g1hEv"), PLAIN } },
	  2,
	  1 },
	{ "without sizes",
	  { { 0x1000, 0, BYTES("f"), ROWS }, { 0x1020, 0, BYTES("_RNvC1a1b"), PLAIN } },
	  2,
	  1 },
	{ "the PLT behind",
	  { { 0x1000, 0, BYTES("_init"), PLAIN }, { 0x1060, 4, BYTES("main"), PLAIN } },
	  2,
	  2 },
	{ "a cold part",
	  { { 0x2000, 0x10, BYTES("f.cold"), COLD_ROWS, COLD_CALLS },
	    { 0x1000, 0x20, BYTES("f"), ROWS, CALLS } },
	  2,
	  2 },
	{ "a cold part of a cold part",
	  { { 0x2000, 0x10, BYTES("f.cold"), COLD_ROWS, COLD_CALLS },
	    { 0x3000, 0x10, BYTES("f.cold.cold"), PLAIN },
	    { 0x1000, 0x20, BYTES("f"), ROWS, CALLS } },
	  3,
	  3 },
	{ "a cold part inside",
	  { { 0x1010, 4, BYTES("f.cold"), PLAIN }, { 0x1000, 0x20, BYTES("f"), ROWS, CALLS } },
	  2,
	  1 },
	{ "a cold part of one of two",
	  { { 0x1000, 0x10, BYTES("f"), PLAIN },
	    { 0x1010, 0x10, BYTES("f"), PLAIN },
	    { 0x1020, 0x10, BYTES("f.cold"), PLAIN } },
	  3,
	  1 },
	{ "a cold part before it",
	  { { 0x800, 0x10, BYTES("f.cold"), EARLY }, { 0x1000, 0x20, BYTES("f"), ROWS, TWICE(3) } },
	  2,
	  2 },
	{ "a cold part that repeats a call",
	  { { 0x800, 0x10, BYTES("f.cold"), EARLY }, { 0x1000, 0x20, BYTES("f"), ROWS, TWICE(2) } },
	  2,
	  2 },
	{ "a cold part that knows entries",
	  { { 0x800, 0x10, BYTES("f.cold"), KNOWN },
	    { 0x1000, 0x20, BYTES("f"), ROWS, KNOWN_TWICE } },
	  2,
	  2 },
	{ "without lines beside one that has them",
	  { { 0x1000, 0x20, BYTES("f"), ROWS }, { 0x1020, 0x10, BYTES("_start"), PLAIN } },
	  2,
	  1 },
	{ "of a class in a function",
	  { { 0x1000, 0x10, BYTES("_ZN1a1fEv"), ROWS },
	    { 0x1010, 0x10, BYTES("_ZZN1a1fEvEN6walker4stepEv"), ROWS } },
	  2,
	  1 },
	{ "marked", { { 0x1000, 0x20, BYTES("f"), ROWS, CALLS, .statements = true } }, 1, 1 },
	{ "marked in two files",
	  { { 0x1000, 0x20, BYTES("f"), BETWEEN, .statements = true } },
	  1,
	  1 },
	{ "at the end of all",
	  { { UINT32_MAX - 8, 8, BYTES("f"), PLAIN }, { 0, 1, BYTES("g"), PLAIN } },
	  2,
	  2 },
};

static const struct cairn_object_options forms[] = {
	{ .machine = 62 },
	{ .machine = 62, .unwinds = true },
	{ .machine = 22, .big_endian = true },
	{ .machine = 40, .narrow = true },
	{ .machine = 8, .narrow = true, .big_endian = true, .build_id = BYTES("0123456789") },
};

static enum cairn_status write_limited(size_t number, const struct cairn_object_options *options,
                                       size_t limit, uint8_t **bytes, size_t *size)
{
	struct elf_writer *writer = elf_writer_new(options, NULL, limit);
	enum cairn_status status = CAIRN_OK;

	if (!writer)
		return CAIRN_NO_MEMORY;
	const struct function_sink sink = elf_writer_sink(writer);
	for (size_t i = 0; status == CAIRN_OK && i < 4; i++)
		if (cases[number].function[i].name.data)
			status = sink.take(sink.context, &cases[number].function[i]);
	if (status == CAIRN_OK)
		status = elf_writer_finish(writer, bytes, size);
	elf_writer_free(writer);
	return status;
}

static enum cairn_status write_case(size_t number, const struct cairn_object_options *options,
                                    uint8_t **bytes, size_t *size)
{
	return write_limited(number, options, 0, bytes, size);
}

static size_t count_texts(const struct elf *elf)
{
	struct elf_section section;
	size_t count = 0;

	for (uint32_t i = 1; i < elf->sections; i++)
		count += elf_section(elf, i, &section) && section.type == ELF_SHT_NOBITS;
	return count;
}

static void check_case(size_t number, const struct cairn_object_options *options)
{
	struct elf_section symbols;
	struct cairn_fault fault;
	struct elf elf;
	uint8_t *bytes;
	size_t size;
	enum cairn_status status = write_case(number, options, &bytes, &size);

	ck_assert_int_eq(status, cases[number].symbols ? CAIRN_OK : CAIRN_NOT_FOUND);
	if (status != CAIRN_OK)
		return;
	const char *flaw = check_object((struct cairn_bytes){ bytes, size });
	ck_assert_msg(!flaw, "%s: %s", cases[number].name, flaw);
	ck_assert_int_eq(elf_open((struct cairn_bytes){ bytes, size }, &elf, &fault), CAIRN_OK);
	ck_assert_uint_eq(elf.machine, options->machine);
	ck_assert(elf.big == options->big_endian && elf.wide == !options->narrow);
	ck_assert(elf_find_section(&elf, ".symtab", &symbols));
	ck_assert_uint_eq(symbols.size, (1 + cases[number].symbols) * symbols.entry_size);
	ck_assert_uint_eq(count_texts(&elf), cases[number].texts);
	ck_assert_uint_eq(elf_build_id(&elf).size, options->build_id.size);
	free(bytes);
}

START_TEST(writes_what_is_sound)
{
	for (size_t form = 0; form < COUNT(forms); form++)
		check_case((size_t)_i, &forms[form]);
}
END_TEST

START_TEST(keeps_what_is_asked_for)
{
	const struct cairn_object_options options = { .machine = 62, .keep = { 0x1000, 0x1008 } };
	const struct cairn_object_options other = { .machine = 62, .keep = { 0x2000, 0x3000 } };
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(write_case(0, &options, &bytes, &size), CAIRN_OK);
	ck_assert_ptr_null(check_object((struct cairn_bytes){ bytes, size }));
	free(bytes);
	ck_assert_int_eq(write_case(0, &other, &bytes, &size), CAIRN_NOT_FOUND);
}
END_TEST

/* The debug file of a program has its sections, so that a reader knows them again. */
START_TEST(takes_sections_of_the_program)
{
	static const struct cairn_section sections[] = { { ".init", 6, 4, { 0x2000, 0x2010 } },
		                                         { ".text", 6, 16, { 0x2100, 0x2200 } },
		                                         { ".data", 3, 8, { 0x3000, 0x3010 } } };
	const struct cairn_object_options options = { .machine = 62,
		                                      .shift = 0x1100,
		                                      .keep = { 0x2000, 0x4000 },
		                                      .section = sections,
		                                      .sections = COUNT(sections),
		                                      .entry = 0x2104 };
	struct elf_section section, symbols;
	struct cairn_fault fault;
	struct elf elf;
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(write_case(0, &options, &bytes, &size), CAIRN_OK);
	struct cairn_bytes object = { bytes, size };
	const char *flaw = check_object(object);
	ck_assert_msg(!flaw, "%s", flaw);
	ck_assert_int_eq(elf_open(object, &elf, &fault), CAIRN_OK);
	ck_assert_uint_eq(elf.entry, 0x2104);
	ck_assert_uint_eq(elf.segments, 2);
	ck_assert_uint_eq(count_texts(&elf), COUNT(sections));
	for (uint32_t i = 0; i < COUNT(sections); i++) {
		ck_assert(elf_section(&elf, i + 1, &section));
		ck_assert_uint_eq(section.va, sections[i].range.low);
		ck_assert_uint_eq(section.flags, sections[i].flags);
		ck_assert_mem_eq(section.name.data, sections[i].name, section.name.size);
	}
	/* f of case 0, moved to 0x2100: in the second section */
	ck_assert(elf_find_section(&elf, ".symtab", &symbols));
	struct cairn_bytes table = elf_section_bytes(&elf, &symbols);
	ck_assert_uint_eq(table.data[symbols.entry_size + 6], 2);
	ck_assert_uint_eq(table.data[symbols.entry_size + 8], 0);
	ck_assert_uint_eq(table.data[symbols.entry_size + 9], 0x21);
	free(bytes);
}
END_TEST

/* The rows of a case's object: s begins a statement, p ends the prologue, b both. */
static void say_flags(size_t number, const struct cairn_object_options *options, char *flags,
                      size_t capacity)
{
	struct dwarf_sections sections = { .big = options->big_endian };
	struct dwarf_line_entry entry;
	struct elf_section section;
	struct cairn_fault fault;
	struct dwarf_line line;
	struct dwarf_row row;
	uint8_t *bytes = NULL;
	size_t size = 0;
	struct elf elf;

	ck_assert_int_eq(write_case(number, options, &bytes, &size), CAIRN_OK);
	ck_assert_int_eq(elf_open((struct cairn_bytes){ bytes, size }, &elf, &fault), CAIRN_OK);
	ck_assert(elf_find_section(&elf, ".debug_line", &section));
	sections.line = elf_section_bytes(&elf, &section);
	ck_assert_int_eq(dwarf_open_line(&sections, 0, 8, &line, &fault), CAIRN_OK);
	while (dwarf_next_directory(&line, &entry))
		continue;
	while (dwarf_next_file(&line, &entry))
		continue;
	while (capacity > 1 && dwarf_next_row(&line, &row) && row.kind == DWARF_ROW) {
		*flags++ = "-spb"[(row.statement ? 1 : 0) + (row.prologue_end ? 2 : 0)];
		capacity--;
	}
	*flags = '\0';
	free(bytes);
}

/* clang ends the prologue with the second row; in gcc's functions GDB looks for the end itself. */
START_TEST(guesses_as_the_compiler_does)
{
	char gcc[8], clang[8];

	say_flags(0, &(struct cairn_object_options){ .machine = 62 }, gcc, sizeof(gcc));
	say_flags(0, &(struct cairn_object_options){ .machine = 62, .by_clang = true }, clang,
	          sizeof(clang));
	/* rows more for the calls that begin where a row does */
	ck_assert_str_eq(gcc, "sssss");
	ck_assert_str_eq(clang, "sbs");
}
END_TEST

/* Readers use memory again: the same pointer, and other files. */
START_TEST(forgets_the_files_of_another_set)
{
	struct file_map map = { .number = NULL };
	struct function function = {
		.files = files, .file_count = 2, .rows = rows, .row_count = 1
	};

	ck_assert(file_map_begin(&map, &function));
	map.number[1] = 7;
	ck_assert(file_map_begin(&map, &function));
	ck_assert_uint_eq(map.number[1], 7);
	function.file_count = 1000; /* more of the same */
	ck_assert(file_map_begin(&map, &function));
	ck_assert_uint_eq(map.number[1], 7);
	for (size_t i = 2; i < function.file_count; i++)
		ck_assert_uint_eq(map.number[i], FILE_MAP_NONE);
	map.number[999] = 8;
	function.file_set++;
	ck_assert(file_map_begin(&map, &function));
	for (size_t i = 0; i < function.file_count; i++)
		ck_assert_uint_eq(map.number[i], FILE_MAP_NONE);
	file_map_finish(&map);
}
END_TEST

/* Both functions have the same pointer to files, and not the same files. */
START_TEST(writes_files_of_two_sets)
{
	struct function_file own[2] = { { BYTES(""), BYTES("") }, { BYTES("/src"), BYTES("a.c") } };
	struct function function = { .start = 0x1000,
		                     .size = 16,
		                     .name = BYTES("f"),
		                     .files = own,
		                     .file_count = 2,
		                     .rows = rows,
		                     .row_count = 1 };
	struct elf_writer *w =
		elf_writer_new(&(struct cairn_object_options){ .machine = 62 }, NULL, 0);
	struct function_sink sink = elf_writer_sink(w);

	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	own[1].name = (struct cairn_bytes)BYTES("b.c");
	function.file_set = 1;
	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	struct elf_writer_rows first = elf_writer_rows(w, &w->function[0]);
	struct elf_writer_rows second = elf_writer_rows(w, &w->function[1]);
	ck_assert(elf_writer_next_row(&first) && elf_writer_next_row(&second));
	ck_assert_uint_ne(first.path, second.path);
	elf_writer_free(w);
}
END_TEST

static struct elf_writer *settle_case(size_t number)
{
	struct elf_writer *w =
		elf_writer_new(&(struct cairn_object_options){ .machine = 62 }, NULL, 0);
	const struct function_sink sink = elf_writer_sink(w);

	for (size_t i = 0; i < 4; i++)
		if (cases[number].function[i].name.data)
			ck_assert_int_eq(sink.take(sink.context, &cases[number].function[i]),
			                 CAIRN_OK);
	ck_assert(elf_writer_assign_code(w));
	return w;
}

static size_t find_case(const char *name)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		if (strcmp(cases[i].name, name) == 0)
			return i;
	ck_abort_msg("no case %s", name);
	return 0;
}

/* GDB ignores the row between, and what it then takes for the end of the one before is as in a complete build. */
START_TEST(keeps_rows_between_files)
{
	char flags[8];

	say_flags(find_case("marked in two files"), &(struct cairn_object_options){ .machine = 62 },
	          flags, sizeof(flags));
	ck_assert_str_eq(flags, "s-s");
}
END_TEST

/* The symbol of "f.cold" is local and comes first, as those of compilers, and so is that of a function in a function. */
static const struct {
	const char *of, *local;
} locals[] = {
	{ "a cold part", "f.cold" },
	{ "of a class in a function", "_ZZN1a1fEvEN6walker4stepEv" },
};

START_TEST(makes_symbols_of_clones_local)
{
	struct elf_section symbols, names;
	struct cairn_fault fault;
	struct elf elf;
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(write_case(find_case(locals[_i].of), &forms[0], &bytes, &size), CAIRN_OK);
	ck_assert_int_eq(elf_open((struct cairn_bytes){ bytes, size }, &elf, &fault), CAIRN_OK);
	ck_assert(elf_find_section(&elf, ".symtab", &symbols) &&
	          elf_find_section(&elf, ".strtab", &names));
	ck_assert_uint_eq(symbols.info, 2);
	const uint8_t *first = elf_section_bytes(&elf, &symbols).data + symbols.entry_size;
	const char *text = (const char *)elf_section_bytes(&elf, &names).data;
	ck_assert_str_eq(text + bytes_u32(first, false), locals[_i].local);
	free(bytes);
}
END_TEST

static const struct {
	const char *name;
	size_t function, count;
	struct {
		uint32_t depth;
		size_t ranges;
		uint64_t first, last;
	} call[5];
} joined[] = {
	{ "a cold part that knows entries",
	  1,
	  5,
	  { { 1, 2, 0x800, 0x1000 },
	    { 2, 1, 0x1004, 0x1004 },
	    { 2, 1, 0x804, 0x804 },
	    { 1, 1, 0x1018, 0x1018 },
	    { 1, 1, 0x808, 0x808 } } },
	{ "a cold part",
	  0,
	  4,
	  { { 1, 2, 0x1000, 0x2000 },
	    { 2, 2, 0x1004, 0x2000 },
	    { 2, 1, 0x2004, 0x2004 },
	    { 1, 1, 0x1010, 0x1010 } } },
	{ "a cold part before it",
	  1,
	  4,
	  { { 1, 1, 0x1000, 0x1000 },
	    { 2, 1, 0x1004, 0x1004 },
	    { 1, 2, 0x800, 0x1018 },
	    { 2, 1, 0x804, 0x804 } } },
	{ "a cold part that repeats a call",
	  1,
	  4,
	  { { 1, 1, 0x1000, 0x1000 },
	    { 2, 1, 0x1004, 0x1004 },
	    { 1, 1, 0x800, 0x800 },
	    { 2, 1, 0x804, 0x804 } } },
};

/* The code of "f.cold" belongs to f, and a call that goes on there is one call with both ranges. */
/* GDB would show lines of others for _start: it is a symbol alone, and no unit covers it. */
START_TEST(leaves_functions_without_lines_out)
{
	struct elf_writer *w = settle_case(find_case("without lines beside one that has them"));

	ck_assert(!w->function[0].is_bare && w->function[1].is_bare);
	ck_assert_uint_eq(w->units, 1);
	ck_assert_uint_eq(w->unit[0].ranges, 1);
	ck_assert_uint_eq(w->unit_ranges[0].high, 0x1020);
	elf_writer_free(w);
	w = settle_case(find_case("the PLT behind")); /* where none has any, all stay */
	ck_assert(!w->function[0].is_bare && !w->function[1].is_bare);
	elf_writer_free(w);
}
END_TEST

/* The last part of a template's instance may be long. */
START_TEST(shortens_long_names)
{
	const struct cairn_object_options options = { .machine = 62 };
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	const struct function_sink sink = elf_writer_sink(w);
	char name[512] = "_ZN1a1fIN1b300";

	memset(name + strlen(name), 'x', 300);
	strcat(name, "EEEvT_");
	const struct function function = {
		0x1000, 8, { (const uint8_t *)name, strlen(name) }, PLAIN
	};
	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	const struct cairn_bytes part =
		interner_text(&w->names, elf_writer_unqualified_name(w, w->function[0].name));
	ck_assert(bytes_continue_after(part, "f<b::xxx"));
	elf_writer_free(w);
}
END_TEST

START_TEST(joins_a_cold_part)
{
	struct elf_writer *w = settle_case(find_case(joined[_i].name));
	size_t function = joined[_i].function;
	struct elf_writer_calls taken;

	ck_assert(elf_writer_calls_init(&taken));
	ck_assert_uint_eq(w->function[function].pieces, 2);
	ck_assert_uint_eq(w->function[1 - function].pieces, 0);
	ck_assert(elf_writer_calls_read(&taken, w, &w->function[function]));
	ck_assert_uint_eq(taken.count, joined[_i].count);
	for (size_t i = 0; i < taken.count; i++) {
		const struct elf_writer_call *call = &taken.call[i];
		ck_assert_uint_eq(call->depth, joined[_i].call[i].depth);
		ck_assert_uint_eq(call->ranges, joined[_i].call[i].ranges);
		ck_assert_uint_eq(taken.ranges.range[call->range].low, joined[_i].call[i].first);
		ck_assert_uint_eq(taken.ranges.range[call->range + call->ranges - 1].low,
		                  joined[_i].call[i].last);
	}
	elf_writer_calls_finish(&taken);
	elf_writer_free(w);
}
END_TEST

/* An entry is written where it is not the start of the range that comes first; never for LLDB. */
START_TEST(tells_where_calls_are_entered)
{
	struct cairn_object_options options = { .machine = 62, .for_lldb = _i };
	const struct function *list = cases[find_case("a cold part that knows entries")].function;
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	struct function_sink sink = elf_writer_sink(w);
	const uint8_t entry[] = { 0x52, 0x01 }, place[] = { 4, 0x10, 0, 0, 0, 0, 0, 0 };
	unsigned found = 0;

	ck_assert(sink.take(sink.context, &list[0]) == CAIRN_OK &&
	          sink.take(sink.context, &list[1]) == CAIRN_OK);
	ck_assert(elf_writer_assign_code(w) && elf_writer_build_dwarf(w));
	for (size_t i = 0; i + sizeof(place) <= w->info.size; i++)
		found += memcmp(w->info.data + i, place, sizeof(place)) == 0;
	ck_assert_uint_eq(found, _i ? 1 : 2); /* the inner call begins there, too */
	found = 0;
	for (size_t i = 0; i + sizeof(entry) <= w->abbrev.size; i++)
		found += memcmp(w->abbrev.data + i, entry, sizeof(entry)) == 0;
	ck_assert_uint_eq(found, _i ? 0 : 4);
	elf_writer_free(w);
}
END_TEST

/*
 * LLDB has the breakpoint on a call at its lowest address: where it is entered, if that is below its code, as compilers write it by an
 * empty range.
 */
static const struct {
	bool for_lldb;
	uint64_t entry;
	size_t ranges;
} below[] = {
	{ true, 0x1008, 2 }, { true, 0x1000, 2 }, { true, 0x1010, 1 },  { true, 0x1012, 1 },
	{ true, 0x0ff8, 1 }, { true, 0x1020, 1 }, { false, 0x1008, 1 },
};

START_TEST(goes_to_entries_below)
{
	const struct cairn_object_options options = { .machine = 62,
		                                      .for_lldb = below[_i].for_lldb };
	const struct cairn_range range = { 0x1010, 0x1018 };
	const struct function_inline inlined = { 1, 0, 1, 1, 7, 0, BYTES("called"), below[_i].entry,
		                                 0 };
	const struct function function = { .start = 0x1000,
		                           .size = 0x20,
		                           .name = BYTES("f"),
		                           ROWS,
		                           .range = &range,
		                           .inlines = &inlined,
		                           .inline_count = 1,
		                           .statements = true };
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	struct function_sink sink = elf_writer_sink(w);
	struct elf_writer_calls taken;
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	ck_assert(elf_writer_assign_code(w) && elf_writer_calls_init(&taken));
	ck_assert(elf_writer_calls_read(&taken, w, &w->function[0]));
	ck_assert_uint_eq(taken.count, 1);
	ck_assert_uint_eq(taken.call[0].ranges, below[_i].ranges);
	const struct cairn_range *first = &taken.ranges.range[taken.call[0].range];
	ck_assert_uint_eq(first->low, below[_i].ranges == 2 ? below[_i].entry : range.low);
	ck_assert_uint_eq(first->high, below[_i].ranges == 2 ? below[_i].entry : range.high);
	elf_writer_calls_finish(&taken);
	elf_writer_free(w);

	w = elf_writer_new(&options, NULL, 0);
	sink = elf_writer_sink(w);
	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	ck_assert_int_eq(elf_writer_finish(w, &bytes, &size), CAIRN_OK);
	elf_writer_free(w);
	ck_assert_ptr_null(check_object((struct cairn_bytes){ bytes, size }));
	free(bytes);
}
END_TEST

/* A unit names gcc when its rows are marked, no prologue ends, and nothing else is known. */
static const struct {
	struct cairn_object_options options;
	bool statements, prologue_end, is_gcc;
} compilers[] = {
	{ { .machine = 62, .unwinds = true }, true, false, true },
	{ { .machine = 62, .unwinds = true }, false, false, false },
	{ { .machine = 62, .unwinds = true }, true, true, false },
	{ { .machine = 62, .unwinds = true, .by_clang = true }, true, false, false },
	{ { .machine = 62 }, true, false, false },
};

START_TEST(names_gcc)
{
	/* optimized: no statement begins with it */
	struct function_row row = { 0x1000, 1, 1, false, compilers[_i].prologue_end, false, 0 };
	const struct function function = { .start = 0x1000,
		                           .size = 16,
		                           .name = BYTES("f"),
		                           .files = files,
		                           .file_count = 2,
		                           .rows = &row,
		                           .row_count = 1,
		                           .statements = compilers[_i].statements };
	struct elf_writer *w = elf_writer_new(&compilers[_i].options, NULL, 0);
	struct function_sink sink = elf_writer_sink(w);
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	ck_assert_int_eq(elf_writer_finish(w, &bytes, &size), CAIRN_OK);
	elf_writer_free(w);
	ck_assert_ptr_null(check_object((struct cairn_bytes){ bytes, size }));
	ck_assert_int_eq(elf_open((struct cairn_bytes){ bytes, size }, &elf, &fault), CAIRN_OK);
	ck_assert(elf_find_section(&elf, ".debug_loclists", &section) == compilers[_i].is_gcc);
	free(bytes);
}
END_TEST

/* Where a breakpoint on a function belongs that marks no statements: by its code, for LLDB and gcc alone. */
static const struct {
	struct cairn_object_options options;
	struct cairn_bytes code;
	uint64_t va;
	bool at_start;
} openings[] = {
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\x53\x48\x83\xec\x10\x90\x90\x90"),
	  0x1000,
	  true },
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\x55\x48\x89\xe5\x90\x90\x90\x90"),
	  0x1000,
	  false },
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\x55\x48\x8b\xec\x90\x90\x90\x90"),
	  0x1000,
	  false },
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5"),
	  0x1000,
	  false },
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\xf3\x0f\x1e\xfa\x55\x53\x90\x90"),
	  0x1000,
	  true },
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\x53\x48\x83\xec\x10\x90\x90\x90"),
	  0x1008,
	  false },
	{ { .machine = 62, .for_lldb = true },
	  BYTES("\x53\x48\x83\xec\x10\x90\x90\x90"),
	  0xfff,
	  false },
	{ { .machine = 62, .for_lldb = true }, BYTES("\x53\x48\x83"), 0x1000, false },
	{ { .machine = 62 }, BYTES("\x53\x48\x83\xec\x10\x90\x90\x90"), 0x1000, false },
	{ { .machine = 62, .for_lldb = true, .by_clang = true },
	  BYTES("\x53\x48\x83\xec\x10\x90\x90\x90"),
	  0x1000,
	  false },
	{ { .machine = 183, .for_lldb = true },
	  BYTES("\x53\x48\x83\xec\x10\x90\x90\x90"),
	  0x1000,
	  false },
};

/* A program of nothing but these bytes of code, at 0x1000. */
static struct cairn_bytes make_program(struct cairn_bytes code, uint8_t *out)
{
	static const uint8_t header[] = { 0x7f,      'E',       'L',       'F',       2,
		                          1,         1,         [16] = 2,  [18] = 62, [20] = 1,
		                          [32] = 64, [52] = 64, [54] = 56, [56] = 1 };
	const uint8_t segment[56] = { 1,
		                      [4] = 5,
		                      [8] = 120,
		                      [17] = 0x10,
		                      [32] = (uint8_t)code.size,
		                      [40] = (uint8_t)code.size };

	memset(out, 0, 120);
	memcpy(out, header, sizeof(header));
	memcpy(out + 64, segment, sizeof(segment));
	memcpy(out + 120, code.data, code.size);
	return (struct cairn_bytes){ out, 120 + code.size };
}

START_TEST(knows_where_functions_begin)
{
	struct cairn_object_options options = openings[_i].options;
	uint8_t program[160];

	options.program = make_program(openings[_i].code, program);
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	ck_assert(object_stops_at_start(w, openings[_i].va) == openings[_i].at_start);
	w->options.program = (struct cairn_bytes){ program, 0 };
	ck_assert(!object_stops_at_start(w, openings[_i].va));
	elf_writer_free(w);
}
END_TEST

/* Names that LLDB shows are what its linkage name demangles to, arguments aside. */
static const struct {
	struct cairn_bytes name;
	struct cairn_bytes shown, linkage; /* no linkage: it does not matter */
} lldb_names[] = {
	{ BYTES("ns::Class::f(int)"), BYTES("f"), BYTES("_ZN2ns5Class1fE") },
	{ BYTES("f(int)"), BYTES("f"), BYTES("_Z1f") },
	{ BYTES("int part::spread<int>(int)"), BYTES("spread"), { NULL, 0 } },
	{ BYTES("f"), BYTES("f"), { NULL, 0 } },
	{ BYTES("_ZN2ns1fEv"), BYTES("f"), BYTES("_ZN2ns1fEv") },
	/* static functions have no linkage name */
	{ BYTES("ns::f"), BYTES("f"), BYTES("_ZN2ns1fE") },
	{ BYTES("ns::Box<a, b>::get<int>"), BYTES("get"), BYTES("_ZN2ns9Box<a, b>8get<int>E") },
	{ BYTES("(anonymous namespace)::f"), BYTES("f"), { NULL, 0 } },
	{ BYTES("int ns::f"), BYTES("int ns::f"), { NULL, 0 } },
	{ BYTES("::"), BYTES("::"), { NULL, 0 } },
	{ BYTES("ns::"), BYTES("ns::"), { NULL, 0 } },
	{ BYTES("::f"), BYTES("::f"), { NULL, 0 } },
	/* parts that were split off are called as what they are of */
	{ BYTES("_ZN2ns1fEv.cold"), BYTES("f"), BYTES("_ZN2ns1fEv") },
	{ BYTES("ns::f(int) [clone .cold]"), BYTES("f"), BYTES("_ZN2ns1fE") },
	{ BYTES("f.cold"), BYTES("f"), { NULL, 0 } },
};

START_TEST(makes_names_for_lldb)
{
	const struct cairn_object_options options = { .machine = 62, .for_lldb = true };
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	uint32_t name = elf_writer_clean_name(w, lldb_names[_i].name);
	struct elf_writer_debug_name made = elf_writer_lldb_name(w, name);

	ck_assert_uint_ne(name, 0);
	struct cairn_bytes shown = interner_text(&w->names, made.name);
	struct cairn_bytes linkage = interner_text(&w->names, made.linkage);
	ck_assert_uint_eq(shown.size, lldb_names[_i].shown.size);
	ck_assert_mem_eq(shown.data, lldb_names[_i].shown.data, shown.size);
	if (lldb_names[_i].linkage.size > 0) {
		ck_assert_uint_eq(linkage.size, lldb_names[_i].linkage.size);
		ck_assert_mem_eq(linkage.data, lldb_names[_i].linkage.data, linkage.size);
	}
	elf_writer_free(w);
}
END_TEST

/* Names with a path behind them are found by it, but for those of C++, which debuggers read. */
static const struct {
	struct cairn_bytes name; /* and the path */
	size_t size;             /* without it */
	const char *found;
} paths[] = {
	{ BYTES("_RNspeak\0\1k::{impl#1}::speak"), 8, "k|{impl#1}|speak" },
	{ BYTES("_RNspeak\0\1k::{impl#3}::speak<a::B<u8>>"), 8, "k|{impl#3}|speak<a::B<u8>>" },
	{ BYTES("_RNspeak.llvm.17\0\1k::Cat<a::B>::speak"), 16, "k|Cat<a::B>|speak" },
	{ BYTES("_ZN5speak17h0123456789abcdefE.llvm.17\0\1k::B<u8>::speak"), 37, "k|B<u8>|speak" },
	{ BYTES("_RNspeak\0\1speak"), 8, "speak" },
	{ BYTES("_RNspeak\0\1k::\033::speak"), 8, "k|\\x1b|speak" },
	{ BYTES("_ZN1a1bEv\0\1k::speak"), 9, "a|b" },
	{ BYTES("speak\0\1k::speak"), 5, "k|speak" },
};

START_TEST(finds_names_by_their_paths)
{
	const struct cairn_object_options options = { .machine = 62 };
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	const struct function_sink sink = elf_writer_sink(w);
	const struct cairn_bytes name = { paths[_i].name.data, paths[_i].size };
	const size_t behind = paths[_i].name.size - name.size - FUNCTION_PATH_GAP;
	const struct function function = { 0x1000, 8, name, PLAIN, .path_size = (uint32_t)behind };
	struct elf_writer_scopes around;
	char found[64] = "";

	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	elf_writer_scopes(w, w->function[0].name, &around);
	for (size_t i = 0; i <= around.count; i++) {
		const struct cairn_bytes part = interner_text(
			&w->names, i < around.count
					   ? around.name[i]
					   : elf_writer_unqualified_name(w, w->function[0].name));
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%.*s",
		         i > 0 ? "|" : "", (int)part.size, (const char *)part.data);
	}
	ck_assert_str_eq(found, paths[_i].found);
	elf_writer_free(w);
}
END_TEST

static const struct {
	struct cairn_bytes name; /* and the path */
	size_t size;             /* without it */
	unsigned language;
} languages[] = {
	{ BYTES("_ZN1a1b17h0123456789abcdefE"), 27, ELF_WRITER_RUST },
	{ BYTES("_ZN1a1b17h0123456789abcdefE.llvm.1234"), 37, ELF_WRITER_RUST },
	{ BYTES("_RNvC1a1b"), 9, ELF_WRITER_RUST },
	{ BYTES("b\0\1a::b"), 1, ELF_WRITER_RUST },
	{ BYTES("_ZN1a1bEv.cold"), 14, 0x1a },
	{ BYTES("b"), 1, 0x0c },
};

START_TEST(knows_languages)
{
	const struct cairn_object_options options = { .machine = 62 };
	const struct elf_writer_unit unit = { .first = 0, .count = 1 };
	struct elf_writer *w = elf_writer_new(&options, NULL, 0);
	const struct function_sink sink = elf_writer_sink(w);
	const struct cairn_bytes all = languages[_i].name;
	const size_t size = languages[_i].size;
	const struct function function = {
		0x1000,
		8,
		{ all.data, size },
		PLAIN,
		.path_size = all.size > size ? (uint32_t)(all.size - size) - FUNCTION_PATH_GAP : 0
	};
	bool mangles;

	ck_assert_int_eq(sink.take(sink.context, &function), CAIRN_OK);
	ck_assert_uint_eq(elf_writer_language(w, &unit, NULL, 0, &mangles), languages[_i].language);
	ck_assert(mangles == (languages[_i].language != 0x0c));
	elf_writer_free(w);
}
END_TEST

/* Two functions have the name, or the part lies in the middle: it stays a function. */
START_TEST(joins_nothing_else)
{
	static const char *const names[] = { "a cold part inside", "a cold part of one of two" };

	for (size_t n = 0; n < COUNT(names); n++) {
		struct elf_writer *w = settle_case(find_case(names[n]));
		for (size_t i = 0; i < w->functions; i++)
			ck_assert(w->function[i].cold == 0 && w->function[i].parent == 0);
		elf_writer_free(w);
	}
}
END_TEST

static const struct {
	struct cairn_bytes name;
	size_t size; /* of the name in the source */
} clones[] = {
	{ BYTES("yy_reduce.constprop.0"), 9 },
	{ BYTES("_ZN1a1bEv.isra.0.part.12.cold"), 9 },
	{ BYTES("main.cold"), 4 },
	{ BYTES("f.lto_priv.3"), 1 },
	{ BYTES("f.llvm.1234567890"), 1 },
	{ BYTES("f.constprop.0.cold.7"), 1 },
	{ BYTES("f.0"), 3 },
	{ BYTES("f.cold.x"), 8 },
	{ BYTES(".cold"), 5 },
	{ BYTES("cold.5"), 6 },
	{ BYTES(".5"), 2 },
	{ BYTES("main"), 4 },
	{ BYTES("a::f(int) [clone .isra.0]"), 9 },
	{ BYTES("a::f(int) [clone .constprop.0] [clone .isra.0] [clone .cold]"), 9 },
	{ BYTES("_f(int) [clone .isra.0.part.1]"), 7 },
	{ BYTES("a::f [clone .llvm.1234567890]"), 4 },
	{ BYTES("f(int) [clone .x]"), 17 },
	{ BYTES("f(int) [clone ]"), 15 },
	{ BYTES("f(int) [clone]"), 14 },
	{ BYTES("f [clone .cold] x]"), 18 },
	{ BYTES("f [.cold]"), 9 },
	{ BYTES(" [clone .cold]"), 14 },
	{ BYTES("[clone .cold]"), 13 },
	{ BYTES("[.cold]"), 7 },
	{ BYTES("]"), 1 },
};

START_TEST(knows_the_names_of_clones)
{
	ck_assert_uint_eq(elf_writer_source_name(clones[_i].name).size, clones[_i].size);
}
END_TEST

START_TEST(stays_below_its_limit)
{
	const struct cairn_object_options options = { .machine = 62 };
	uint8_t *bytes;
	size_t size;

	ck_assert_int_eq(write_limited(0, &options, 40, &bytes, &size), CAIRN_LIMIT);
}
END_TEST

START_TEST(lives_without_memory)
{
	uint8_t *bytes = NULL;
	size_t size;

	for (size_t n = 1;; n++) {
		failing_alloc_begin(n);
		enum cairn_status status = write_case((size_t)_i, &forms[0], &bytes, &size);
		if (status == CAIRN_OK)
			__wrap_free(bytes);
		bool failed = failing_alloc_end();
		ck_assert_int_eq(status, failed ? CAIRN_NO_MEMORY : CAIRN_OK);
		if (!failed)
			break;
	}
}
END_TEST

static const struct {
	struct cairn_bytes name, whole, last;
} readable[] = {
	{ BYTES("stop_here(int)"), BYTES("stop_here(int)"), BYTES("stop_here") },
	{ BYTES("long pile::fill(pile::Box, long)"), BYTES("pile::fill(pile::Box, long)"),
	  BYTES("fill") },
	{ BYTES("std::vector<int, std::less<int> >::size() const"),
	  BYTES("std::vector<int, std::less<int> >::size() const"), BYTES("size") },
	{ BYTES("void a<(b)1>::c<d(e)>(f) volatile const &&"),
	  BYTES("a<(b)1>::c<d(e)>(f) volatile const &&"), BYTES("c<d(e)>") },
	{ BYTES("(anonymous namespace)::run(int) [clone .isra.0]"),
	  BYTES("(anonymous namespace)::run(int) [clone .isra.0]"), BYTES("run") },
	{ BYTES("ns::run(box const*) const [clone .constprop.0] [clone .isra.0]"),
	  BYTES("ns::run(box const*) const [clone .constprop.0] [clone .isra.0]"), BYTES("run") },
	{ BYTES("bool operator<(box const&, box const&)"),
	  BYTES("operator<(box const&, box const&)"), BYTES("operator<") },
	{ BYTES("box::operator bool() const"), BYTES("box::operator bool() const"),
	  BYTES("operator bool") },
	{ BYTES("main::{lambda(int)#1}::operator()(int) const"),
	  BYTES("main::{lambda(int)#1}::operator()(int) const"), BYTES("operator()") },
	{ BYTES("a b::go(c) const &::{lambda(c)#1}::operator()(c) const"),
	  BYTES("b::go(c) const &::{lambda(c)#1}::operator()(c) const"), BYTES("operator()") },
	{ BYTES("x const::f(int)"), BYTES("const::f(int)"), BYTES("f") },
	{ BYTES("(int)"), BYTES(""), BYTES("") },
	{ BYTES("main"), BYTES(""), BYTES("") },
	{ BYTES("_ZN1a1bEi(x)"), BYTES(""), BYTES("") },
	{ BYTES("a(b"), BYTES(""), BYTES("") },
	{ BYTES("a)b)"), BYTES(""), BYTES("") },
	{ BYTES(")))((("), BYTES(""), BYTES("") },
	{ BYTES("()"), BYTES(""), BYTES("") },
	{ BYTES("]()["), BYTES(""), BYTES("") },
	{ BYTES("() []"), BYTES(""), BYTES("") },
	{ BYTES("f() []"), BYTES(""), BYTES("") },
	{ BYTES(" [clone .cold]"), BYTES(""), BYTES("") },
};

START_TEST(takes_demangled_names_apart)
{
	struct elf_writer_demangled parts = { BYTES(""), BYTES("") };
	bool is = elf_writer_demangled(readable[_i].name, &parts);

	ck_assert_int_eq(is, readable[_i].whole.size > 0);
	ck_assert_uint_eq(parts.whole.size, readable[_i].whole.size);
	ck_assert_mem_eq(parts.whole.data, readable[_i].whole.data, parts.whole.size);
	ck_assert_uint_eq(parts.last.size, readable[_i].last.size);
	ck_assert_mem_eq(parts.last.data, readable[_i].last.data, parts.last.size);
}
END_TEST

static const struct {
	struct cairn_bytes name, without;
} scopes[] = {
	{ BYTES("go"), BYTES("go") },
	{ BYTES("go(long)"), BYTES("go") },
	{ BYTES("go(long) const"), BYTES("go") },
	{ BYTES("go(void (*)(int)) const &"), BYTES("go") },
	{ BYTES("go(long)(long)"), BYTES("go") },
	{ BYTES("operator()"), BYTES("operator()") },
	{ BYTES("operator()(int) const"), BYTES("operator()") },
	{ BYTES("(anonymous namespace)"), BYTES("(anonymous namespace)") },
	{ BYTES("{lambda(long)#1}"), BYTES("{lambda(long)#1}") },
	{ BYTES("a<(b)1>"), BYTES("a<(b)1>") },
	{ BYTES("a)"), BYTES("a)") },
	{ BYTES("()"), BYTES("()") },
	{ BYTES(""), BYTES("") },
};

START_TEST(takes_parameters_off_scopes)
{
	struct cairn_bytes without = elf_writer_without_parameters(scopes[_i].name);

	ck_assert_uint_eq(without.size, scopes[_i].without.size);
	ck_assert_mem_eq(without.data, scopes[_i].without.data, without.size);
}
END_TEST

/* What a debugger prints as it is; "\\x" would be part of the name that follows in C. */
static const struct {
	struct cairn_bytes in;
	struct cairn_bytes out;
} harmful[] = {
	{ BYTES(""), BYTES("") },
	{ BYTES("_ZN4pile4fillENS_3BoxEl"), BYTES("_ZN4pile4fillENS_3BoxEl") },
	{ BYTES("caf\xc3\xa9 \\ ~"), BYTES("caf\xc3\xa9 \\ ~") },
	{ BYTES("a\033[31mb"), BYTES("a\\x1b[31mb") },
	{ BYTES("a long name, then DEL\x7f"), BYTES("a long name, then DEL\\x7f") },
	{ BYTES("\n"), BYTES("\\x0a") },
	{ BYTES("12345678\0"
	        "12345678"),
	  BYTES("12345678\\x00"
	        "12345678") },
	{ BYTES("right\xe2\x80\xaeleft"), BYTES("right\\xe2\\x80\\xaeleft") },
	{ BYTES("\xc2\x9b"), BYTES("\\xc2\\x9b") },
	{ BYTES("\xff\xc3"), BYTES("\\xff\\xc3") },
};

START_TEST(makes_texts_harmless)
{
	struct elf_writer *w = elf_writer_new(&forms[0], NULL, 0);
	struct cairn_bytes text = unit_exact(harmful[_i].in);

	ck_assert_ptr_nonnull(w);
	ck_assert(elf_writer_clean_text(w, &text));
	ck_assert_uint_eq(text.size, harmful[_i].out.size);
	ck_assert_mem_eq(text.data, harmful[_i].out.data, text.size);
	elf_writer_free(w);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("object_writer");
	TCase *all = tcase_create("objects");

	tcase_add_loop_test(all, writes_what_is_sound, 0, COUNT(cases));
	tcase_add_test(all, keeps_what_is_asked_for);
	tcase_add_test(all, takes_sections_of_the_program);
	tcase_add_test(all, guesses_as_the_compiler_does);
	tcase_add_test(all, keeps_rows_between_files);
	tcase_add_test(all, forgets_the_files_of_another_set);
	tcase_add_test(all, writes_files_of_two_sets);
	tcase_add_loop_test(all, makes_symbols_of_clones_local, 0, COUNT(locals));
	tcase_add_test(all, leaves_functions_without_lines_out);
	tcase_add_test(all, shortens_long_names);
	tcase_add_loop_test(all, joins_a_cold_part, 0, COUNT(joined));
	tcase_add_loop_test(all, tells_where_calls_are_entered, 0, 2);
	tcase_add_loop_test(all, names_gcc, 0, COUNT(compilers));
	tcase_add_test(all, joins_nothing_else);
	tcase_add_loop_test(all, knows_where_functions_begin, 0, COUNT(openings));
	tcase_add_loop_test(all, knows_languages, 0, COUNT(languages));
	tcase_add_loop_test(all, finds_names_by_their_paths, 0, COUNT(paths));
	tcase_add_loop_test(all, goes_to_entries_below, 0, COUNT(below));
	tcase_add_loop_test(all, makes_names_for_lldb, 0, COUNT(lldb_names));
	tcase_add_loop_test(all, knows_the_names_of_clones, 0, COUNT(clones));
	tcase_add_test(all, stays_below_its_limit);
	tcase_add_loop_test(all, lives_without_memory, 2, 4);
	tcase_add_loop_test(all, lives_without_memory, 8, 9);
	tcase_add_loop_test(all, takes_demangled_names_apart, 0, COUNT(readable));
	tcase_add_loop_test(all, takes_parameters_off_scopes, 0, COUNT(scopes));
	tcase_add_loop_test(all, makes_texts_harmless, 0, COUNT(harmful));
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
