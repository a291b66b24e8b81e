/* SPDX-License-Identifier: MIT */
/* Checks the symbols, DIEs, ranges and line tables of a symbol object. */
#include "check_object.h"
#include "check_name_index.h"

#include "base/bytes.h"
#include "formats/dwarf/dwarf.h"
#include "formats/dwarf/line.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 300,
	LOCAL_FUNCTION = 0x02,
	GLOBAL_FUNCTION = 0x12,
	RANGES = 1 << 16, /* of one unit; larger ones are checked in part */
	ABSTRACTS = 1 << 14,
	/* of what decoders pass over */
	TAG_STRUCTURE_TYPE = 0x13,
	TAG_TEMPLATE_VALUE_PARAMETER = 0x30,
	LISTS = 13, /* bytes of a header and the end of a list */
};

/* An entry that is being gone through: its code, and where its children's is gathered. */
struct level {
	size_t first, count;
	size_t children; /* the first range of its children so far */
};

struct check {
	struct elf elf;
	struct dwarf_sections sections;
	struct dwarf_unit unit;
	struct cairn_range *range;
	size_t ranges;
	struct level level[LEVELS];
	uint64_t *abstract; /* offsets of abstract functions of the unit */
	size_t abstracts;
	uint64_t files;
	const char *flaw;
};

static void flaw(struct check *c, const char *what)
{
	if (!c->flaw)
		c->flaw = what;
}

static struct cairn_bytes section(const struct check *c, const char *name)
{
	struct elf_section s;
	const struct cairn_bytes none = { c->elf.bytes.data, 0 };

	return elf_find_section(&c->elf, name, &s) ? elf_section_bytes(&c->elf, &s) : none;
}

static bool ends_text(struct cairn_bytes table, uint64_t offset)
{
	return offset < table.size && memchr(table.data + offset, 0, table.size - (size_t)offset);
}

static void check_symbol(struct check *c, const uint8_t *p, struct cairn_bytes names, bool local)
{
	bool wide = c->elf.wide, big = c->elf.big;
	uint64_t value = wide ? bytes_u64(p + 8, big) : bytes_u32(p + 4, big);
	uint64_t size = wide ? bytes_u64(p + 16, big) : bytes_u32(p + 8, big);
	uint16_t index = bytes_u16(wide ? p + 6 : p + 14, big);
	struct elf_section s;

	if (!ends_text(names, bytes_u32(p, big)))
		flaw(c, "a symbol's name");
	if (p[wide ? 4 : 12] != (local ? LOCAL_FUNCTION : GLOBAL_FUNCTION))
		flaw(c, "a symbol's binding");
	if (!elf_section(&c->elf, index, &s) || s.type != ELF_SHT_NOBITS)
		flaw(c, "a symbol's section");
	else if (value - s.va >= s.size || size > s.size - (value - s.va))
		flaw(c, "a symbol outside of its section");
}

/* Local symbols come first, and the section's header says how many there are. */
static void check_symbols(struct check *c)
{
	struct cairn_bytes symbols = section(c, ".symtab"), names = section(c, ".strtab");
	size_t item = c->elf.wide ? 24 : 16;
	struct elf_section s = { .info = 0 };

	if (symbols.size % item || symbols.size == 0)
		flaw(c, "the symbol table's size");
	if (!elf_find_section(&c->elf, ".symtab", &s) || s.info < 1 || s.info > symbols.size / item)
		flaw(c, "the first global symbol");
	for (size_t at = item; !c->flaw && at < symbols.size; at += item)
		check_symbol(c, symbols.data + at, names, at / item < s.info);
}

static void add_range(struct check *c, struct cairn_range range)
{
	if (range.low >= range.high)
		flaw(c, "an empty range");
	else if (c->ranges < RANGES)
		c->range[c->ranges++] = range;
	else
		c->flaw = "too much to check";
}

static bool is_inside(const struct check *c, const struct level *around, struct cairn_range range)
{
	for (size_t i = 0; i < around->count; i++) {
		const struct cairn_range *r = &c->range[around->first + i];
		if (range.low >= r->low && range.high <= r->high)
			return true;
	}
	return false;
}

/* The ranges of the entry lie in those around, and apart from its neighbours'. */
static void check_place(struct check *c, uint64_t depth, size_t first)
{
	const struct level *around = &c->level[depth - 1];

	for (size_t i = first; i < c->ranges; i++) {
		if (!is_inside(c, around, c->range[i]))
			flaw(c, "code outside of the entry around");
		for (size_t k = around->children; k < first; k++)
			if (c->range[k].low < c->range[i].high &&
			    c->range[i].low < c->range[k].high)
				flaw(c, "code that is told twice");
	}
}

struct entry {
	struct dwarf_attribute low, high, ranges, origin, name, linkage, lines;
	bool has_low, has_high, has_ranges, has_origin, has_name, has_lines, has_linkage;
	uint64_t file;
};

static void take_attribute(struct entry *e, const struct dwarf_attribute *a)
{
	switch (a->name) {
	case DWARF_AT_LOW_PC:
		e->low = *a;
		e->has_low = true;
		break;
	case DWARF_AT_HIGH_PC:
		e->high = *a;
		e->has_high = true;
		break;
	case DWARF_AT_RANGES:
		e->ranges = *a;
		e->has_ranges = true;
		break;
	case DWARF_AT_ABSTRACT_ORIGIN:
		e->origin = *a;
		e->has_origin = true;
		break;
	case DWARF_AT_NAME:
		e->name = *a;
		e->has_name = true;
		break;
	case DWARF_AT_LINKAGE_NAME:
		e->linkage = *a;
		e->has_linkage = true;
		break;
	case DWARF_AT_STMT_LIST:
		e->lines = *a;
		e->has_lines = true;
		break;
	case DWARF_AT_DECL_FILE:
	case DWARF_AT_CALL_FILE:
		e->file = a->number;
		break;
	}
}

static void take_ranges(struct check *c, const struct entry *e, uint64_t base)
{
	const struct dwarf_bases bases = { .low_pc = base };
	struct cairn_range range;

	if (!e->has_ranges) {
		add_range(c, (struct cairn_range){ e->low.number, e->low.number + e->high.number });
		return;
	}
	struct dwarf_ranges list = dwarf_open_ranges(&c->sections, &c->unit, &bases, &e->ranges);
	for (bool first = true; !c->flaw && dwarf_next_range(&list, &range); first = false)
		if (!first || range.low != range.high) /* where a call is entered, for LLDB */
			add_range(c, range);
	if (list.fault.status != CAIRN_OK)
		flaw(c, "a list of ranges");
}

static void check_names(struct check *c, const struct entry *e)
{
	const struct dwarf_bases bases = { .low_pc = 0 };
	struct cairn_bytes text;

	if (e->has_name && !dwarf_text(&c->sections, &c->unit, &bases, &e->name, &text))
		flaw(c, "a name outside of its table");
	if (e->has_linkage && !dwarf_text(&c->sections, &c->unit, &bases, &e->linkage, &text))
		flaw(c, "a linkage name outside of its table");
}

static void check_rows(struct check *c, struct dwarf_line *line)
{
	struct dwarf_row row;
	uint64_t before = 0;
	bool open = false;

	while (!c->flaw && dwarf_next_row(line, &row)) {
		if (open && row.va < before)
			flaw(c, "rows that do not ascend");
		if (row.kind == DWARF_ROW && row.file >= c->files)
			flaw(c, "a row's file");
		if (row.kind == DWARF_ROW_END && (!open || row.va <= 0))
			flaw(c, "an empty sequence");
		open = row.kind == DWARF_ROW;
		before = row.va;
	}
	if (open || line->fault.status != CAIRN_OK)
		flaw(c, "a line program without end");
}

static void check_lines(struct check *c, const struct entry *unit)
{
	const struct dwarf_bases bases = { .low_pc = 0 };
	struct dwarf_line line;
	struct dwarf_line_entry entry;
	struct cairn_fault fault;
	struct cairn_bytes text;
	uint64_t directories = 0;

	c->files = 0;
	if (!unit->has_lines)
		return;
	if (dwarf_open_line(&c->sections, unit->lines.number, c->unit.address_size, &line,
	                    &fault) != CAIRN_OK) {
		flaw(c, "a line table's header");
		return;
	}
	for (; dwarf_next_directory(&line, &entry); directories++)
		if (!dwarf_text(&c->sections, &line.unit, &bases, &entry.path, &text))
			flaw(c, "a directory's name");
	for (; dwarf_next_file(&line, &entry); c->files++)
		if (!dwarf_text(&c->sections, &line.unit, &bases, &entry.path, &text) ||
		    entry.directory >= directories)
			flaw(c, "a file's name or directory");
	check_rows(c, &line);
}

static bool is_abstract(const struct check *c, uint64_t offset)
{
	for (size_t i = 0; i < c->abstracts; i++)
		if (c->abstract[i] == offset)
			return true;
	return false;
}

/* A template without a name, whose parameter has a list of locations: the one that is there, and empty. */
static bool is_template(struct check *c, uint64_t tag, const struct entry *e)
{
	struct cairn_bytes lists = section(c, ".debug_loclists");

	if (tag == TAG_STRUCTURE_TYPE)
		return true;
	if (tag != TAG_TEMPLATE_VALUE_PARAMETER)
		return false;
	if (!e->has_name)
		flaw(c, "a parameter without a name");
	if (lists.size != LISTS || lists.data[LISTS - 1] != 0)
		flaw(c, "no empty list of locations");
	return true;
}

static void check_entry(struct check *c, const struct dwarf_entries *entries, uint64_t *base)
{
	struct dwarf_attributes attributes = dwarf_attributes(entries);
	struct dwarf_attribute attribute;
	struct entry e = { .file = 0 };
	uint64_t depth = entries->depth;
	size_t first = c->ranges;

	while (dwarf_next_attribute(&attributes, &attribute))
		take_attribute(&e, &attribute);
	if (attributes.broken || depth >= LEVELS) {
		flaw(c, "an entry's attributes");
		return;
	}
	check_names(c, &e);
	if (depth == 0) {
		*base = e.low.number;
		check_lines(c, &e);
	} else if (e.file > 0 && e.file >= c->files) {
		flaw(c, "an entry's file");
	}
	if (is_template(c, entries->abbrev->tag, &e))
		return;
	if (entries->abbrev->tag == DWARF_TAG_INLINED_SUBROUTINE &&
	    !(e.has_origin && is_abstract(c, e.origin.number)))
		flaw(c, "a call without a function");
	if (entries->abbrev->tag != DWARF_TAG_INLINED_SUBROUTINE &&
	    entries->abbrev->tag != DWARF_TAG_LEXICAL_BLOCK && !e.has_name)
		flaw(c, "a function without a name");
	if (entries->abbrev->tag == DWARF_TAG_NAMESPACE) {
		c->level[depth] = c->level[depth - (depth > 0)]; /* what is in it is in the unit */
		return;
	}
	if (entries->abbrev->tag == DWARF_TAG_LABEL) {
		if (!is_inside(c, &c->level[depth - 1],
		               (struct cairn_range){ e.low.number, e.low.number + 1 }))
			flaw(c, "a label outside of its scope");
		return;
	}
	if (!e.has_low && !e.has_ranges) {
		if (c->abstracts < ABSTRACTS)
			c->abstract[c->abstracts++] = dwarf_entry_offset(entries);
		return;
	}
	take_ranges(c, &e, *base);
	if (!c->flaw && depth > 0)
		check_place(c, depth, first);
	c->level[depth] = (struct level){ first, c->ranges - first, c->ranges };
}

static void walk_unit(struct check *c, const struct dwarf_abbrevs *abbrevs)
{
	struct dwarf_entries entries =
		dwarf_entries(&c->sections, &c->unit, abbrevs, c->unit.first);
	uint64_t base = 0;

	c->ranges = c->abstracts = 0;
	while (!c->flaw && dwarf_next_entry(&entries))
		if (entries.abbrev)
			check_entry(c, &entries, &base);
	if (entries.fault.status != CAIRN_OK)
		flaw(c, "a unit's entries");
	else if (!c->flaw && (entries.next_depth != 0 || entries.at != entries.end))
		flaw(c, "a unit's tree does not end where the unit does");
}

static void check_unit(struct check *c)
{
	struct dwarf_abbrev_storage capacity;
	struct dwarf_abbrevs abbrevs = { .count = 0 };
	struct cairn_fault fault;

	if (c->unit.version != 5) {
		flaw(c, "a unit's header");
		return;
	}
	dwarf_count_abbrevs(&c->sections, &c->unit, DWARF_ABBREVS_ALL, &capacity);
	abbrevs.abbrev = malloc((capacity.abbrevs + 1) * sizeof(*abbrevs.abbrev));
	abbrevs.spec = malloc((capacity.specs + 1) * sizeof(*abbrevs.spec));
	abbrevs.step = malloc((capacity.steps + 1) * sizeof(*abbrevs.step));
	abbrevs.shape = malloc((capacity.abbrevs + 1) * sizeof(*abbrevs.shape));
	if (!abbrevs.abbrev || !abbrevs.spec || !abbrevs.step || !abbrevs.shape ||
	    dwarf_read_abbrevs(&c->sections, &c->unit, DWARF_ABBREVS_ALL, &abbrevs, &fault) !=
	            CAIRN_OK)
		flaw(c, "a unit's abbreviations");
	else
		walk_unit(c, &abbrevs);
	free(abbrevs.abbrev);
	free(abbrevs.spec);
	free(abbrevs.step);
	free(abbrevs.shape);
}

static void check_units(struct check *c)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	uint64_t at = 0;

	c->sections = (struct dwarf_sections){ .info = section(c, ".debug_info"),
		                               .abbrev = section(c, ".debug_abbrev"),
		                               .line = section(c, ".debug_line"),
		                               .str = section(c, ".debug_str"),
		                               .line_str = section(c, ".debug_line_str"),
		                               .rnglists = section(c, ".debug_rnglists"),
		                               .big = c->elf.big };
	c->range = malloc(RANGES * sizeof(*c->range));
	c->abstract = malloc(ABSTRACTS * sizeof(*c->abstract));
	if (!c->range || !c->abstract)
		flaw(c, "no memory for the check");
	while (!c->flaw && dwarf_read_unit(&c->sections, &at, &c->unit, &fault))
		check_unit(c);
	if (fault.status != CAIRN_OK)
		flaw(c, "the units");
	free(c->range);
	free(c->abstract);
}

const char *check_object(struct cairn_bytes object)
{
	static struct check c;
	struct cairn_fault fault;

	c = (struct check){ .flaw = NULL };
	if (elf_open(object, &c.elf, &fault) != CAIRN_OK)
		return "no ELF file";
	check_symbols(&c);
	check_units(&c);
	const char *index = check_name_index(section(&c, ".gdb_index"), c.sections.info, c.elf.big);
	if (index)
		flaw(&c, index);
	return c.flaw;
}
