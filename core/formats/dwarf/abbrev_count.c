/* SPDX-License-Identifier: MIT */
/* Counts abbreviations and attributes, so that memory can be allocated before they are read. */
#include "cursor.h"

uint64_t dwarf_read_root_code(const struct dwarf_sections *sections, const struct dwarf_unit *unit)
{
	const uint8_t *start = sections->info.data;
	struct dwarf_cursor c = { start + unit->first, start + unit->end, sections->big, false };
	uint64_t code = cursor_uleb(&c);

	return c.bad ? 0 : code;
}

static uint64_t count_specs(struct dwarf_cursor *c)
{
	for (uint64_t count = 0;; count++) {
		uint64_t name, form;
		cursor_name_and_form(c, &name, &form);
		if (c->bad || (name == 0 && form == 0))
			return count;
		if (form == FORM_IMPLICIT_CONST)
			cursor_sleb(c);
	}
}

static uint32_t add_to_count(uint32_t count, uint64_t more)
{
	return more < UINT32_MAX - count ? count + (uint32_t)more : UINT32_MAX;
}

/*
 * Each step skips at least one attribute, so the number of steps is at most the number of
 * attributes.
 */
void dwarf_count_abbrevs(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                         enum dwarf_abbrevs_part part, struct dwarf_abbrev_storage *room)
{
	const uint8_t *start = sections->abbrev.data;
	struct dwarf_cursor c = { start, start + sections->abbrev.size, sections->big, false };
	uint64_t last = part == DWARF_ABBREVS_ROOT ? dwarf_read_root_code(sections, unit) : 0;

	*room = (struct dwarf_abbrev_storage){ 0, 0, 0 };
	cursor_take(&c, unit->abbrevs);
	while (!c.bad && cursor_left(&c) > 0) {
		uint64_t code = cursor_uleb(&c);
		if (code == 0 && !c.bad)
			break;
		cursor_uleb(&c);
		cursor_take(&c, 1);
		room->abbrevs = add_to_count(room->abbrevs, 1);
		room->specs = add_to_count(room->specs, count_specs(&c));
		if (code == last)
			break;
	}
	room->steps = room->specs;
}

uint64_t dwarf_find_root_abbrev(const struct dwarf_sections *sections,
                                const struct dwarf_unit *unit)
{
	const uint8_t *start = sections->abbrev.data;
	struct dwarf_cursor c = { start, start + sections->abbrev.size, sections->big, false };
	uint64_t root = dwarf_read_root_code(sections, unit), code = 0;
	const uint8_t *at = start;

	cursor_take(&c, unit->abbrevs);
	while (!c.bad && cursor_left(&c) > 0) {
		at = c.at;
		code = cursor_uleb(&c);
		if (code == root || code == 0)
			break;
		cursor_uleb(&c);
		cursor_take(&c, 1);
		count_specs(&c);
	}
	return !c.bad && code == root && root != 0 ? (uint64_t)(at - start) : unit->abbrevs;
}
