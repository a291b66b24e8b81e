/* SPDX-License-Identifier: MIT */
/*
 * Abbreviations, DWARF 5, section 7.5.3, each turned into a plan for passing over an entry:
 *
 *	table        = abbreviation* 0:uleb
 *	abbreviation = code:uleb tag:uleb children:u8 spec* 0:uleb 0:uleb
 *	spec         = name:uleb form:uleb [value:sleb]     (with DW_FORM_implicit_const)
 *
 * Neighbours of fixed size become one step; an entry that is one such step needs no plan at all.
 */
#include "cursor.h"

enum { FIXED_MAX = 1 << 24 }; /* bytes in one step; a shape has no more than the table has bytes */

/* Where the plan is written; in the first round, which only counts, the arrays are NULL. */
struct plan {
	struct dwarf_abbrev *abbrev;
	struct dwarf_spec *spec;
	struct dwarf_step *step;
	struct dwarf_abbrev_room used;
	const struct dwarf_unit *unit;
	uint32_t fixed; /* bytes of a step that has not been written yet */
	bool unknown;   /* a form */
	struct cairn_fault *fault;
};

static void put_step(struct plan *plan, uint32_t kind, uint32_t size)
{
	if (plan->step)
		plan->step[plan->used.steps] = (struct dwarf_step){ kind, size };
	plan->used.steps++;
}

static void end_fixed(struct plan *plan)
{
	if (plan->fixed)
		put_step(plan, WIDTH_FIXED, plan->fixed);
	plan->fixed = 0;
}

static void put_spec(struct plan *plan, struct dwarf_spec spec)
{
	uint32_t size;
	enum dwarf_width width = dwarf_form_width(spec.form, plan->unit, &size);

	if (width == WIDTH_UNKNOWN)
		plan->unknown = true;
	if (plan->spec)
		plan->spec[plan->used.specs] = spec;
	plan->used.specs++;
	if (width == WIDTH_FIXED && plan->fixed < FIXED_MAX) {
		plan->fixed += size;
		return;
	}
	end_fixed(plan);
	put_step(plan, width, size);
}

/* True when there are addresses among the attributes. */
static bool read_specs(struct dwarf_cursor *c, struct plan *plan)
{
	bool code = false;

	for (;;) {
		uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
		if (c->bad || (name == 0 && form == 0))
			return code;
		code = code || name == DWARF_AT_LOW_PC || name == DWARF_AT_RANGES;
		struct dwarf_spec spec = { (uint16_t)name, (uint16_t)form, 0 };
		if (name > UINT16_MAX)
			spec.name = 0; /* nobody asks for it */
		if (form > UINT16_MAX)
			plan->unknown = true;
		if (form == FORM_IMPLICIT_CONST)
			spec.value = cursor_sleb(c);
		put_spec(plan, spec);
	}
}

static uint8_t marks_of(uint16_t tag, bool children, bool code)
{
	switch (tag) {
	case DWARF_TAG_SUBPROGRAM:
		return (uint8_t)((code ? DWARF_MARK_CODE : 0) |
		                 (children ? DWARF_MARK_FUNCTION | DWARF_MARK_SCOPE : 0));
	case DWARF_TAG_INLINED_SUBROUTINE:
		return DWARF_MARK_INLINED;
	case DWARF_TAG_CALL_SITE:
	case DWARF_TAG_GNU_CALL_SITE:
		return DWARF_MARK_CALL;
	case DWARF_TAG_CLASS:
	case DWARF_TAG_STRUCTURE:
	case DWARF_TAG_UNION:
	case DWARF_TAG_ENUMERATION:
	case DWARF_TAG_INTERFACE:
	case DWARF_TAG_NAMESPACE:
	case DWARF_TAG_MODULE:
		return children ? DWARF_MARK_SCOPE : 0;
	default: /* types, variables, blocks */
		return 0;
	}
}

/* One abbreviation behind its code. */
static void read_abbrev(struct dwarf_cursor *c, struct plan *plan, uint64_t code)
{
	uint64_t tag = cursor_uleb(c);
	struct dwarf_abbrev abbrev = { .code = code, .tag = tag > UINT16_MAX ? 0 : (uint16_t)tag };
	uint32_t step = plan->used.steps;

	abbrev.children = cursor_number(c, 1) != 0;
	abbrev.spec = plan->used.specs;
	abbrev.step = step;
	bool has_code = read_specs(c, plan);
	abbrev.marks = marks_of(abbrev.tag, abbrev.children, has_code);
	if (plan->used.steps == step)
		abbrev.fixed = plan->fixed;
	else
		end_fixed(plan);
	plan->fixed = 0;
	abbrev.specs = plan->used.specs - abbrev.spec;
	abbrev.steps = plan->used.steps - step;
	if (plan->abbrev)
		plan->abbrev[plan->used.abbrevs] = abbrev;
	plan->used.abbrevs++;
}

static enum cairn_status fail(struct plan *plan, enum cairn_status status, size_t offset,
                              const char *what)
{
	*plan->fault = (struct cairn_fault){ status, offset, what };
	return status;
}

static enum cairn_status read_table(const struct dwarf_sections *sections, struct plan *plan)
{
	const uint8_t *start = sections->abbrev.data;
	struct dwarf_cursor c = { start, start + sections->abbrev.size, sections->big, false };

	if (plan->unit->abbrevs >= sections->abbrev.size)
		return fail(plan, CAIRN_TRUNCATED, (size_t)plan->unit->abbrevs,
		            "abbreviations lie past the end of their section");
	c.at += plan->unit->abbrevs;
	while (cursor_left(&c) > 0) {
		size_t offset = (size_t)(c.at - start);
		uint64_t code = cursor_uleb(&c);
		if (code == 0 && !c.bad)
			break;
		read_abbrev(&c, plan, code);
		if (c.bad)
			return fail(plan, CAIRN_TRUNCATED, offset, "an abbreviation has no end");
		if (plan->unknown)
			return fail(plan, CAIRN_UNSUPPORTED, offset,
			            "an abbreviation uses an unknown form");
	}
	return CAIRN_OK;
}

enum cairn_status dwarf_count_abbrevs(const struct dwarf_sections *sections,
                                      const struct dwarf_unit *unit,
                                      struct dwarf_abbrev_room *room, struct cairn_fault *fault)
{
	struct plan plan = { .unit = unit, .fault = fault };
	enum cairn_status status = read_table(sections, &plan);

	if (status == CAIRN_OK)
		*room = plan.used;
	return status;
}

/* Each code above the one before it? */
static bool is_ascending(const struct dwarf_abbrev *abbrev, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (abbrev[i - 1].code >= abbrev[i].code)
			return false;
	return true;
}

static void sift(struct dwarf_abbrev *heap, size_t at, size_t count)
{
	while (2 * at + 1 < count) {
		size_t child = 2 * at + 1;
		if (child + 1 < count && heap[child].code < heap[child + 1].code)
			child++;
		if (heap[at].code >= heap[child].code)
			break;
		struct dwarf_abbrev moved = heap[at];
		heap[at] = heap[child];
		heap[child] = moved;
		at = child;
	}
}

/* Without memory of its own; tables that need it are made by nobody we know. */
static void sort(struct dwarf_abbrev *abbrev, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(abbrev, i, count);
	for (size_t i = count; i-- > 1;) {
		struct dwarf_abbrev moved = abbrev[0];
		abbrev[0] = abbrev[i];
		abbrev[i] = moved;
		sift(abbrev, 0, i);
	}
}

enum cairn_status dwarf_read_abbrevs(const struct dwarf_sections *sections,
                                     const struct dwarf_unit *unit, struct dwarf_abbrevs *abbrevs,
                                     struct cairn_fault *fault)
{
	struct plan plan = { .abbrev = abbrevs->abbrev,
		             .spec = abbrevs->spec,
		             .step = abbrevs->step,
		             .unit = unit,
		             .fault = fault };
	enum cairn_status status = read_table(sections, &plan);

	if (status != CAIRN_OK)
		return status;
	abbrevs->count = plan.used.abbrevs;
	if (!is_ascending(abbrevs->abbrev, abbrevs->count))
		sort(abbrevs->abbrev, abbrevs->count);
	abbrevs->dense = abbrevs->count > 0 && is_ascending(abbrevs->abbrev, abbrevs->count) &&
	                 abbrevs->abbrev[0].code == 1 &&
	                 abbrevs->abbrev[abbrevs->count - 1].code == abbrevs->count;
	return CAIRN_OK;
}
