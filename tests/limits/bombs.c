/* SPDX-License-Identifier: MIT */
/*
 * Makes ELF files whose DWARF or symbols share their data, so that a few bytes ask for much work or
 * memory:
 *
 *	bombs KIND >FILE
 *
 * Without a KIND it prints all kinds, one on each line.  Each part of a file is sound; what is wrong
 * is only how often it is used.
 */
#include "base/memory.h"

#include <cairn.h>

#include <stdio.h>
#include <zlib.h>

enum { TEXT = 0x401000, TEXT_SIZE = 0x100000 };

enum part { INFO, ABBREV, LINE, STR, RANGES, SYMTAB, STRTAB, NAMES, PARTS };

static struct bytes {
	uint8_t *data;
	size_t size, capacity;
} part[PARTS], file;

/* 1. Bytes that grow */

static void put_bytes(struct bytes *to, const void *data, size_t size)
{
	if (!array_grow(&to->data, &to->capacity, to->size + size, 1))
		abort();
	if (size > 0)
		memcpy(to->data + to->size, data, size);
	to->size += size;
}

static void put(struct bytes *to, uint64_t value, size_t width)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put_bytes(to, bytes, width);
}

static void put_text(struct bytes *to, const char *text)
{
	put_bytes(to, text, strlen(text) + 1);
}

static void put_many(struct bytes *to, uint8_t byte, size_t count)
{
	while (count-- > 0)
		put(to, byte, 1);
}

static void put_uleb(struct bytes *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(to, value | 0x80, 1);
	put(to, value, 1);
}

static void set_u32(struct bytes *in, size_t at, uint64_t value)
{
	for (unsigned i = 0; i < 4; i++)
		in->data[at + i] = (uint8_t)(value >> 8 * i);
}

/* 2. DWARF */

enum tag {
	UNIT = 0x11,
	INLINED = 0x1d,
	FUNCTION = 0x2e,
	VARIABLE = 0x34,
	NAMESPACE = 0x39,
	SKELETON = 0x4a
};
enum attribute {
	SIBLING = 0x01,
	NAME = 0x03,
	LINES = 0x10,
	LOW = 0x11,
	HIGH = 0x12,
	LANGUAGE = 0x13,
	DIRECTORY = 0x1b,
	DECL_LINE = 0x3b,
	SPECIFICATION = 0x47,
	RANGE_LIST = 0x55,
	SPLIT_NAME = 0x76
};
enum form {
	ADDRESS = 0x01,
	DATA2 = 0x05,
	DATA4 = 0x06,
	STRING = 0x08,
	DATA1 = 0x0b,
	STRP = 0x0e,
	REF4 = 0x13,
	OFFSET = 0x17,
	FLAG = 0x19
};

enum { LANGUAGE_CPLUSPLUS = 4 };

static void begin_abbrev(unsigned code, enum tag tag, bool children)
{
	put_uleb(&part[ABBREV], code);
	put_uleb(&part[ABBREV], tag);
	put(&part[ABBREV], children, 1);
}

static void put_spec(enum attribute name, enum form form)
{
	put_uleb(&part[ABBREV], name);
	put_uleb(&part[ABBREV], form);
}

static void end_abbrev(void)
{
	put(&part[ABBREV], 0, 2);
}

static size_t begin_unit(unsigned version)
{
	size_t at = part[INFO].size;

	put(&part[INFO], 0, 4);
	put(&part[INFO], version, 2);
	put(&part[INFO], 0, 4); /* abbreviations */
	put(&part[INFO], 8, 1);
	return at;
}

static void end_unit(size_t at)
{
	set_u32(&part[INFO], at, part[INFO].size - at - 4);
}

/* Abbreviation 1: a unit with a line table, a folder, a range and functions. */
static void put_unit_abbrev(void)
{
	begin_abbrev(1, UNIT, true);
	put_spec(LINES, OFFSET);
	put_spec(DIRECTORY, STRING);
	put_spec(LANGUAGE, DATA1);
	put_spec(LOW, ADDRESS); /* with it, lookups walk over the unit */
	put_spec(HIGH, DATA4);
	end_abbrev();
}

static void put_unit_entry(const char *directory)
{
	put(&part[INFO], 1, 1);
	put(&part[INFO], 0, 4);
	put_text(&part[INFO], directory);
	put(&part[INFO], LANGUAGE_CPLUSPLUS, 1);
	put(&part[INFO], TEXT, 8);
	put(&part[INFO], TEXT_SIZE, 4);
}

/* Abbreviation 2: a function with a name and one range. */
static void put_function_abbrev(bool children)
{
	begin_abbrev(2, FUNCTION, children);
	put_spec(NAME, STRING);
	put_spec(LOW, ADDRESS);
	put_spec(HIGH, DATA4);
	end_abbrev();
}

static void put_function(const char *name, uint64_t low, uint32_t size)
{
	put(&part[INFO], 2, 1);
	put_text(&part[INFO], name);
	put(&part[INFO], low, 8);
	put(&part[INFO], size, 4);
}

/* The header of a line table up to its folders. */
static void begin_line_table(void)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct bytes *line = &part[LINE];

	put(line, 0, 4);
	put(line, 4, 2);
	put(line, 0, 4);
	put_bytes(line, "\1\1\1\0\1\15", 6); /* base 0, range 1, first special opcode 13 */
	put_bytes(line, lengths, sizeof(lengths));
}

/* Files in all folders by turns. */
static void put_files(unsigned files, unsigned folders)
{
	char name[16];

	for (unsigned i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "f%u.c", i);
		put_text(&part[LINE], name);
		put_uleb(&part[LINE], folders ? i % folders + 1 : 0);
		put(&part[LINE], 0, 2);
	}
}

/* Its rows, each of three bytes, or of one. */
static void end_line_table(uint32_t rows, bool dense)
{
	struct bytes *line = &part[LINE];

	put(line, 0, 1);
	set_u32(line, 6, line->size - 10);
	put_bytes(line, "\0\11\2", 3);
	put(line, TEXT, 8);
	for (uint32_t i = 0; i < rows; i++) {
		if (!dense)
			put_bytes(line, "\3\1", 2); /* a line on */
		put(line, 14, 1);                   /* an address on, and a row */
	}
	put_bytes(line, "\0\1\1", 3);
	set_u32(line, 0, line->size - 4);
}

static void put_line_table(unsigned folders, unsigned files, uint32_t rows, bool dense)
{
	char name[16];

	begin_line_table();
	for (unsigned i = 0; i < folders; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		put_text(&part[LINE], name);
	}
	put(&part[LINE], 0, 1);
	put_files(files, folders);
	end_line_table(rows, dense);
}

static void put_lines(unsigned folders, unsigned files, uint32_t rows)
{
	put_line_table(folders, files, rows, false);
}

static void put_symbol(size_t name, uint64_t va, uint64_t size)
{
	put(&part[SYMTAB], name, 4);
	put(&part[SYMTAB], 0x12, 1); /* a global function */
	put(&part[SYMTAB], 0, 1);
	put(&part[SYMTAB], 1, 2); /* .text */
	put(&part[SYMTAB], va, 8);
	put(&part[SYMTAB], size, 8);
}

/* 3. Kinds */

static void put_list(unsigned ranges)
{
	for (uint64_t i = 0; i < ranges; i++) {
		put(&part[RANGES], TEXT + 16 * i, 8);
		put(&part[RANGES], TEXT + 16 * i + 8, 8);
	}
	put(&part[RANGES], 0, 8);
	put(&part[RANGES], 0, 8);
}

/* Functions that share a list of ranges: as many functions as the product. */
static void make_ranges(void)
{
	size_t unit = begin_unit(4);

	put_unit_abbrev();
	begin_abbrev(2, FUNCTION, false);
	put_spec(NAME, STRING);
	put_spec(RANGE_LIST, OFFSET);
	end_abbrev();
	put_unit_entry("/");
	for (unsigned i = 0; i < 5000; i++) {
		put_bytes(&part[INFO], "\2f\0", 3);
		put(&part[INFO], 0, 4);
	}
	end_unit(unit);
	put_list(4000);
}

/* Calls inlined into one function that share it. */
static void make_inlined(void)
{
	size_t unit = begin_unit(4);

	put_unit_abbrev();
	put_function_abbrev(true);
	begin_abbrev(3, INLINED, false);
	put_spec(RANGE_LIST, OFFSET);
	end_abbrev();
	put_unit_entry("/");
	put_function("f", TEXT, TEXT_SIZE);
	for (unsigned i = 0; i < 7000; i++) {
		put(&part[INFO], 3, 1);
		put(&part[INFO], 0, 4);
	}
	end_unit(unit);
	put_list(4000);
}

/* Calls that are inlined into each other, below all rows of a function, in several functions. */
static void make_deep(void)
{
	enum { LEVELS = 500, ROWS = 2000, FUNCTIONS = 20 };
	size_t unit = begin_unit(4);

	put_unit_abbrev();
	put_function_abbrev(true);
	begin_abbrev(3, INLINED, true);
	put_spec(LOW, ADDRESS);
	put_spec(HIGH, DATA2);
	end_abbrev();
	put_unit_entry("/");
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		put_function("f", TEXT + i, ROWS);
		for (unsigned level = 0; level < LEVELS; level++) {
			put(&part[INFO], 3, 1);
			put(&part[INFO], TEXT + i, 8);
			put(&part[INFO], ROWS, 2);
		}
		put_many(&part[INFO], 0, LEVELS + 1);
	}
	end_unit(unit);
	put_lines(0, 1, ROWS);
}

/* Units that share a table of abbreviations. */
static void make_units(unsigned version)
{
	enum { TABLE = 20000 };

	for (unsigned i = 1; i <= TABLE; i++) {
		begin_abbrev(i, VARIABLE, false);
		end_abbrev();
	}
	begin_abbrev(TABLE + 1, UNIT, false);
	end_abbrev();
	for (unsigned i = 0; i < 4000; i++) {
		size_t unit = begin_unit(version);
		/* no two neighbours are of one size of words */
		part[INFO].data[unit + 10] = version == 4 && i % 2 ? 4 : 8;
		put_uleb(&part[INFO], TABLE + 1);
		end_unit(unit);
	}
}

static void make_abbreviations(void)
{
	make_units(4);
}

static void make_old_abbreviations(void)
{
	make_units(3);
}

/* Functions, or symbols, that share all rows of a line table. */
static void make_rows(void)
{
	size_t unit = begin_unit(4);

	put_unit_abbrev();
	put_function_abbrev(false);
	put_unit_entry("/");
	for (uint32_t i = 0; i < 2000; i++)
		put_function("f", TEXT + i, 30000);
	end_unit(unit);
	put_lines(0, 1, 20000);
}

/* One function with as many rows as bytes. */
static void make_dense_rows(void)
{
	size_t unit = begin_unit(4);

	put_unit_abbrev();
	put_function_abbrev(false);
	put_unit_entry("/");
	put_function("f", TEXT, TEXT_SIZE);
	end_unit(unit);
	put_line_table(0, 1, TEXT_SIZE - 1, true);
}

static void make_symbol_rows(void)
{
	size_t unit = begin_unit(4);
	char name[16];

	put_unit_abbrev();
	put_unit_entry("/");
	end_unit(unit);
	put_lines(0, 1, 20000);
	put(&part[STRTAB], 0, 1);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		put_symbol(part[STRTAB].size, TEXT + i, 30000);
		put_text(&part[STRTAB], name);
	}
}

/* Abbreviations of namespaces (3), declarations in them (4), and functions that name these (2). */
static void put_scope_abbrevs(void)
{
	put_unit_abbrev();
	begin_abbrev(2, FUNCTION, false);
	put_spec(SPECIFICATION, REF4);
	put_spec(LOW, ADDRESS);
	put_spec(HIGH, DATA4);
	end_abbrev();
	begin_abbrev(3, NAMESPACE, true);
	put_spec(NAME, STRING);
	put_spec(SIBLING, REF4);
	end_abbrev();
	begin_abbrev(4, FUNCTION, false);
	put_spec(NAME, STRING);
	end_abbrev();
}

/* Namespaces, each inside the one before, but beside it by what their siblings tell. */
static void make_namespaces(void)
{
	enum { SCOPES = 7000, SCOPE_SIZE = 7, DECLARATION_SIZE = 3 };
	size_t unit = begin_unit(4);

	put_scope_abbrevs();
	put_unit_entry("/");
	uint32_t first = (uint32_t)(part[INFO].size - unit);
	for (unsigned i = 0; i < SCOPES; i++) {
		put_bytes(&part[INFO], "\3n\0", 3);
		put(&part[INFO], part[INFO].size - unit + 4 + DECLARATION_SIZE, 4);
		put_bytes(&part[INFO], "\4g\0", DECLARATION_SIZE);
	}
	for (uint32_t i = 0; i < SCOPES; i++) {
		put(&part[INFO], 2, 1);
		put(&part[INFO], first + i * (SCOPE_SIZE + DECLARATION_SIZE) + SCOPE_SIZE, 4);
		put(&part[INFO], TEXT + 16 * i, 8);
		put(&part[INFO], 8, 4);
	}
	end_unit(unit);
}

/* An entry with attributes that take no bytes. */
static void begin_wide_abbrev(unsigned attributes, bool children)
{
	begin_abbrev(3, NAMESPACE, children);
	put_spec(NAME, STRING);
	for (unsigned i = 0; i < attributes; i++)
		put_spec(DECL_LINE, FLAG);
	end_abbrev();
}

/* Entries with thousands of attributes. */
static void make_attributes_of(unsigned version)
{
	size_t unit = begin_unit(version);

	put_unit_abbrev();
	put_function_abbrev(false);
	begin_wide_abbrev(30000, true);
	put_unit_entry("/");
	put_function("f", TEXT, 8);
	for (unsigned i = 0; i < 30000; i++)
		put_bytes(&part[INFO], "\3n\0\0", 4);
	end_unit(unit);
}

static void make_attributes(void)
{
	make_attributes_of(4);
}

/* The same in DWARF 3. */
static void make_old_attributes(void)
{
	make_attributes_of(3);
}

/* Entries inside entries, none of which says where the next one is. */
static void make_old_nests(void)
{
	enum { LEVELS = 400 };
	size_t unit = begin_unit(3);

	put_unit_abbrev();
	put_function_abbrev(false);
	begin_wide_abbrev(1000, true);
	put_unit_entry("/");
	put_function("f", TEXT, 8);
	for (unsigned nest = 0; nest < 20; nest++) {
		for (unsigned i = 0; i < LEVELS; i++)
			put_bytes(&part[INFO], "\3n\0", 3);
		put_many(&part[INFO], 0, LEVELS);
	}
	end_unit(unit);
}

/* Functions that share a list of ranges without any: its entries move the base. */
static void make_old_bases(void)
{
	size_t unit = begin_unit(3);

	put_unit_abbrev();
	begin_abbrev(2, FUNCTION, false);
	put_spec(NAME, STRING);
	put_spec(RANGE_LIST, OFFSET);
	end_abbrev();
	put_unit_entry("/");
	for (unsigned i = 0; i < 40000; i++)
		put_bytes(&part[INFO], "\2f\0\0\0\0\0", 7);
	end_unit(unit);
	for (unsigned i = 0; i < 40000; i++) {
		put(&part[RANGES], UINT64_MAX, 8);
		put(&part[RANGES], TEXT, 8);
	}
	put_list(0);
}

/* Units that share a line table. */
static void make_tables(void)
{
	put_unit_abbrev();
	for (unsigned i = 0; i < 5000; i++) {
		size_t unit = begin_unit(4);
		put_unit_entry("/");
		end_unit(unit);
	}
	put_lines(0, 1, 250000);
}

/* Symbols and functions that all begin at one address. */
static void make_aliases(void)
{
	size_t unit = begin_unit(4);
	char name[16];

	put_unit_abbrev();
	put_function_abbrev(false);
	put_unit_entry("/");
	put(&part[STRTAB], 0, 1);
	for (unsigned i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		put_symbol(part[STRTAB].size, TEXT, 8);
		put_text(&part[STRTAB], name);
		if (i % 5 == 0)
			put_function(name, TEXT, i + 1);
	}
	end_unit(unit);
}

/* Symbols, then functions, whose names are the ends of one long text. */
static void make_tails(void)
{
	enum { LONG = 100000, STEP = 4 };

	put_many(&part[STRTAB], '_', LONG);
	put(&part[STRTAB], 0, 1);
	for (unsigned i = 0; i < LONG; i += STEP)
		put_symbol(i, TEXT + i, STEP);
}

static void make_names(void)
{
	enum { LONG = 100000, STEP = 16 };
	size_t unit = begin_unit(4);

	put_many(&part[STR], 'a', LONG);
	put(&part[STR], 0, 1);
	put_unit_abbrev();
	begin_abbrev(2, FUNCTION, false);
	put_spec(NAME, STRP);
	put_spec(LOW, ADDRESS);
	put_spec(HIGH, DATA2);
	end_abbrev();
	put_unit_entry("/");
	for (unsigned i = 0; i < LONG; i += STEP) {
		put(&part[INFO], 2, 1);
		put(&part[INFO], i, 4);
		put(&part[INFO], TEXT + i, 8);
		put(&part[INFO], STEP, 2);
	}
	end_unit(unit);
}

/* Folders of a line table in a long one, and many files in each. */
static void make_directories(void)
{
	static char directory[50000];
	size_t unit = begin_unit(4);

	memset(directory, 'd', sizeof(directory) - 1);
	directory[0] = '/';
	put_unit_abbrev();
	put_function_abbrev(false);
	put_unit_entry(directory);
	put_function("f", TEXT, 30000);
	end_unit(unit);
	put_lines(3000, 3000, 20000);
}

/* Many files in one long folder. */
static void make_files(void)
{
	static char directory[50000];
	struct bytes *line = &part[LINE];
	size_t unit = begin_unit(4);

	memset(directory, 'd', sizeof(directory) - 1);
	directory[0] = '/';
	put_unit_abbrev();
	put_function_abbrev(false);
	put_unit_entry("/");
	put_function("f", TEXT, 30000);
	end_unit(unit);
	begin_line_table();
	put_text(line, directory);
	put(line, 0, 1);
	put_files(10000, 1);
	end_line_table(20000, false);
}

/* Units whose other halves are to be looked for. */
static void make_skeletons(void)
{
	enum { DWARF_UT_SKELETON = 4 };
	char name[16];

	begin_abbrev(1, SKELETON, false);
	put_spec(SPLIT_NAME, STRING);
	end_abbrev();
	for (unsigned i = 0; i < 30000; i++) {
		size_t unit = part[INFO].size;
		put(&part[INFO], 0, 4);
		put(&part[INFO], 5, 2);
		put(&part[INFO], DWARF_UT_SKELETON, 1);
		put(&part[INFO], 8, 1);
		put(&part[INFO], 0, 4);
		put(&part[INFO], i, 8);
		put(&part[INFO], 1, 1);
		snprintf(name, sizeof(name), "%u", i);
		put_text(&part[INFO], name);
		end_unit(unit);
	}
}

/* 4. The file */

static void put_section(size_t name, uint32_t type, uint64_t flags, struct cairn_range at)
{
	put(&file, name, 4);
	put(&file, type, 4);
	put(&file, flags, 8);
	put(&file, type == 8 ? TEXT : 0, 8); /* SHT_NOBITS */
	put(&file, at.low, 8);
	put(&file, at.high - at.low, 8);
	put(&file, type == 2 ? STRTAB + 2 : 0, 4); /* a symbol table has its texts there */
	put(&file, 0, 4);
	put(&file, 1, 8);
	put(&file, type == 2 ? 24 : 0, 8);
}

static size_t put_name(const char *name)
{
	size_t at = part[NAMES].size;

	put_text(&part[NAMES], name);
	return at;
}

static void put_header(size_t table, unsigned sections)
{
	static const uint8_t ident[16] = "\177ELF\2\1\1";
	struct bytes head = { .data = NULL };

	put_bytes(&head, ident, sizeof(ident));
	put(&head, 2, 2);
	put(&head, 62, 2); /* x86-64 */
	put(&head, 1, 4);
	put(&head, TEXT, 8);
	put(&head, 0, 8);
	put(&head, table, 8);
	put(&head, 0, 4);
	put(&head, 64, 2);
	put(&head, 56, 2);
	put(&head, 0, 2);
	put(&head, 64, 2);
	put(&head, sections, 2);
	put(&head, sections - 1, 2);
	memcpy(file.data, head.data, head.size);
	free(head.data);
}

/* Section 0, the text, all parts, those of `more` in the place of `shared`, and the names. */
static void put_file(const char *const *more, size_t mores, struct cairn_range shared)
{
	static const char *const names[PARTS] = { ".debug_info", ".debug_abbrev", ".debug_line",
		                                  ".debug_str",  ".debug_ranges", ".symtab",
		                                  ".strtab",     ".shstrtab" };
	size_t name[PARTS], place[PARTS], more_name[16];

	put(&part[ABBREV], 0, 1); /* the end of the table */
	if (part[LINE].size == 0)
		put_lines(0, 0, 1);
	put(&part[NAMES], 0, 1);
	size_t text = put_name(".text");
	for (size_t i = 0; i < mores; i++)
		more_name[i] = put_name(more[i]);
	for (unsigned i = 0; i < PARTS; i++)
		name[i] = mores && i < SYMTAB ? 0 : put_name(names[i]);
	for (unsigned i = 0; i < PARTS; i++) {
		place[i] = file.size;
		put_bytes(&file, part[i].data, part[i].size);
	}
	size_t table = file.size;
	put_section(0, 0, 0, (struct cairn_range){ 0, 0 });
	put_section(text, 8, 6, (struct cairn_range){ 64, 64 + TEXT_SIZE });
	for (unsigned i = 0; i + 1 < PARTS; i++)
		put_section(name[i],
		            i == SYMTAB   ? 2
		            : i == STRTAB ? 3
		                          : 1,
		            0, (struct cairn_range){ place[i], place[i] + part[i].size });
	for (size_t i = 0; i < mores; i++)
		put_section(more_name[i], 1, 0x800, shared);
	put_section(name[NAMES], 3, 0,
	            (struct cairn_range){ place[NAMES], place[NAMES] + part[NAMES].size });
	put_header(table, (unsigned)(PARTS + 2 + mores));
}

/* Many sections that are one compressed stream: a small unit of DWARF 3, then zeros. */
static void make_streams(void)
{
	enum { SIZE = 60 << 20 };
	static const char *const names[] = { ".debug_info",        ".debug_abbrev",
		                             ".debug_line",        ".debug_str",
		                             ".debug_line_str",    ".debug_addr",
		                             ".debug_str_offsets", ".debug_ranges",
		                             ".debug_rnglists" };
	uint8_t *plain = calloc(1, SIZE);
	uLongf size = compressBound(SIZE);
	uint8_t *packed = malloc(size);

	if (!plain || !packed)
		abort();
	memcpy(plain, "\10\0\0\0\3\0\0\0\0\0\10\1", 12);
	if (compress2(packed, &size, plain, SIZE, 9) != Z_OK)
		abort();
	size_t at = file.size;
	put(&file, 1, 8); /* ELFCOMPRESS_ZLIB */
	put(&file, SIZE, 8);
	put(&file, 1, 8);
	put_bytes(&file, packed, size);
	put_file(names, sizeof(names) / sizeof(*names), (struct cairn_range){ at, file.size });
	free(plain);
	free(packed);
}

static const struct {
	const char *name;
	void (*make)(void);
} kinds[] = {
	{ "ranges", make_ranges },
	{ "inlined", make_inlined },
	{ "deep", make_deep },
	{ "abbreviations", make_abbreviations },
	{ "old-abbreviations", make_old_abbreviations },
	{ "streams", make_streams },
	{ "rows", make_rows },
	{ "dense-rows", make_dense_rows },
	{ "symbol-rows", make_symbol_rows },
	{ "namespaces", make_namespaces },
	{ "attributes", make_attributes },
	{ "old-attributes", make_old_attributes },
	{ "old-nests", make_old_nests },
	{ "old-bases", make_old_bases },
	{ "tables", make_tables },
	{ "aliases", make_aliases },
	{ "tails", make_tails },
	{ "names", make_names },
	{ "folders", make_directories },
	{ "files", make_files },
	{ "skeletons", make_skeletons },
};

int main(int argc, char **argv)
{
	size_t count = sizeof(kinds) / sizeof(*kinds), at = 0;

	for (size_t i = 0; argc < 2 && i < count; i++)
		puts(kinds[i].name);
	if (argc < 2)
		return 0;
	while (at < count && strcmp(kinds[at].name, argv[1]) != 0)
		at++;
	if (at == count)
		return 2;
	put_many(&file, 0, 64);
	kinds[at].make();
	if (file.size == 64)
		put_file(NULL, 0, (struct cairn_range){ 0, 0 });
	bool ok = fwrite(file.data, 1, file.size, stdout) == file.size && fflush(stdout) == 0;
	for (unsigned i = 0; i < PARTS; i++)
		free(part[i].data);
	free(file.data);
	return ok ? 0 : 2;
}
