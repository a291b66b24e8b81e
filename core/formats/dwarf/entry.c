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

static const struct dwarf_abbrev *search_abbrev(const struct dwarf_abbrevs *abbrevs, uint64_t code)
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

static inline const struct dwarf_abbrev *find_abbrev(const struct dwarf_abbrevs *abbrevs,
                                                     uint64_t code)
{
	if (!abbrevs->dense)
		return search_abbrev(abbrevs, code);
	return code <= abbrevs->count ? &abbrevs->abbrev[code - 1] : NULL;
}

/* Past a value that is neither of fixed size nor short; NULL when it reaches past the end. */
static const uint8_t *skip_long_step(const struct dwarf_entries *e, const struct dwarf_step *step,
                                     const uint8_t *at)
{
	struct dwarf_cursor c = { at, e->end, e->big, false };

	dwarf_skip_width(&c, &e->unit, step->kind, step->size);
	return c.bad ? NULL : c.at;
}

/* The bytes of a value that has few of them, as nearly all do; 0: it may have more, or less than none are left. */
static inline uint64_t measure_short_step(const struct dwarf_step *step, const uint8_t *at,
                                          size_t left)
{
	if (left == 0 || at[0] >= 0x80)
		return 0;
	if (step->kind == WIDTH_BLOCK)
		return 1 + (uint64_t)at[0];
	return step->kind == WIDTH_ULEB ? 1 : 0;
}

/* Past the attributes, step by step; NULL when they reach past the end. */
static const uint8_t *skip_steps(const struct dwarf_entries *e, const struct dwarf_abbrev *abbrev,
                                 const uint8_t *at)
{
	const struct dwarf_step *step = e->abbrevs->step + abbrev->step;
	const struct dwarf_step *last = step + abbrev->steps;

	for (; step < last && at; step++) {
		const size_t left = (size_t)(e->end - at);
		const bool fixed = step->kind == WIDTH_FIXED;
		const uint64_t size = fixed ? step->size : measure_short_step(step, at, left);
		if (!fixed && size == 0)
			at = skip_long_step(e, step, at);
		else
			at = size <= left ? at + size : NULL;
	}
	return at;
}

static inline const uint8_t *skip_fixed(const struct dwarf_entries *e, uint32_t size,
                                        const uint8_t *at)
{
	return size <= (size_t)(e->end - at) ? at + size : NULL;
}

static inline const uint8_t *skip_attributes(const struct dwarf_entries *e,
                                             const struct dwarf_abbrev *abbrev, const uint8_t *at)
{
	return abbrev->steps > 0 ? skip_steps(e, abbrev, at) : skip_fixed(e, abbrev->fixed, at);
}

/* A code of more than two bytes; NULL when it has no end. */
static const uint8_t *read_long_code(const struct dwarf_entries *e, const uint8_t *at,
                                     uint64_t *code)
{
	struct dwarf_cursor c = { at, e->end, e->big, false };

	*code = cursor_uleb(&c);
	return c.bad ? NULL : c.at;
}

/* `long_code` has a variable of its own, so that the caller's can stay in a register. */
static inline const uint8_t *read_code(const struct dwarf_entries *e, const uint8_t *at,
                                       uint64_t *code)
{
	uint64_t wide;

	*code = at[0];
	if (at[0] < 0x80)
		return at + 1;
	if (e->end - at >= 2 && at[1] < 0x80) {
		*code = (at[0] & 0x7fu) | (uint64_t)at[1] << 7;
		return at + 2;
	}
	at = read_long_code(e, at, &wide);
	*code = wide;
	return at;
}

/* Where a walk is, in few variables for the time of one call: most entries are passed over. */
struct pass {
	const uint8_t *at, *entry, *attributes;
	const struct dwarf_abbrev *abbrev;
	uint64_t depth, next_depth;
};

enum passed {
	PASSED,
	PASSED_TREE, /* the end of the tree */
	PASSED_BAD_CODE,
	PASSED_UNKNOWN,
	PASSED_CUT,
};

static void store_pass(struct dwarf_entries *e, struct pass p)
{
	e->at = p.at;
	e->entry = p.entry;
	e->attributes = p.attributes;
	e->abbrev = p.abbrev;
	e->depth = p.depth;
	e->next_depth = p.next_depth;
}

/* The entry at p->at, which is not the end. */
static inline enum passed pass_entry(const struct dwarf_entries *e, struct pass *p)
{
	uint64_t code;
	const uint8_t *at = read_code(e, p->at, &code);

	p->entry = p->at;
	p->depth = p->next_depth;
	if (!at)
		return PASSED_BAD_CODE;
	p->attributes = p->at = at;
	p->abbrev = NULL;
	if (code == 0) {
		p->next_depth -= p->next_depth > 0;
		/* after the unit's own entry there may be padding */
		return p->depth == 0 ? PASSED_TREE : PASSED;
	}
	p->abbrev = find_abbrev(e->abbrevs, code);
	if (!p->abbrev)
		return PASSED_UNKNOWN;
	at = skip_attributes(e, p->abbrev, at);
	if (!at)
		return PASSED_CUT;
	p->at = at;
	p->next_depth += p->abbrev->children;
	return PASSED;
}

/* After the last entry: false, and the fault when it was damage. */
static bool stop_entries(struct dwarf_entries *e, enum passed why)
{
	static const struct {
		enum cairn_status status;
		const char *what;
	} faults[] = {
		[PASSED] = { CAIRN_OK, NULL },
		[PASSED_TREE] = { CAIRN_OK, NULL },
		[PASSED_BAD_CODE] = { CAIRN_MALFORMED, "the code of an entry has no end" },
		[PASSED_UNKNOWN] = { CAIRN_MALFORMED, "an entry has an unknown abbreviation" },
		[PASSED_CUT] = { CAIRN_TRUNCATED, "an entry reaches past the end of its unit" },
	};

	if (faults[why].status == CAIRN_OK)
		return false;
	e->at = e->entry;
	e->fault =
		(struct cairn_fault){ faults[why].status, dwarf_entry_offset(e), faults[why].what };
	return false;
}

/* Bytes ahead: processors themselves do not look beyond a page of memory. */
enum { PREFETCH = 1024 };

/* The entry after those inside this one; NULL: its reference is not sound. */
static const uint8_t *find_after_inner(const struct dwarf_entries *e,
                                       const struct dwarf_abbrev *abbrev, const uint8_t *attributes)
{
	struct dwarf_cursor c = { attributes, e->end, e->big, false };

	cursor_take(&c, abbrev->sibling);
	const uint64_t offset = e->unit.offset + cursor_number(&c, abbrev->sibling_size);
	const bool sound = !c.bad && offset > (uint64_t)(attributes - e->start) &&
	                   offset <= (uint64_t)(e->end - e->start);
	/* what is before it is the end of a list of children */
	return sound && e->start[offset - 1] == 0 ? e->start + offset : NULL;
}

/*
 * Over entries of which nothing is wanted, as most are, by their shapes alone.  Stops in front of one whose shape has a
 * mark in `stops` or whose code is long, below `above`, and where the largest shape might reach past the end.
 */
static inline const uint8_t *pass_plain(const struct dwarf_entries *e, const uint8_t *at,
                                        uint64_t *next_depth, unsigned stops, uint64_t above)
{
	enum { SHORT_CODE = 2 };
	const struct dwarf_shape *shapes = e->abbrevs->shape;
	const uint64_t count = e->abbrevs->count,
		       widest = (uint64_t)e->abbrevs->widest + SHORT_CODE;
	const size_t left = (size_t)(e->end - at);
	const uint8_t *last = at + (left > widest ? left - widest : 0);
	uint64_t depth = *next_depth;

	while (at < last && depth >= above) {
		cursor_soon(at, PREFETCH);
		uint64_t code = at[0];
		const uint8_t *behind = at + 1;
		if (code >= 0x80) {
			if (at[1] >= 0x80)
				break;
			code = (code & 0x7f) | (uint64_t)at[1] << 7;
			behind = at + SHORT_CODE;
		}
		if (code > count)
			break;
		const struct dwarf_shape shape = shapes[code];
		if (shape.marks & stops)
			break;
		at = behind + shape.size;
		/* the children of one, or the end of some */
		depth += (uint64_t)(int64_t)shape.deeper;
	}
	*next_depth = depth;
	return at;
}

/* The same, and over those whose size varies, to one that is wanted, is above, or is damaged. */
static inline void pass_unwanted(const struct dwarf_entries *e, struct pass *p, unsigned marks,
                                 uint64_t above, const unsigned around)
{
	const struct dwarf_shape *shapes = e->abbrevs->shape;
	const uint8_t *at = p->at, *end = e->end;
	uint64_t depth = p->next_depth, code, count = e->abbrevs->count;
	const unsigned stops = marks | DWARF_MARK_STEPS | around;

	for (;;) {
		at = pass_plain(e, at, &depth, stops, above);
		if (depth < above || at == end)
			break;
		const uint8_t *behind = read_code(e, at, &code);
		if (!behind || code > count || (shapes[code].marks & marks))
			break;
		const uint8_t *next = NULL;
		if (shapes[code].marks & around)
			next = find_after_inner(e, &e->abbrevs->abbrev[code - 1], behind);
		if (next) {
			at = next;
			continue;
		}
		if (shapes[code].marks & DWARF_MARK_STEPS)
			behind = skip_steps(e, &e->abbrevs->abbrev[code - 1], behind);
		else
			behind = skip_fixed(e, shapes[code].size, behind);
		if (!behind)
			break;
		at = behind;
		depth += (uint64_t)(int64_t)shapes[code].deeper;
	}
	p->at = at;
	p->next_depth = depth;
}

bool dwarf_next_marked(struct dwarf_entries *e, unsigned marks, uint64_t above)
{
	struct pass p = { e->at, e->entry, e->attributes, e->abbrev, e->depth, e->next_depth };
	enum passed passed = PASSED;
	bool found = false;

	if (e->fault.status != CAIRN_OK || e->at >= e->end)
		return false;
	while (!found && passed == PASSED && p.at < e->end) {
		/* never past the end of the tree, which is at depth 0 */
		if (e->abbrevs->dense && e->around)
			pass_unwanted(e, &p, marks, above > 0 ? above : 1, e->around);
		else if (e->abbrevs->dense)
			pass_unwanted(e, &p, marks, above > 0 ? above : 1, 0);
		if (p.at == e->end)
			break;
		passed = pass_entry(e, &p);
		found = passed == PASSED &&
		        (p.depth < above || (p.abbrev && (p.abbrev->marks & marks)));
	}
	store_pass(e, p);
	return found || stop_entries(e, passed);
}

bool dwarf_next_entry(struct dwarf_entries *e)
{
	struct pass p = { e->at, e->entry, e->attributes, e->abbrev, e->depth, e->next_depth };

	if (e->fault.status != CAIRN_OK || e->at >= e->end)
		return false;
	const enum passed passed = pass_entry(e, &p);
	store_pass(e, p);
	return passed == PASSED || stop_entries(e, passed);
}

enum { ATTRIBUTES_MAX = 64 }; /* among which a sibling is looked for */

/* The sibling, by an attribute that was kept; false when there is none. */
static bool read_sibling_offset(const struct dwarf_entries *e, uint64_t *offset)
{
	struct dwarf_attributes attributes = dwarf_attributes(e);
	struct dwarf_attribute attribute;

	/* attributes may take no bytes: more than compilers write are not looked at */
	for (unsigned i = 0; i < ATTRIBUTES_MAX && dwarf_next_attribute(&attributes, &attribute);
	     i++)
		if (attribute.name == DWARF_AT_SIBLING) {
			*offset = attribute.number;
			return attribute.class == DWARF_REFERENCE;
		}
	return false;
}

/* Where the entry's sibling is, when the entry has children and a sound reference to it. */
static const uint8_t *find_entry_sibling(const struct dwarf_entries *e)
{
	uint64_t offset;

	if (e->abbrev->sibling_size > 0)
		return find_after_inner(e, e->abbrev, e->attributes);
	if (!read_sibling_offset(e, &offset))
		return NULL;
	return offset <= (uint64_t)(e->end - e->start) ? e->start + offset : NULL;
}

/* Without its help: over all that is inside. */
static uint64_t walk_over_children(struct dwarf_entries *e)
{
	const uint8_t *from = e->at;
	struct dwarf_entries next = *e;

	while (next.next_depth > e->depth && dwarf_next_marked(&next, 0, e->depth + 2))
		continue;
	*e = next;
	return (uint64_t)(e->at - from);
}

uint64_t dwarf_skip_children(struct dwarf_entries *e)
{
	if (!e->abbrev || !e->abbrev->children)
		return 0;
	const uint8_t *sibling = find_entry_sibling(e);
	if (!sibling || sibling <= e->at)
		return walk_over_children(e);
	e->at = sibling;
	e->next_depth = e->depth;
	return 0;
}
