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

static inline const struct dwarf_abbrev *find(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	if (!abbrevs->dense)
		return search(abbrevs, code);
	return code <= abbrevs->count ? &abbrevs->abbrev[code - 1] : NULL;
}

/* Past the attributes, by the plan; false when they reach past the end. */
static inline bool skip(const struct dwarf_entries *e, const struct dwarf_abbrev *abbrev,
                        struct dwarf_cursor *c)
{
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

/* A walk for the time of one call, in few variables: most entries are passed over. */
struct pass {
	struct dwarf_cursor c;
	const uint8_t *entry, *attributes;
	const struct dwarf_abbrev *abbrev;
	uint64_t depth, next_depth;
};

static void keep(struct dwarf_entries *e, const struct pass *p)
{
	e->at = p->c.at;
	e->entry = p->entry;
	e->attributes = p->attributes;
	e->abbrev = p->abbrev;
	e->depth = p->depth;
	e->next_depth = p->next_depth;
}

static bool fail(struct dwarf_entries *e, struct pass *p, enum cairn_status status,
                 const char *what)
{
	p->c.at = p->entry;
	keep(e, p);
	e->fault = (struct cairn_fault){ status, dwarf_entry_offset(e), what };
	return false;
}

/* One entry; false at the end of the tree. */
static inline bool read_entry(struct dwarf_entries *e, struct pass *p)
{
	p->entry = p->c.at;
	p->depth = p->next_depth;
	uint64_t code = cursor_uleb(&p->c);
	if (p->c.bad)
		return fail(e, p, CAIRN_MALFORMED, "the code of an entry has no end");
	p->attributes = p->c.at;
	p->abbrev = NULL;
	if (code == 0) {
		p->next_depth -= p->next_depth > 0;
		if (p->depth == 0) { /* behind the unit's own entry there may be padding */
			keep(e, p);
			return false;
		}
		return true;
	}
	p->abbrev = find(e->abbrevs, code);
	if (!p->abbrev)
		return fail(e, p, CAIRN_MALFORMED, "an entry has an unknown abbreviation");
	if (!skip(e, p->abbrev, &p->c))
		return fail(e, p, CAIRN_TRUNCATED, "an entry reaches past the end of its unit");
	p->next_depth += p->abbrev->children;
	return true;
}

bool dwarf_next_marked(struct dwarf_entries *e, unsigned marks, uint64_t above)
{
	struct pass p = { .c = { e->at, e->end, e->big, false }, .next_depth = e->next_depth };

	if (e->fault.status != CAIRN_OK)
		return false;
	while (p.c.at < p.c.end) {
		if (!read_entry(e, &p))
			return false;
		if (p.depth < above || (p.abbrev && (p.abbrev->marks & marks))) {
			keep(e, &p);
			return true;
		}
	}
	e->at = p.c.at;
	return false;
}

bool dwarf_next_entry(struct dwarf_entries *e)
{
	return dwarf_next_marked(e, 0, UINT64_MAX);
}

/* Where the entry's sibling is, when it says so and it can be. */
static const uint8_t *sibling_of(const struct dwarf_entries *e)
{
	struct dwarf_attributes attributes = dwarf_attributes(e);
	struct dwarf_attribute attribute;

	while (dwarf_next_attribute(&attributes, &attribute))
		if (attribute.name == DWARF_AT_SIBLING)
			return attribute.class == DWARF_REFERENCE &&
			                       attribute.number <= (uint64_t)(e->end - e->start)
			               ? e->start + attribute.number
			               : NULL;
	return NULL;
}

void dwarf_skip_children(struct dwarf_entries *e)
{
	const uint8_t *sibling = e->abbrev && e->abbrev->children ? sibling_of(e) : NULL;
	struct dwarf_entries next = *e;

	if (!e->abbrev || !e->abbrev->children)
		return;
	if (sibling && sibling > e->at) {
		e->at = sibling;
		e->next_depth = e->depth;
		return;
	}
	while (next.next_depth > e->depth && dwarf_next_marked(&next, 0, e->depth + 2))
		continue;
	*e = next;
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
