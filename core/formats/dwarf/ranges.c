/* SPDX-License-Identifier: MIT */
/*
 * Reads values that attributes refer to: strings, addresses and range lists (DWARF 5, sections 7.17
 * and 7.25; DWARF 4, section 2.17.3):
 *
 *	.debug_ranges   = { low:address high:address }
 *	.debug_rnglists = { kind:u8 operands }
 * In .debug_ranges, a pair of zeros ends the list, and a `low` with all bits set makes `high` the
 * new base.
 */
#include "cursor.h"

enum {
	LIST_END = 0,
	LIST_BASE_INDEX = 1,
	LIST_INDEX_INDEX = 2,
	LIST_INDEX_LENGTH = 3,
	LIST_OFFSETS = 4,
	LIST_BASE = 5,
	LIST_START_END = 6,
	LIST_START_LENGTH = 7,
};

static bool read_table_entry(struct cairn_bytes table, uint64_t base, uint64_t index, unsigned size,
                             bool big, uint64_t *value)
{
	if (base > table.size || index >= (table.size - base) / size)
		return false;
	*value = bytes_unsigned(table.data + base + index * size, size, big);
	return true;
}

bool dwarf_address(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                   const struct dwarf_bases *bases, uint64_t index, uint64_t *address)
{
	return read_table_entry(sections->addr, bases->addr, index, unit->address_size,
	                        sections->big, address);
}

static bool read_string_at(struct cairn_bytes section, uint64_t offset, struct cairn_bytes *text)
{
	const uint8_t *start = section.data + offset;
	const uint8_t *nul =
		offset < section.size ? memchr(start, 0, section.size - (size_t)offset) : NULL;

	if (!nul)
		return false;
	*text = (struct cairn_bytes){ start, (size_t)(nul - start) };
	return true;
}

bool dwarf_text(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                const struct dwarf_bases *bases, const struct dwarf_attribute *attribute,
                struct cairn_bytes *text)
{
	uint64_t offset;

	switch (attribute->class) {
	case DWARF_STRING:
		*text = attribute->text;
		return true;
	case DWARF_STR:
		return read_string_at(sections->str, attribute->number, text);
	case DWARF_LINE_STR:
		return read_string_at(sections->line_str, attribute->number, text);
	case DWARF_STR_INDEX:
		return read_table_entry(sections->str_offsets, bases->str_offsets,
		                        attribute->number, unit->offset_size, sections->big,
		                        &offset) &&
		       read_string_at(sections->str, offset, text);
	default:
		return false;
	}
}

struct dwarf_ranges dwarf_open_ranges(const struct dwarf_sections *sections,
                                      const struct dwarf_unit *unit,
                                      const struct dwarf_bases *bases,
                                      const struct dwarf_attribute *attribute)
{
	struct dwarf_ranges ranges = { .sections = sections,
		                       .unit = *unit,
		                       .bases = *bases,
		                       .at = attribute->number,
		                       .base = bases->low_pc };
	uint64_t offset = 0;

	if (unit->version < 5)
		ranges.at += bases->ranges;
	if (attribute->class != DWARF_LIST_INDEX)
		return ranges;
	if (read_table_entry(sections->rnglists, bases->rnglists, attribute->number,
	                     unit->offset_size, sections->big, &offset))
		ranges.at = bases->rnglists + offset;
	else
		ranges.fault = (struct cairn_fault){ CAIRN_MALFORMED, bases->rnglists,
			                             "the index of a range list is out of range" };
	return ranges;
}

static bool fail_range_list(struct dwarf_ranges *r, enum cairn_status status, const char *what)
{
	r->fault = (struct cairn_fault){ status, r->at, what };
	return false;
}

static bool emit_dwarf_range(struct cairn_range *range, const struct dwarf_ranges *r, uint64_t low,
                             uint64_t high)
{
	uint64_t highest = dwarf_highest(&r->unit);

	*range = (struct cairn_range){ low & highest, high & highest };
	return true;
}

static uint64_t read_indexed_address(const struct dwarf_ranges *r, struct dwarf_cursor *c,
                                     uint64_t index)
{
	uint64_t address = 0;

	if (!c->bad && !dwarf_address(r->sections, &r->unit, &r->bases, index, &address))
		c->bad = true;
	return address;
}

/*
 * Return true if the base marks discarded code, so that all ranges relative to it are dead,
 * regardless of their offsets. Linkers set such a base to the highest address, or, in lists where
 * that value selects a new base, to the highest address minus 1.
 */
static bool is_dead_base(const struct dwarf_ranges *r)
{
	return r->base >= dwarf_highest(&r->unit) - 1;
}

static bool emit_offset_range(struct cairn_range *range, const struct dwarf_ranges *r, uint64_t low,
                              uint64_t high)
{
	if (is_dead_base(r))
		return emit_dwarf_range(range, r, r->base, r->base);
	return emit_dwarf_range(range, r, r->base + low, r->base + high);
}

static bool next_old(struct dwarf_ranges *r, struct dwarf_cursor *c, struct cairn_range *range)
{
	unsigned size = r->unit.address_size;

	for (;;) {
		uint64_t low = cursor_number(c, size), high = cursor_number(c, size);
		if (c->bad)
			return fail_range_list(r, CAIRN_TRUNCATED, "unterminated range list");
		r->at += 2 * (uint64_t)size;
		if (low == 0 && high == 0)
			return false;
		if (low != dwarf_highest(&r->unit))
			return emit_offset_range(range, r, low, high);
		r->base = high;
	}
}

/* Read one entry. Return true for a range, and false if it only changes the base or is invalid. */
static bool read_entry(struct dwarf_ranges *r, struct dwarf_cursor *c, unsigned kind,
                       struct cairn_range *range)
{
	unsigned size = r->unit.address_size;
	uint64_t low;

	switch (kind) {
	case LIST_BASE_INDEX:
		r->base = read_indexed_address(r, c, cursor_uleb(c));
		return false;
	case LIST_BASE:
		r->base = cursor_number(c, size);
		return false;
	case LIST_INDEX_INDEX:
		low = read_indexed_address(r, c, cursor_uleb(c));
		return emit_dwarf_range(range, r, low, read_indexed_address(r, c, cursor_uleb(c)));
	case LIST_INDEX_LENGTH:
		low = read_indexed_address(r, c, cursor_uleb(c));
		return emit_dwarf_range(range, r, low, low + cursor_uleb(c));
	case LIST_OFFSETS:
		low = cursor_uleb(c);
		return emit_offset_range(range, r, low, cursor_uleb(c));
	case LIST_START_END:
		low = cursor_number(c, size);
		return emit_dwarf_range(range, r, low, cursor_number(c, size));
	case LIST_START_LENGTH:
		low = cursor_number(c, size);
		return emit_dwarf_range(range, r, low, low + cursor_uleb(c));
	default: /* an unknown kind has operands of unknown size, so they cannot be skipped */
		c->bad = true;
		return false;
	}
}

static bool next_new(struct dwarf_ranges *r, struct dwarf_cursor *c, struct cairn_range *range)
{
	const uint8_t *start = r->sections->rnglists.data;

	for (;;) {
		unsigned kind = (unsigned)cursor_number(c, 1);
		if (kind == LIST_END && !c->bad)
			return false;
		bool given = read_entry(r, c, kind, range);
		if (c->bad)
			return fail_range_list(r, CAIRN_MALFORMED, "a range list is damaged");
		r->at = (uint64_t)(c->at - start);
		if (given)
			return true;
	}
}

bool dwarf_next_range(struct dwarf_ranges *r, struct cairn_range *range)
{
	bool old = r->unit.version < 5;
	struct cairn_bytes section = old ? r->sections->ranges : r->sections->rnglists;
	struct dwarf_cursor c = { section.data, section.data + section.size, r->sections->big,
		                  false };

	if (r->fault.status != CAIRN_OK)
		return false;
	if (r->at >= section.size)
		return fail_range_list(r, CAIRN_TRUNCATED,
		                       "a range list lies past the end of its section");
	c.at += r->at;
	return old ? next_old(r, &c, range) : next_new(r, &c, range);
}
