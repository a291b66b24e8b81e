/* SPDX-License-Identifier: MIT */
/*
 * Entries of a unit, DWARF 5, section 7.5.2: a code that names an abbreviation, then the values of
 * its attributes; code 0 ends the children of an entry.
 */
#include "cursor.h"

struct dwarf_entries dwarf_entries(const struct dwarf_sections *sections,
                                   const struct dwarf_unit *unit,
                                   const struct dwarf_abbrevs *abbrevs, uint64_t offset)
{
	const uint8_t *start = sections->info.data;
	uint64_t at = offset < unit->first || offset > unit->end ? unit->end : offset;

	return (struct dwarf_entries){ .start = start,
		                       .at = start + at,
		                       .end = start + unit->end,
		                       .abbrevs = abbrevs,
		                       .unit = *unit,
		                       .big = sections->big };
}

static const struct dwarf_abbrev *search(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	uint32_t low = 0, high = abbrevs->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (abbrevs->abbrev[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < abbrevs->count && abbrevs->abbrev[low].code == code ? &abbrevs->abbrev[low]
	                                                                 : NULL;
}

static const struct dwarf_abbrev *find(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	if (!abbrevs->dense)
		return search(abbrevs, code);
	return code <= abbrevs->count ? &abbrevs->abbrev[code - 1] : NULL;
}

static bool fail(struct dwarf_entries *e, enum cairn_status status, const char *what)
{
	e->fault = (struct cairn_fault){ status, dwarf_entry_offset(e), what };
	return false;
}

/* Past the attributes, by the plan; false when they reach past the end. */
static bool skip(struct dwarf_entries *e, struct dwarf_cursor *c)
{
	const struct dwarf_abbrev *abbrev = e->abbrev;
	const struct dwarf_step *step = e->abbrevs->step + abbrev->step;

	if (abbrev->steps == 0) {
		cursor_take(c, abbrev->fixed);
		return !c->bad;
	}
	for (uint32_t i = 0; i < abbrev->steps; i++)
		if (step[i].kind == WIDTH_FIXED)
			cursor_take(c, step[i].size);
		else
			dwarf_skip_width(c, &e->unit, step[i].kind, step[i].size);
	return !c->bad;
}

bool dwarf_next_entry(struct dwarf_entries *e)
{
	struct dwarf_cursor c = { e->at, e->end, e->big, false };

	if (e->at == e->end || e->fault.status != CAIRN_OK)
		return false;
	e->entry = e->at;
	e->depth = e->next_depth;
	uint64_t code = cursor_uleb(&c);
	if (c.bad)
		return fail(e, CAIRN_MALFORMED, "the code of an entry has no end");
	e->abbrev = NULL;
	if (code == 0) {
		e->at = c.at;
		e->next_depth -= e->next_depth > 0;
		return e->depth > 0; /* behind the unit's own entry there may be padding */
	}
	e->abbrev = find(e->abbrevs, code);
	if (!e->abbrev)
		return fail(e, CAIRN_MALFORMED, "an entry has an unknown abbreviation");
	e->attributes = c.at;
	if (!skip(e, &c))
		return fail(e, CAIRN_TRUNCATED, "an entry reaches past the end of its unit");
	e->at = c.at;
	e->next_depth += e->abbrev->children;
	return true;
}

struct dwarf_attributes dwarf_attributes(const struct dwarf_entries *e)
{
	const struct dwarf_spec *spec = e->abbrevs->spec + e->abbrev->spec;

	return (struct dwarf_attributes){ .at = e->attributes,
		                          .end = e->end,
		                          .spec = spec,
		                          .specs_end = spec + e->abbrev->specs,
		                          .unit = e->unit,
		                          .big = e->big };
}

bool dwarf_next_attribute(struct dwarf_attributes *a, struct dwarf_attribute *attribute)
{
	struct dwarf_cursor c = { a->at, a->end, a->big, false };

	if (a->broken || a->spec == a->specs_end)
		return false;
	a->broken = !dwarf_read_form(&c, &a->unit, a->spec++, attribute);
	a->at = c.at;
	return !a->broken;
}
