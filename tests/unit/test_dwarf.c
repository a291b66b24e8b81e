/* SPDX-License-Identifier: MIT */
/* Units, abbreviations, entries, lists of ranges and packages of DWARF. */
#include "unit.h"

#include "formats/dwarf/dwarf.h"

enum { CAPACITY = 64, RANGES = 4 };

static const struct cairn_bytes empty = BYTES("");

static struct dwarf_sections no_sections(void)
{
	return (struct dwarf_sections){ empty, empty, empty, empty, empty,
		                        empty, empty, empty, empty, false };
}

static const struct {
	const char *name;
	struct cairn_bytes info;
	bool found;
	enum cairn_status status; /* when it was not found */
	uint64_t fault;
	struct dwarf_unit unit;
} units[] = {
	{ "nothing", BYTES(""), false, CAIRN_OK, 0, { 0 } },
	{ "version 4",
	  BYTES("\x08\0\0\0\4\0\1\2\0\0\x08\0"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 12, 11, 0x201, 0, 4, DWARF_UT_COMPILE, 8, 4 } },
	{ "version 5",
	  BYTES("\x08\0\0\0\5\0\3\4\7\0\0\0"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 12, 12, 7, 0, 5, DWARF_UT_PARTIAL, 4, 4 } },
	{ "skeleton",
	  BYTES("\x10\0\0\0\5\0\4\x08\7\0\0\0\1\2\3\4\5\6\7\x08"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 20, 20, 7, 0x0807060504030201, 5, DWARF_UT_SKELETON, 8, 4 } },
	{ "64 bits",
	  BYTES("\xff\xff\xff\xff\x0b\0\0\0\0\0\0\0\3\0\1\0\0\0\0\0\0\0\4"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 23, 23, 1, 0, 3, DWARF_UT_COMPILE, 4, 8 } },
	{ "later version",
	  BYTES("\x04\0\0\0\6\0\1\x08"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 8, 0, 0, 0, 0, 0, 0, 4 } },
	{ "unknown kind",
	  BYTES("\x08\0\0\0\5\0\x80\x08\7\0\0\0"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 12, 12, 7, 0, 0, 0x80, 8, 4 } },
	{ "address of 2 bytes",
	  BYTES("\x07\0\0\0\4\0\0\0\0\0\2"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 11, 11, 0, 0, 0, DWARF_UT_COMPILE, 2, 4 } },
	{ "too short for a header",
	  BYTES("\x03\0\0\0\4\0\0"),
	  true,
	  CAIRN_OK,
	  0,
	  { 0, 7, 0, 0, 0, 0, 0, 0, 4 } },
	{ "cut in the length", BYTES("\x03\0\0"), false, CAIRN_TRUNCATED, 0, { 0 } },
	{ "reserved length", BYTES("\xf0\xff\xff\xff\4\0"), false, CAIRN_UNSUPPORTED, 0, { 0 } },
	{ "past the end", BYTES("\x09\0\0\0\4\0\0\0\0\0\x08\0"), false, CAIRN_TRUNCATED, 0, { 0 } },
};

START_TEST(reads_units)
{
	struct dwarf_sections sections = no_sections();
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct dwarf_unit unit = { .offset = 99 };
	const struct dwarf_unit *wanted = &units[_i].unit;
	uint64_t at = 0;

	sections.info = unit_exact(units[_i].info);
	bool found = dwarf_read_unit(&sections, &at, &unit, &fault);
	ck_assert_msg(found == units[_i].found, "%s", units[_i].name);
	ck_assert_msg(fault.status == units[_i].status, "%s", units[_i].name);
	ck_assert_uint_eq(fault.offset, units[_i].fault);
	if (!found)
		return;
	ck_assert_uint_eq(unit.end, wanted->end);
	ck_assert_uint_eq(at, wanted->end);
	ck_assert_uint_eq(unit.version, wanted->version);
	ck_assert_uint_eq(unit.offset_size, wanted->offset_size);
	if (!unit.version)
		return;
	ck_assert_uint_eq(unit.first, wanted->first);
	ck_assert_uint_eq(unit.abbrevs, wanted->abbrevs);
	ck_assert_uint_eq(unit.id, wanted->id);
	ck_assert_uint_eq(unit.type, wanted->type);
	ck_assert_uint_eq(unit.address_size, wanted->address_size);
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes abbrev;
	uint64_t at;
	enum cairn_status status;
	uint64_t fault;
	uint32_t abbrevs, specs, steps;
} tables[] = {
	{ "one fixed shape", BYTES("\1\x2e\1\3\x0e\x11\1\0\0\0"), 0, CAIRN_OK, 0, 1, 2, 0 },
	{ "no end mark", BYTES("\1\x2e\1\3\x0e\0\0"), 0, CAIRN_OK, 0, 1, 1, 0 },
	{ "a string between", BYTES("\1\x2e\0\x3a\x0b\3\x08\x3b\x0b\0\0\0"), 0, CAIRN_OK, 0, 1, 3,
	  3 },
	{ "implicit constant", BYTES("\1\x2e\0\x3a\x21\x7f\0\0\0"), 0, CAIRN_OK, 0, 1, 1, 0 },
	{ "past the end", BYTES("\1\x2e\0\0\0\0"), 6, CAIRN_TRUNCATED, 6, 0, 0, 0 },
	{ "cut in a tag", BYTES("\1\x2e\0\0\0\2\x80"), 0, CAIRN_TRUNCATED, 5, 0, 0, 0 },
	{ "cut in a form", BYTES("\1\x2e\0\3"), 0, CAIRN_TRUNCATED, 0, 0, 0, 0 },
	{ "cut in a constant", BYTES("\1\x2e\0\x3a\x21\x80"), 0, CAIRN_TRUNCATED, 0, 0, 0, 0 },
	{ "unknown form", BYTES("\1\x2e\0\3\2\0\0\0"), 0, CAIRN_UNSUPPORTED, 0, 0, 0, 0 },
	{ "large form", BYTES("\1\x2e\0\3\x80\x80\4\0\0\0"), 0, CAIRN_UNSUPPORTED, 0, 0, 0, 0 },
	{ "code of 65 bits", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\x2e\0\0\0\0"), 0,
	  CAIRN_TRUNCATED, 0, 0, 0, 0 },
};

static const struct dwarf_unit plain = { .version = 4, .address_size = 8, .offset_size = 4 };

static void *exactly(size_t count, size_t size)
{
	void *buffer = malloc(count > 0 ? count * size : 1);

	ck_assert_ptr_nonnull(buffer);
	return buffer;
}

/* Into as much room as was counted, which is enough for damaged tables, too. */
START_TEST(reads_abbreviations)
{
	struct dwarf_sections sections = no_sections();
	struct dwarf_unit unit = plain;
	struct dwarf_abbrev_storage capacity;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	uint32_t steps = 0;

	sections.abbrev = unit_exact(tables[_i].abbrev);
	unit.abbrevs = tables[_i].at;
	dwarf_count_abbrevs(&sections, &unit, DWARF_ABBREVS_ALL, &capacity);
	struct dwarf_abbrevs read = { .abbrev = exactly(capacity.abbrevs, sizeof(*read.abbrev)),
		                      .spec = exactly(capacity.specs, sizeof(*read.spec)),
		                      .step = exactly(capacity.steps, sizeof(*read.step)),
		                      .shape = exactly(capacity.abbrevs + 1, sizeof(*read.shape)) };
	enum cairn_status status =
		dwarf_read_abbrevs(&sections, &unit, DWARF_ABBREVS_ALL, &read, &fault);
	ck_assert_msg(status == tables[_i].status, "%s", tables[_i].name);
	ck_assert_msg(fault.offset == tables[_i].fault, "%s: %d", tables[_i].name,
	              (int)fault.offset);
	for (uint32_t i = 0; status == CAIRN_OK && i < read.count; i++)
		steps += read.abbrev[i].steps;
	if (status == CAIRN_OK) {
		ck_assert_uint_eq(read.count, tables[_i].abbrevs);
		ck_assert_uint_eq(capacity.specs, tables[_i].specs);
	}
	ck_assert_msg(steps == tables[_i].steps && steps <= capacity.steps, "%s", tables[_i].name);
	free(read.abbrev);
	free(read.spec);
	free(read.step);
	free(read.shape);
}
END_TEST

/* 1: a unit with children; 2: a function, fixed; 3: text and a block; 4: indirect. */
static const struct cairn_bytes shapes = BYTES("\1\x11\1\0\0"
                                               "\2\x2e\0\x11\1\x12\x06\0\0"
                                               "\3\x0b\1\3\x08\2\x18\0\0"
                                               "\4\x2e\0\3\x16\0\0\0");

static const struct {
	const char *name;
	struct cairn_bytes entries; /* behind a header of 11 bytes */
	unsigned count;             /* of entries, the ends of lists among them */
	enum cairn_status status;
	uint64_t fault;
} trees[] = {
	{ "nothing", BYTES(""), 0, CAIRN_OK, 0 },
	{ "a function", BYTES("\1\2\1\0\0\0\0\0\0\0\5\0\0\0\0"), 3, CAIRN_OK, 0 },
	{ "padding behind", BYTES("\1\0\0\0\0"), 2, CAIRN_OK, 0 },
	{ "text and block", BYTES("\1\3name\0\2xx\0\0"), 4, CAIRN_OK, 0 },
	{ "indirect", BYTES("\1\4\x08name\0\0"), 3, CAIRN_OK, 0 },
	{ "children without an end", BYTES("\1\3name\0\2xx"), 2, CAIRN_OK, 0 },
	{ "unknown code", BYTES("\1\5\0"), 1, CAIRN_MALFORMED, 12 },
	{ "code without an end", BYTES("\1\x80"), 1, CAIRN_MALFORMED, 12 },
	{ "cut in a function", BYTES("\1\2\1\0\0"), 1, CAIRN_TRUNCATED, 12 },
	{ "block too long", BYTES("\1\3name\0\4xx\0"), 1, CAIRN_TRUNCATED, 12 },
	{ "text without an end", BYTES("\1\3name"), 1, CAIRN_TRUNCATED, 12 },
	{ "indirect to itself", BYTES("\1\4\x16\x08name\0\0"), 1, CAIRN_TRUNCATED, 12 },
};

/* Where the abbreviation of the first entry is, which is seldom the first of its table. */
static const struct {
	const char *name;
	struct cairn_bytes entries, abbrev;
	uint64_t table, found;
} roots[] = {
	{ "the first", BYTES("\1"), BYTES("\1\x11\1\0\0\2\x2e\0\0\0\0"), 0, 0 },
	{ "the last", BYTES("\2"), BYTES("\1\x2e\0\x11\1\x12\6\0\0\2\x11\1\0\0\0"), 0, 9 },
	{ "after a constant", BYTES("\2"), BYTES("\1\x2e\0\x3a\x21\2\0\0\2\x11\1\0\0\0"), 0, 8 },
	{ "in a later table", BYTES("\2"), BYTES("\2\x2e\0\0\0\0\1\x2e\0\0\0\2\x11\1\0\0\0"), 6,
	  11 },
	{ "without an end", BYTES("\1"), BYTES("\1\x11\1\0\0"), 0, 0 },
	{ "in no table", BYTES("\3"), BYTES("\1\x2e\0\0\0\0\3\x11\1\0\0\0"), 0, 0 },
	{ "cut off before it", BYTES("\2"), BYTES("\1\x2e\0\x11"), 0, 0 },
	{ "a table past the end", BYTES("\1"), BYTES("\1\x11\1\0\0\0"), 7, 7 },
	{ "no entry", BYTES(""), BYTES("\1\x11\1\0\0\0"), 0, 0 },
	{ "code without an end", BYTES("\x80"), BYTES("\1\x11\1\0\0\0"), 0, 0 },
	{ "code 0", BYTES("\0"), BYTES("\1\x11\1\0\0\0"), 0, 0 },
};

START_TEST(finds_roots)
{
	struct dwarf_sections sections = no_sections();
	struct dwarf_unit unit = plain;

	sections.info = roots[_i].entries;
	sections.abbrev = unit_exact(roots[_i].abbrev);
	unit.abbrevs = roots[_i].table;
	unit.end = sections.info.size;
	uint64_t found = dwarf_find_root_abbrev(&sections, &unit);
	ck_assert_msg(found == roots[_i].found, "%s: %d", roots[_i].name, (int)found);
}
END_TEST

/* Entries behind the header of a plain unit. */
struct walk {
	struct dwarf_sections sections;
	struct dwarf_unit unit;
	struct dwarf_abbrevs abbrevs;
};

static void open_walk(struct walk *w, struct cairn_bytes shapes_of, struct cairn_bytes tail)
{
	static uint8_t memory[256];
	static struct dwarf_abbrev abbrev[CAPACITY];
	static struct dwarf_spec spec[CAPACITY];
	static struct dwarf_step step[CAPACITY];
	static struct dwarf_shape shape[CAPACITY];
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	*w = (struct walk){ no_sections(),
		            plain,
		            { .abbrev = abbrev, .spec = spec, .step = step, .shape = shape } };
	memcpy(memory + 11, tail.data, tail.size);
	w->sections.info = unit_exact((struct cairn_bytes){ memory, 11 + tail.size });
	w->sections.abbrev = shapes_of;
	w->unit.first = 11;
	w->unit.end = w->sections.info.size;
	ck_assert_int_eq(
		dwarf_read_abbrevs(&w->sections, &w->unit, DWARF_ABBREVS_ALL, &w->abbrevs, &fault),
		CAIRN_OK);
}

START_TEST(reads_entries)
{
	struct walk w;
	unsigned count = 0;

	open_walk(&w, shapes, trees[_i].entries);
	ck_assert(w.abbrevs.dense && w.abbrevs.count == 4);
	ck_assert_uint_eq(w.abbrevs.abbrev[1].marks, DWARF_MARK_CODE);
	ck_assert_uint_eq(w.abbrevs.abbrev[0].marks, 0);
	struct dwarf_entries entries =
		dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	while (dwarf_next_entry(&entries)) {
		struct dwarf_attribute attribute = { .class = DWARF_OTHER };
		count++;
		if (!entries.abbrev)
			continue;
		struct dwarf_attributes attributes = dwarf_attributes(&entries);
		while (dwarf_next_attribute(&attributes, &attribute))
			if (attribute.class == DWARF_STRING)
				ck_assert_mem_eq(attribute.text.data, "name", 4);
		ck_assert(!attributes.broken);
	}
	ck_assert_msg(count == trees[_i].count, "%s: %u", trees[_i].name, count);
	ck_assert_msg(entries.fault.status == trees[_i].status, "%s", trees[_i].name);
	ck_assert_uint_eq(entries.fault.offset, trees[_i].fault);
}
END_TEST

/*
 * 1: a unit; 2: a namespace with DW_AT_sibling at a fixed place; 3: one behind a text; 4: one
 * without; 5: a function with what nobody asks for around its address.
 */
static const struct cairn_bytes nested =
	BYTES("\1\x11\1\0\0"
              "\2\x39\1\x3a\x0b\1\x13\0\0"
              "\3\x39\1\3\x08\1\x13\0\0"
              "\4\x39\1\0\0"
              "\5\x2e\0\x3f\x19\x39\x0b\x27\x05\x11\1\x49\x13\0\0\0");

/* Entries behind a header of 11 bytes, all with the function at the end of the namespace. */
static const struct {
	const char *name;
	struct cairn_bytes entries;
	uint64_t behind; /* where the walk is after the namespace's children were passed over */
	size_t extents;  /* how many are known without a walk through them */
} siblings[] = {
	{ "fixed place", BYTES("\1\2\7\x1f\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 31, 1 },
	{ "behind a text", BYTES("\1\3n\0\x20\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 32, 1 },
	{ "none", BYTES("\1\4\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 16, 0 },
	{ "backwards", BYTES("\1\2\7\1\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 21, 0 },
	{ "past the end", BYTES("\1\2\7\xff\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 21, 0 },
	{ "behind a text, backwards", BYTES("\1\3n\0\x0c\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 22,
	  0 },
	{ "behind a text, past the end", BYTES("\1\3n\0\xff\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"),
	  22, 0 },
	{ "behind a text, not after a list",
	  BYTES("\1\3n\0\x1b\0\0\0\4\0\0\5aBB\1\0\0\0\0\0\0\0TTTT"), 22, 0 },
};

START_TEST(skips_children)
{
	struct walk w;
	struct dwarf_attribute attribute[2];

	open_walk(&w, nested, siblings[_i].entries);
	struct dwarf_entries entries =
		dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	ck_assert(dwarf_next_marked(&entries, DWARF_MARK_SCOPE, 0));
	ck_assert_uint_eq(dwarf_entry_offset(&entries), 12);
	dwarf_skip_children(&entries);
	ck_assert_msg((uint64_t)(entries.at - entries.start) == siblings[_i].behind, "%s: %d",
	              siblings[_i].name, (int)(entries.at - entries.start));
	entries = dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	ck_assert(dwarf_next_marked(&entries, DWARF_MARK_CODE, 0));
	ck_assert_uint_eq(dwarf_entry_offset(&entries), w.sections.info.size - 16);
	ck_assert_uint_eq(dwarf_read_places(&entries, 0, attribute), 0);
	ck_assert_uint_eq(dwarf_read_places(&entries, 2, attribute), 1);
	ck_assert_uint_eq(attribute[0].name, DWARF_AT_LOW_PC);
	ck_assert_uint_eq(attribute[0].number, 1);
	w.abbrevs.spec[entries.abbrev->spec].place = 1;
	ck_assert_uint_eq(dwarf_read_places(&entries, 2, attribute), 2);
	ck_assert_uint_eq(attribute[1].number, 1);
}
END_TEST

START_TEST(reads_extents_by_siblings)
{
	struct walk w;
	struct dwarf_extent extent[2];
	uint64_t walked;

	open_walk(&w, nested, siblings[_i].entries);
	struct dwarf_entries entries =
		dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	ck_assert(dwarf_next_entry(&entries));
	const size_t count = dwarf_read_extents(&entries, DWARF_MARK_SCOPE, extent, 2, &walked);
	ck_assert_msg(count == siblings[_i].extents, "%s", siblings[_i].name);
	if (count > 0) {
		ck_assert_uint_eq(extent[0].start, 12);
		ck_assert_uint_eq(extent[0].end, siblings[_i].behind);
	} else {
		ck_assert(dwarf_next_marked(&entries, DWARF_MARK_SCOPE, 1));
		ck_assert_uint_eq(dwarf_entry_offset(&entries), 12);
	}
}
END_TEST

/*
 * 1: a unit; 2: a namespace; 3: a structure; 4: a function without code, all with DW_AT_sibling; 5: a structure without;
 * 6: a function with an address.
 */
static const struct cairn_bytes inner = BYTES("\1\x11\1\0\0"
                                              "\2\x39\1\1\x13\0\0"
                                              "\3\x13\1\x0b\x0b\1\x13\0\0"
                                              "\4\x2e\1\1\x13\0\0"
                                              "\5\x13\1\0\0"
                                              "\6\x2e\0\x11\1\0\0\0");

/* Each has a function inside of something, and after that one at 2. */
static const struct {
	const char *name;
	struct cairn_bytes entries;
	uint64_t first
		[2]; /* the address of the first function that a walk around both, or around types, comes to */
} outside[] = {
	{ "a namespace",
	  BYTES("\1\2\x1b\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"),
	  { 1, 1 } },
	{ "a type", BYTES("\1\3s\x1c\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"), { 2, 2 } },
	{ "a function", BYTES("\1\4\x1b\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"), { 2, 1 } },
	{ "no sibling", BYTES("\1\5\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"), { 1, 1 } },
	{ "backwards", BYTES("\1\3s\1\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"), { 1, 1 } },
	{ "to itself", BYTES("\1\3s\x0c\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"), { 1, 1 } },
	{ "past the end",
	  BYTES("\1\3s\xff\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"),
	  { 1, 1 } },
	{ "not after a list",
	  BYTES("\1\3s\x1d\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\0"),
	  { 1, 1 } },
};

START_TEST(walks_outside)
{
	static const unsigned around[] = { DWARF_MARK_INNER, DWARF_MARK_TYPE };
	const uint64_t first = outside[_i / 2].first[_i % 2];
	struct walk w;
	struct dwarf_attribute attribute[1];

	open_walk(&w, inner, outside[_i / 2].entries);
	struct dwarf_entries entries =
		dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	entries.around = around[_i % 2];
	ck_assert(dwarf_next_marked(&entries, DWARF_MARK_CODE, 0));
	ck_assert_uint_eq(dwarf_read_places(&entries, 1, attribute), 1);
	ck_assert_msg(attribute[0].number == first, "%s", outside[_i / 2].name);
	/* the others are reached, too */
	if (first == 1)
		ck_assert(dwarf_next_marked(&entries, DWARF_MARK_CODE, 0));
	ck_assert(!dwarf_next_marked(&entries, DWARF_MARK_CODE, 0));
	ck_assert_int_eq(entries.fault.status, CAIRN_OK);
}
END_TEST

/* Three namespaces, with a function in the first and one behind it. */
static const struct cairn_bytes three =
	BYTES("\1\2\x1b\0\0\0\6\1\0\0\0\0\0\0\0\0\6\2\0\0\0\0\0\0\0\2\x2a\0\0\0\0\2\x30\0"
              "\0\0\0");

START_TEST(reads_extents_as_there_is_capacity)
{
	struct walk w;
	struct dwarf_extent extent[2];
	uint64_t walked;

	open_walk(&w, inner, three);
	struct dwarf_entries entries =
		dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	ck_assert(dwarf_next_entry(&entries));
	ck_assert_uint_eq(dwarf_read_extents(&entries, DWARF_MARK_SCOPE, extent, 2, &walked), 2);
	ck_assert(extent[0].start == 12 && extent[0].end == 27);
	ck_assert(extent[1].start == 36 && extent[1].end == 42);
	ck_assert_uint_eq(walked, 9);
	ck_assert_uint_eq(dwarf_read_extents(&entries, DWARF_MARK_SCOPE, extent, 2, &walked), 1);
	ck_assert(extent[0].start == 42 && extent[0].end == 48);
	ck_assert_uint_eq(walked, 0);
	ck_assert(!dwarf_next_marked(&entries, DWARF_MARK_SCOPE, 1));
	ck_assert_int_eq(entries.fault.status, CAIRN_OK);
}
END_TEST

/* A function of numbers of all sizes, one of which is in the abbreviation. */
static const struct cairn_bytes numbers = BYTES(
	"\1\x2e\0\3\x0e\x3b\5\x59\x21\xe4\0\x58\x0b\x11\1\x12\7\x31\x13\x6e\x27\x55\x17\x57\x19\0\0"
	"\0");
static const char of_numbers[] =
	"\1\x81\2\3\4\5\x86\7\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x90"
	"\x11\x12\x13\x14\x15\x16\x17\x98\x19\x1a\x1b\x9c\x1d\x1e\x9f\x20\x21\x22\xa3";

/* With as many bytes after the entry as a word has, whole words are read; that shall make no difference. */
START_TEST(reads_numbers_alike)
{
	enum { COUNT_OF_NUMBERS = 10, FEW = 3, WORD = 8 };
	struct walk w;
	struct dwarf_attribute at[COUNT_OF_NUMBERS], one;
	const size_t size = sizeof(of_numbers) - 1 + (_i & 1 ? WORD : 0);
	uint8_t memory[sizeof(of_numbers) + WORD] = { 0 };

	memcpy(memory, of_numbers, sizeof(of_numbers) - 1);
	open_walk(&w, numbers, (struct cairn_bytes){ memory, size });
	w.sections.big = _i & 2;
	for (uint8_t i = 0; i < COUNT_OF_NUMBERS; i++)
		w.abbrevs.spec[i].place = i;
	struct dwarf_entries entries =
		dwarf_entries(&w.sections, &w.unit, &w.abbrevs, w.unit.first);
	ck_assert(dwarf_next_entry(&entries) && entries.abbrev->specs == COUNT_OF_NUMBERS);
	ck_assert(entries.abbrev->even);
	ck_assert_uint_eq(dwarf_read_places(&entries, FEW, at), (1u << FEW) - 1);
	ck_assert_uint_eq(dwarf_read_places(&entries, COUNT_OF_NUMBERS, at),
	                  (1u << COUNT_OF_NUMBERS) - 1);
	struct dwarf_attributes attributes = dwarf_attributes(&entries);
	for (unsigned i = 0; i < COUNT_OF_NUMBERS; i++) {
		ck_assert(dwarf_next_attribute(&attributes, &one));
		ck_assert_msg(at[i].name == one.name && at[i].class == one.class &&
		                      at[i].number == one.number,
		              "%u of %d", i, _i);
	}
	ck_assert_uint_eq(at[2].number, 100);
	ck_assert_uint_eq(at[9].number, 1);
}
END_TEST

static const struct {
	const char *name;
	unsigned version;
	struct cairn_bytes list;
	enum cairn_status status;
	uint64_t fault;
	unsigned count;
	struct cairn_range ranges[RANGES];
} lists[] = {
	{ "pairs from the unit's start",
	  4,
	  BYTES("\1\0\0\0\3\0\0\0\5\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0"),
	  CAIRN_OK,
	  0,
	  2,
	  { { 0x1001, 0x1003 }, { 0x1005, 0x1005 } } },
	{ "another base",
	  4,
	  BYTES("\xff\xff\xff\xff\0\x20\0\0\1\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { 0x2001, 0x2003 } } },
	{ "a dead base",
	  4,
	  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\1\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { 0xffffffff, 0xffffffff } } },
	{ "pairs without an end",
	  4,
	  BYTES("\1\0\0\0\3\0\0\0\5\0\0\0"),
	  CAIRN_TRUNCATED,
	  8,
	  1,
	  { { 0x1001, 0x1003 } } },
	{ "no list", 4, BYTES(""), CAIRN_TRUNCATED, 0, 0, { { 0, 0 } } },
	{ "kinds of DWARF 5",
	  5,
	  BYTES("\4\1\3\7\0\x30\0\0\5\6\0\x40\0\0\2\x40\0\0\5\0\x50\0\0\4\0\1\0"),
	  CAIRN_OK,
	  0,
	  4,
	  { { 0x1001, 0x1003 }, { 0x3000, 0x3005 }, { 0x4000, 0x4002 }, { 0x5000, 0x5001 } } },
	{ "indices",
	  5,
	  BYTES("\3\0\4\2\0\1\1\1\4\1\2\0"),
	  CAIRN_OK,
	  0,
	  3,
	  { { 0x6000, 0x6004 }, { 0x6000, 0x7000 }, { 0x7001, 0x7002 } } },
	{ "index too large", 5, BYTES("\3\2\4\0"), CAIRN_MALFORMED, 0, 0, { { 0, 0 } } },
	{ "unknown kind", 5, BYTES("\4\1\3\x08\0"), CAIRN_MALFORMED, 3, 1, { { 0x1001, 0x1003 } } },
	{ "list without an end",
	  5,
	  BYTES("\4\1\3"),
	  CAIRN_TRUNCATED,
	  3,
	  1,
	  { { 0x1001, 0x1003 } } },
};

START_TEST(reads_ranges)
{
	struct dwarf_sections sections = no_sections();
	struct dwarf_unit unit = { .version = (uint16_t)lists[_i].version,
		                   .address_size = 4,
		                   .offset_size = 4 };
	struct dwarf_bases bases = { .low_pc = 0x1000 };
	struct dwarf_attribute where = { .class = DWARF_OFFSET };
	struct cairn_range range;
	unsigned count = 0;

	sections.ranges = sections.rnglists = unit_exact(lists[_i].list);
	sections.addr = (struct cairn_bytes)BYTES("\0\x60\0\0\0\x70\0\0");
	struct dwarf_ranges ranges = dwarf_open_ranges(&sections, &unit, &bases, &where);
	while (dwarf_next_range(&ranges, &range)) {
		ck_assert_msg(count < lists[_i].count, "%s", lists[_i].name);
		ck_assert_msg(range.low == lists[_i].ranges[count].low &&
		                      range.high == lists[_i].ranges[count].high,
		              "%s: range %u", lists[_i].name, count);
		count++;
	}
	ck_assert_msg(count == lists[_i].count, "%s: %u", lists[_i].name, count);
	ck_assert_msg(ranges.fault.status == lists[_i].status, "%s", lists[_i].name);
	ck_assert_msg(ranges.fault.offset == lists[_i].fault, "%s: %d", lists[_i].name,
	              (int)ranges.fault.offset);
}
END_TEST

#define ID "\x11\x22\x33\x44\x55\x66\x77\x88"
#define HEAD "\5\0\0\0\2\0\0\0\1\0\0\0\2\0\0\0"
#define SLOTS "\0\0\0\0\0\0\0\0" ID "\0\0\0\0\1\0\0\0"

static const struct {
	const char *name;
	struct cairn_bytes index;
	enum cairn_status status;
	uint64_t fault;
} packages[] = {
	{ "sound", BYTES(HEAD SLOTS "\1\0\0\0\3\0\0\0\x10\0\0\0\x20\0\0\0\4\0\0\0\5\0\0\0"),
	  CAIRN_OK, 0 },
	{ "not there", BYTES("\5\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0"), CAIRN_NOT_FOUND, 0 },
	{ "unknown version", BYTES("\6\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0"), CAIRN_UNSUPPORTED, 0 },
	{ "too many columns", BYTES("\5\0\0\0\x20\0\0\0\0\0\0\0\0\0\0\0"), CAIRN_MALFORMED, 4 },
	{ "too many slots", BYTES("\5\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0"), CAIRN_TRUNCATED, 12 },
	{ "2^31 slots that are not there", BYTES("\5\0\0\0\2\0\0\0\0\0\0\0\0\0\0\x80" SLOTS),
	  CAIRN_TRUNCATED, 12 },
	{ "slots that are not a power of two",
	  BYTES("\5\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0" SLOTS SLOTS), CAIRN_MALFORMED, 12 },
	{ "no free slot",
	  BYTES("\5\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0"
	        "12345678"
	        "12345678\1\0\0\0\1\0\0\0"),
	  CAIRN_NOT_FOUND, 0 },
	{ "a row past the last one", BYTES("\5\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0" SLOTS),
	  CAIRN_MALFORMED, 24 },
	{ "more units than 32 bits can count the bytes of",
	  BYTES("\5\0\0\0\2\0\0\0\1\0\0\x20\2\0\0\0" SLOTS
	        "\1\0\0\0\3\0\0\0\x10\0\0\0\x20\0\0\0\4\0\0\0\5\0\0\0"),
	  CAIRN_TRUNCATED, 64 },
	{ "cut", BYTES(HEAD SLOTS "\1\0\0\0\3\0\0\0\x10\0\0\0\x20\0\0\0\4\0\0\0"), CAIRN_TRUNCATED,
	  60 },
};

START_TEST(finds_in_packages)
{
	struct dwarf_package_unit unit;
	struct cairn_fault fault;
	struct cairn_bytes index = unit_exact(packages[_i].index);
	enum cairn_status status =
		dwarf_find_in_package(index, false, 0x8877665544332211, &unit, &fault);

	ck_assert_msg(status == packages[_i].status, "%s: %d", packages[_i].name, status);
	ck_assert_msg(fault.offset == packages[_i].fault, "%s: %d", packages[_i].name,
	              (int)fault.offset);
	ck_assert_msg(unit.looked <= index.size / 12, "%s: %u slots", packages[_i].name,
	              unit.looked);
	if (status != CAIRN_OK)
		return;
	ck_assert(unit.info.low == 0x10 && unit.info.high == 0x14);
	ck_assert(unit.abbrev.low == 0x20 && unit.abbrev.high == 0x25);
	ck_assert(unit.rnglists.low == unit.rnglists.high);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf");
	TCase *tests = tcase_create("dwarf");

	tcase_add_loop_test(tests, reads_units, 0, COUNT(units));
	tcase_add_loop_test(tests, reads_abbreviations, 0, COUNT(tables));
	tcase_add_loop_test(tests, finds_roots, 0, COUNT(roots));
	tcase_add_loop_test(tests, reads_entries, 0, COUNT(trees));
	tcase_add_loop_test(tests, skips_children, 0, COUNT(siblings));
	tcase_add_loop_test(tests, reads_extents_by_siblings, 0, COUNT(siblings));
	tcase_add_test(tests, reads_extents_as_there_is_capacity);
	tcase_add_loop_test(tests, walks_outside, 0, 2 * COUNT(outside));
	tcase_add_loop_test(tests, reads_numbers_alike, 0, 4);
	tcase_add_loop_test(tests, reads_ranges, 0, COUNT(lists));
	tcase_add_loop_test(tests, finds_in_packages, 0, COUNT(packages));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
