/* SPDX-License-Identifier: MIT */
/*
 * Reads unit headers and iterates over the entries in a unit (DWARF 5, sections 7.5.1 and 7.5.2):
 *
 *	unit32 = length:u32 rest               (length below 0xfffffff0)
 *	unit64 = 0xffffffff:u32 length:u64 rest
 *	rest   = version:u16 (2 to 4) abbrevs:offset address_size:u8
 *	       | version:u16 (5) type:u8 address_size:u8 abbrevs:offset [id:u64] [type_at:offset]
 *
 * `length` does not include the length field. An entry consists of its abbreviation code and its
 * attribute values. Code 0 ends a list of children.
 */
#include "cursor.h"
#include "dwarf.h"

#include "base/memory.h"
#include "base/reader.h"

/*
 * Return the entry at `offset` if it is a plausible sibling, otherwise NULL. A sibling lies after
 * `at`, and the byte before it is the 0 that ends the list of children.
 */
static inline const uint8_t *check_sibling(const struct dwarf_entries *e, const uint8_t *at,
                                           uint64_t offset)
{
	const bool is_ahead =
		offset > (uint64_t)(at - e->start) && offset <= (uint64_t)(e->end - e->start);

	return is_ahead && e->start[offset - 1] == 0 ? e->start + offset : NULL;
}

/*
 * Return the sibling of an entry whose DW_AT_sibling is at a fixed offset, or NULL if the reference
 * is invalid.
 */
static inline const uint8_t *dwarf_after_inner(const struct dwarf_entries *e,
                                               const struct dwarf_abbrev *abbrev,
                                               const uint8_t *attributes)
{
	struct dwarf_cursor c = { attributes, e->end, e->big, false };

	cursor_take(&c, abbrev->sibling);
	const uint64_t offset = e->unit.offset + cursor_number(&c, abbrev->sibling_size);
	return c.bad ? NULL : check_sibling(e, attributes, offset);
}

/*
 * Return the sibling of an entry whose last attribute is DW_AT_sibling, or NULL if the reference is
 * invalid. `behind` is the end of the attributes.
 */
static inline const uint8_t *dwarf_last_sibling(const struct dwarf_entries *e,
                                                const struct dwarf_abbrev *abbrev,
                                                const uint8_t *behind)
{
	const uint8_t *reference = behind - abbrev->last_sibling_size;
	struct dwarf_cursor c = { reference, behind, e->big, false };
	const uint64_t offset = e->unit.offset + cursor_number(&c, abbrev->last_sibling_size);

	return check_sibling(e, behind, offset);
}

static const uint32_t LENGTH_64 = 0xffffffff, LENGTH_RESERVED = 0xfffffff0;

enum {
	VERSION_MIN = 2,
	VERSION_MAX = 5,
};

static void read_id(struct reader *in, struct dwarf_unit *unit)
{
	switch (unit->type) {
	case DWARF_UT_COMPILE:
	case DWARF_UT_PARTIAL:
		break;
	case DWARF_UT_SKELETON:
	case DWARF_UT_SPLIT_COMPILE:
		unit->id = reader_u64(in);
		break;
	case DWARF_UT_TYPE:
	case DWARF_UT_SPLIT_TYPE:
		unit->id = reader_u64(in);
		reader_word(in, unit->offset_size == 8);
		break;
	default:
		unit->version = 0;
		break;
	}
}

/* Read the fields after the length. Set the version to 0 if cairn does not support the unit. */
static void read_rest(struct reader *in, struct dwarf_unit *unit)
{
	bool wide = unit->offset_size == 8;

	unit->version = reader_u16(in);
	unit->type = DWARF_UT_COMPILE;
	if (unit->version < VERSION_MIN || unit->version > VERSION_MAX) {
		unit->version = 0;
		return;
	}
	if (unit->version >= 5) {
		unit->type = reader_u8(in);
		unit->address_size = reader_u8(in);
		unit->abbrevs = reader_word(in, wide);
		read_id(in, unit);
	} else {
		unit->abbrevs = reader_word(in, wide);
		unit->address_size = reader_u8(in);
	}
	unit->first = in->at;
	if (unit->address_size != 4 && unit->address_size != 8)
		unit->version = 0;
}

static uint64_t read_length(struct reader *in, struct dwarf_unit *unit)
{
	uint64_t length = reader_u32(in);

	unit->offset_size = 4;
	if (length == LENGTH_64) {
		unit->offset_size = 8;
		length = reader_u64(in);
	} else if (length >= LENGTH_RESERVED) {
		reader_fail(in, CAIRN_UNSUPPORTED, "the length of a unit has a reserved value");
	}
	if (reader_ok(in) && length > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "a unit extends past the end of its section");
	return length;
}

bool dwarf_read_unit(const struct dwarf_sections *sections, uint64_t *at, struct dwarf_unit *unit,
                     struct cairn_fault *fault)
{
	struct reader in = reader_open(sections->info, sections->big);
	struct dwarf_unit next = { .offset = *at };

	if (*at >= sections->info.size)
		return false;
	reader_seek(&in, (size_t)*at);
	uint64_t length = read_length(&in, &next);
	if (reader_ok(&in)) {
		next.end = in.at + length;
		struct cairn_bytes whole = { sections->info.data, (size_t)next.end };
		struct reader inside = reader_open(whole, sections->big);
		reader_seek(&inside, in.at);
		read_rest(&inside, &next);
		/* a unit that is too short for its header does not affect later units */
		if (!reader_ok(&inside))
			next.version = 0;
		*at = next.end;
		*unit = next;
		return true;
	}
	*fault = in.fault;
	return false;
}

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

/*
 * Skip a value that measure_short_step() cannot measure. Return NULL if the value extends past the
 * end of the unit.
 */
static const uint8_t *skip_long_step(const struct dwarf_entries *e, const struct dwarf_step *step,
                                     const uint8_t *at)
{
	struct dwarf_cursor c = { at, e->end, e->big, false };

	dwarf_skip_width(&c, &e->unit, step->kind, step->size);
	return c.bad ? NULL : c.at;
}

/*
 * Fast path for the most common sizes: return the size of a block with a one-byte length, or of a
 * one-byte LEB128 number. Return 0 for any other value or at the end of the unit.
 */
static inline uint64_t measure_short_step(const struct dwarf_step *step, const uint8_t *at,
                                          size_t left)
{
	if (left == 0 || at[0] >= 0x80)
		return 0;
	if (step->kind == WIDTH_BLOCK)
		return 1 + (uint64_t)at[0];
	return step->kind == WIDTH_ULEB ? 1 : 0;
}

/* Skip the attributes step by step. Return NULL if they extend past the end of the unit. */
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

static const uint8_t *read_long_code(const struct dwarf_entries *e, const uint8_t *at,
                                     uint64_t *code)
{
	struct dwarf_cursor c = { at, e->end, e->big, false };

	*code = cursor_uleb(&c);
	return c.bad ? NULL : c.at;
}

/*
 * Read an abbreviation code. Read long codes into the local variable `wide`, so that the caller's
 * variable can stay in a register although read_long_code() takes an address.
 */
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

/*
 * Position in a walk. It is a copy of fields in dwarf_entries, which the compiler can keep in
 * registers. This matters because walks skip most entries.
 */
struct pass {
	const uint8_t *at, *entry, *attributes;
	const struct dwarf_abbrev *abbrev;
	uint64_t depth, next_depth;
};

enum passed {
	PASSED,
	PASSED_TREE,
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

/* Read the entry at p->at, which must be before the end of the unit, and move past it. */
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
		/* at depth 0 the tree has ended; only padding may follow */
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

/* End a walk. Set the fault if the reason `why` is damage. Always returns false. */
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

/* Force inlining: some callers pass constants, which make the loop faster. */
#define IN_EACH_WALK static inline __attribute__((always_inline))

/*
 * Prefetch distance in bytes. Hardware prefetchers stop at page boundaries, so prefetch in
 * software.
 */
enum { PREFETCH = 1024 };

/*
 * Skip entries using only their shapes. Stop at an entry with a mark in `stops` or with a code of
 * more than two bytes, at a depth below `above`, or so close to the end of the unit that an entry
 * of the maximum size might not fit.
 */
IN_EACH_WALK const uint8_t *pass_plain(const struct dwarf_entries *e, const uint8_t *at,
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
		memory_soon(at, PREFETCH);
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
		depth += (uint64_t)(int64_t)shape.deeper;
	}
	*next_depth = depth;
	return at;
}

/*
 * Skip unwanted entries, including entries of variable size. Stop at an entry with one of `marks`,
 * at a depth below `above`, or at damage.
 */
IN_EACH_WALK void pass_unwanted(const struct dwarf_entries *e, struct pass *p, unsigned marks,
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
			next = dwarf_after_inner(e, &e->abbrevs->abbrev[code - 1], behind);
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
		/* stop skipping at depth 0, because the tree of entries may end there */
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

/*
 * Return the sibling of the entry at `at`. Return NULL if the entry does not have the flag `mark`
 * (DWARF_MARK_*), or its DW_AT_sibling cannot be located.
 */
static inline const uint8_t *find_marked_end(const struct dwarf_entries *e, const uint8_t *at,
                                             unsigned mark)
{
	uint64_t code;

	if (at == e->end)
		return NULL;
	const uint8_t *behind = read_code(e, at, &code);
	if (!behind || code > e->abbrevs->count || !(e->abbrevs->shape[code].marks & mark))
		return NULL;
	const struct dwarf_abbrev *abbrev = &e->abbrevs->abbrev[code - 1];
	if (abbrev->sibling_size > 0)
		return dwarf_after_inner(e, abbrev, behind);
	behind = abbrev->last_sibling_size > 0 ? skip_steps(e, abbrev, behind) : NULL;
	return behind ? dwarf_last_sibling(e, abbrev, behind) : NULL;
}

size_t dwarf_read_extents(struct dwarf_entries *e, unsigned mark, struct dwarf_extent *extent,
                          size_t capacity, uint64_t *walked)
{
	struct pass p = { e->at, e->entry, e->attributes, e->abbrev, e->depth, e->next_depth };
	size_t count = 0;

	*walked = 0;
	if (e->fault.status != CAIRN_OK || !e->abbrevs->dense)
		return 0;
	while (count < capacity) {
		const uint8_t *from = p.at;
		pass_unwanted(e, &p, mark, 1, 0);
		*walked += (uint64_t)(p.at - from);
		const uint8_t *end = find_marked_end(e, p.at, mark);
		if (p.next_depth < 1 || !end)
			break;
		extent[count++] = (struct dwarf_extent){ (uint64_t)(p.at - e->start),
			                                 (uint64_t)(end - e->start) };
		p.at = end;
	}
	store_pass(e, p);
	return count;
}

enum { ATTRIBUTES_MAX = 64 }; /* maximum number of attributes to search for DW_AT_sibling */

/*
 * Read DW_AT_sibling from the kept attributes. Return false if it is not among them, or is not a
 * reference.
 */
static bool read_sibling_offset(const struct dwarf_entries *e, uint64_t *offset)
{
	struct dwarf_attributes attributes = dwarf_attributes(e);
	struct dwarf_attribute attribute;

	/*
	 * The size of the data does not bound the number of attributes, because forms such as
	 * DW_FORM_flag_present occupy no bytes. Compilers write far fewer attributes than this
	 * limit.
	 */
	for (unsigned i = 0; i < ATTRIBUTES_MAX && dwarf_next_attribute(&attributes, &attribute);
	     i++)
		if (attribute.name == DWARF_AT_SIBLING) {
			*offset = attribute.number;
			return attribute.class == DWARF_REFERENCE;
		}
	return false;
}

/* Return the sibling of the current entry, or NULL if it has no valid DW_AT_sibling. */
static const uint8_t *find_entry_sibling(const struct dwarf_entries *e)
{
	uint64_t offset;

	if (e->abbrev->sibling_size > 0)
		return dwarf_after_inner(e, e->abbrev, e->attributes);
	if (e->abbrev->last_sibling_size > 0)
		return dwarf_last_sibling(e, e->abbrev, e->at);
	if (!read_sibling_offset(e, &offset))
		return NULL;
	return offset <= (uint64_t)(e->end - e->start) ? e->start + offset : NULL;
}

/* Skip all descendants by parsing them. Return the number of bytes skipped. */
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
