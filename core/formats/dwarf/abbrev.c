/* SPDX-License-Identifier: MIT */
/*
 * Reads abbreviations (DWARF 5, section 7.5.3) and compiles each into a plan for skipping the
 * entries that use it:
 *
 *	table        = abbreviation* 0:uleb
 *	abbreviation = code:uleb tag:uleb children:u8 spec* 0:uleb 0:uleb
 *	spec         = name:uleb form:uleb [value:sleb]     (with DW_FORM_implicit_const)
 * A plan is a list of steps, each of which skips one attribute of variable size, or a run of
 * attributes of fixed size. Entries whose attributes all have fixed sizes need no plan, only the
 * total size. Attributes are kept for reading if callers use them, or if their size varies, because
 * the offsets of later attributes depend on it.
 */
#include "cursor.h"

enum {
	FIXED_MAX = 1 << 24, /* maximum number of bytes that one fixed-size step skips */
	NAMES = 0x80,        /* exclusive upper bound for the attribute names in is_asked_for[] */
	FORMS = 0x30,
	NOT_FIXED = 0xff,
};

struct plan {
	struct dwarf_abbrev *abbrev;
	struct dwarf_spec *spec;
	struct dwarf_step *step;
	/* number of array elements in use; used.specs also counts discarded attributes */
	struct dwarf_abbrev_storage used;
	uint32_t kept;
	const struct dwarf_unit *unit;
	uint64_t last; /* code of the last abbreviation to read, or 0 to read the whole table */
	/* number of bytes in the current fixed-size step, which later attributes may extend */
	uint32_t fixed;
	uint32_t before; /* number of bytes since the last kept attribute */
	bool unknown;
	/*
	 * size of a value, indexed by form; NOT_FIXED if the size varies or the abbreviation table
	 * contains the value
	 */
	uint8_t form_size[FORMS];
	/* some attribute of the current abbreviation is not an integer of fixed size */
	bool uneven;
	struct cairn_fault *fault;
};

static uint64_t read_root_code(const struct dwarf_sections *sections,
                               const struct dwarf_unit *unit);

static void append_skip_step(struct plan *plan, uint32_t kind, uint32_t size)
{
	plan->step[plan->used.steps] = (struct dwarf_step){ kind, size };
	plan->used.steps++;
}

static void append_fixed_step(struct plan *plan)
{
	if (plan->fixed)
		append_skip_step(plan, WIDTH_FIXED, plan->fixed);
	plan->fixed = 0;
}

/*
 * Standard attributes that callers read. All other names in enum dwarf_attribute_name are vendor
 * extensions, whose values exceed NAMES.
 */
static const bool is_asked_for[NAMES] = {
	[DWARF_AT_SIBLING] = true,       [DWARF_AT_NAME] = true,
	[DWARF_AT_STMT_LIST] = true,     [DWARF_AT_LOW_PC] = true,
	[DWARF_AT_HIGH_PC] = true,       [DWARF_AT_LANGUAGE] = true,
	[DWARF_AT_COMP_DIR] = true,      [DWARF_AT_ABSTRACT_ORIGIN] = true,
	[DWARF_AT_DECL_FILE] = true,     [DWARF_AT_DECL_LINE] = true,
	[DWARF_AT_SPECIFICATION] = true, [DWARF_AT_ENTRY_PC] = true,
	[DWARF_AT_RANGES] = true,        [DWARF_AT_CALL_COLUMN] = true,
	[DWARF_AT_CALL_FILE] = true,     [DWARF_AT_CALL_LINE] = true,
	[DWARF_AT_LINKAGE_NAME] = true,  [DWARF_AT_STR_OFFSETS_BASE] = true,
	[DWARF_AT_ADDR_BASE] = true,     [DWARF_AT_RNGLISTS_BASE] = true,
	[DWARF_AT_DWO_NAME] = true,      [DWARF_AT_CALL_RETURN_PC] = true,
	[DWARF_AT_CALL_ORIGIN] = true,
};

static inline bool is_named_attribute(uint16_t name)
{
	if (name < NAMES)
		return is_asked_for[name];
	switch (name) {
	case DWARF_AT_MIPS_LINKAGE_NAME:
	case DWARF_AT_GNU_DWO_NAME:
	case DWARF_AT_GNU_DWO_ID:
	case DWARF_AT_GNU_RANGES_BASE:
	case DWARF_AT_GNU_ADDR_BASE:
	case DWARF_AT_LLVM_STMT_SEQUENCE:
		return true;
	default:
		return false;
	}
}

/*
 * Keep an attribute for reading. If it has a fixed size and callers do not use it, do not keep it,
 * but add its size to the distance from the last kept attribute.
 */
static void keep_spec(struct plan *plan, struct dwarf_spec spec, bool wanted)
{
	if (spec.width == WIDTH_FIXED && !wanted && plan->before < FIXED_MAX) {
		plan->before += spec.size;
		return;
	}
	spec.before = plan->before;
	spec.offset = plan->fixed;
	plan->uneven = plan->uneven || !dwarf_is_even(&spec);
	plan->spec[plan->kept] = spec;
	plan->kept++;
	plan->before = 0;
}

static void append_spec(struct plan *plan, struct dwarf_spec spec, bool wanted)
{
	if (spec.width == WIDTH_UNKNOWN)
		plan->unknown = true;
	plan->used.specs++;
	keep_spec(plan, spec, wanted);
	if (spec.width == WIDTH_FIXED && plan->fixed < FIXED_MAX) {
		plan->fixed += spec.size;
		return;
	}
	append_fixed_step(plan);
	append_skip_step(plan, spec.width, spec.size);
}

static bool is_plain_sibling(const struct dwarf_spec *spec)
{
	return spec->name == DWARF_AT_SIBLING && spec->class == DWARF_REFERENCE &&
	       spec->form != FORM_REF_ADDR && spec->width == WIDTH_FIXED;
}

/* If `spec` is a DW_AT_sibling at a fixed offset, record it in *abbrev and return true. */
static bool note_sibling(struct dwarf_abbrev *abbrev, const struct plan *plan,
                         const struct dwarf_spec *spec)
{
	if (spec->name != DWARF_AT_SIBLING || spec->class != DWARF_REFERENCE ||
	    spec->form == FORM_REF_ADDR || plan->used.steps > abbrev->step)
		return false;
	abbrev->sibling = plan->fixed;
	abbrev->sibling_size = spec->size;
	return true;
}

static void measure_forms(struct plan *plan)
{
	uint32_t size;

	for (uint16_t form = 0; form < FORMS; form++) {
		const bool fixed = form != FORM_IMPLICIT_CONST &&
		                   dwarf_form_width(form, plan->unit, &size) == WIDTH_FIXED;
		plan->form_size[form] = (uint8_t)(fixed ? size : NOT_FIXED);
	}
}

/*
 * Skip an attribute that callers do not use and whose size is fixed. Return false for any other
 * attribute.
 */
static inline bool pass_unnamed(struct plan *plan, uint64_t name, uint64_t form)
{
	if (name >= NAMES || form >= FORMS || is_asked_for[name] ||
	    plan->form_size[form] == NOT_FIXED || plan->before >= FIXED_MAX ||
	    plan->fixed >= FIXED_MAX)
		return false;
	plan->used.specs++;
	plan->before += plan->form_size[form];
	plan->fixed += plan->form_size[form];
	return true;
}

/* Read the attributes of one abbreviation. Return true if they contain code addresses. */
static bool read_specs(struct dwarf_cursor *c, struct plan *plan, struct dwarf_abbrev *abbrev)
{
	bool code = false;

	for (;;) {
		uint64_t name, form;
		cursor_name_and_form(c, &name, &form);
		if (c->bad || (name == 0 && form == 0))
			return code;
		abbrev->last_sibling_size = 0;
		if (pass_unnamed(plan, name, form))
			continue;
		code = code || name == DWARF_AT_LOW_PC || name == DWARF_AT_RANGES;
		/*
		 * map names and forms that exceed 16 bits to 0, which is neither a known name nor a
		 * valid form
		 */
		struct dwarf_spec spec =
			dwarf_plan_form(name > UINT16_MAX ? 0 : (uint16_t)name,
		                        form > UINT16_MAX ? 0 : (uint16_t)form, plan->unit);
		if (form == FORM_IMPLICIT_CONST)
			spec.value = cursor_sleb(c);
		bool wanted = !note_sibling(abbrev, plan, &spec) && is_named_attribute(spec.name);
		if (wanted && is_plain_sibling(&spec))
			abbrev->last_sibling_size = spec.size;
		append_spec(plan, spec, wanted);
	}
}

static uint8_t marks_of(uint16_t tag, bool children, bool code)
{
	switch (tag) {
	case DWARF_TAG_SUBPROGRAM:
		return (uint8_t)((code ? DWARF_MARK_CODE : 0) |
		                 (children ? DWARF_MARK_FUNCTION | DWARF_MARK_SCOPE : 0));
	case DWARF_TAG_LEXICAL_BLOCK:
		return code && children ? DWARF_MARK_BLOCK : 0;
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
	default:
		return 0;
	}
}

static void read_abbrev(struct dwarf_cursor *c, struct plan *plan, uint64_t code)
{
	uint64_t tag = cursor_uleb(c);
	struct dwarf_abbrev abbrev = { .code = code, .tag = tag > UINT16_MAX ? 0 : (uint16_t)tag };
	uint32_t step = plan->used.steps;

	abbrev.children = cursor_number(c, 1) != 0;
	abbrev.spec = plan->kept;
	abbrev.step = step;
	plan->uneven = false;
	bool has_code = read_specs(c, plan, &abbrev);
	abbrev.marks = marks_of(abbrev.tag, abbrev.children, has_code);
	if (plan->used.steps == step)
		abbrev.fixed = plan->fixed;
	else
		append_fixed_step(plan);
	plan->fixed = plan->before = 0;
	abbrev.specs = plan->kept - abbrev.spec;
	abbrev.steps = plan->used.steps - step;
	abbrev.even = abbrev.steps == 0 && !plan->uneven;
	plan->abbrev[plan->used.abbrevs] = abbrev;
	plan->used.abbrevs++;
}

static enum cairn_status fail_abbrevs(struct plan *plan, enum cairn_status status, size_t offset,
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
		return fail_abbrevs(plan, CAIRN_TRUNCATED, (size_t)plan->unit->abbrevs,
		                    "abbreviations lie past the end of their section");
	c.at += plan->unit->abbrevs;
	while (cursor_left(&c) > 0) {
		size_t offset = (size_t)(c.at - start);
		uint64_t code = cursor_uleb(&c);
		if (code == 0 && !c.bad)
			break;
		read_abbrev(&c, plan, code);
		if (c.bad)
			return fail_abbrevs(plan, CAIRN_TRUNCATED, offset,
			                    "unterminated abbreviation");
		if (plan->unknown)
			return fail_abbrevs(plan, CAIRN_UNSUPPORTED, offset,
			                    "an abbreviation uses an unknown form");
		if (code == plan->last)
			break;
	}
	return CAIRN_OK;
}

static bool is_ascending(const struct dwarf_abbrev *abbrev, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (abbrev[i - 1].code >= abbrev[i].code)
			return false;
	return true;
}

static void sift_abbrev_down(struct dwarf_abbrev *heap, size_t at, size_t count)
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

/*
 * Sort by code. No known producer writes unsorted tables, so use a heap sort, which needs no
 * memory.
 */
static void sort_abbrevs(struct dwarf_abbrev *abbrev, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift_abbrev_down(abbrev, i, count);
	for (size_t i = count; i-- > 1;) {
		struct dwarf_abbrev moved = abbrev[0];
		abbrev[0] = abbrev[i];
		abbrev[i] = moved;
		sift_abbrev_down(abbrev, 0, i);
	}
}

/*
 * Return DWARF_MARK_INNER, and DWARF_MARK_TYPE for types, if the children of such entries can be
 * skipped with DW_AT_sibling, otherwise 0.
 */
static unsigned find_sibling_marks(const struct dwarf_abbrev *abbrev)
{
	if (!abbrev->children || abbrev->sibling_size == 0)
		return 0;
	switch (abbrev->tag) {
	case DWARF_TAG_CLASS:
	case DWARF_TAG_STRUCTURE:
	case DWARF_TAG_UNION:
	case DWARF_TAG_ENUMERATION:
	case DWARF_TAG_INTERFACE:
		return DWARF_MARK_INNER | DWARF_MARK_TYPE;
	case DWARF_TAG_SUBPROGRAM:
		return DWARF_MARK_INNER;
	default:
		return 0;
	}
}

/*
 * Fill in the shapes, which are indexed by code and therefore require dense codes. Without shapes,
 * walks look up each abbreviation.
 */
static void fill_shapes(struct dwarf_abbrevs *abbrevs)
{
	abbrevs->widest = 0;
	if (!abbrevs->dense)
		return;
	abbrevs->shape[0] = (struct dwarf_shape){ .deeper = -1 };
	for (uint32_t i = 0; i < abbrevs->count; i++) {
		const struct dwarf_abbrev *a = &abbrevs->abbrev[i];
		unsigned marks =
			a->marks | (a->steps > 0 ? DWARF_MARK_STEPS : 0) | find_sibling_marks(a);
		abbrevs->shape[i + 1] =
			(struct dwarf_shape){ a->fixed, (uint16_t)marks, a->children };
		if (a->fixed > abbrevs->widest)
			abbrevs->widest = a->fixed;
	}
}

enum cairn_status dwarf_read_abbrevs(const struct dwarf_sections *sections,
                                     const struct dwarf_unit *unit, enum dwarf_abbrevs_part part,
                                     struct dwarf_abbrevs *abbrevs, struct cairn_fault *fault)
{
	struct plan plan = { .abbrev = abbrevs->abbrev,
		             .spec = abbrevs->spec,
		             .step = abbrevs->step,
		             .unit = unit,
		             .fault = fault };

	measure_forms(&plan);
	if (part == DWARF_ABBREVS_ROOT)
		plan.last = read_root_code(sections, unit);
	enum cairn_status status = read_table(sections, &plan);
	if (status != CAIRN_OK)
		return status;
	abbrevs->count = plan.used.abbrevs;
	if (!is_ascending(abbrevs->abbrev, abbrevs->count))
		sort_abbrevs(abbrevs->abbrev, abbrevs->count);
	abbrevs->dense = abbrevs->count > 0 && is_ascending(abbrevs->abbrev, abbrevs->count) &&
	                 abbrevs->abbrev[0].code == 1 &&
	                 abbrevs->abbrev[abbrevs->count - 1].code == abbrevs->count;
	fill_shapes(abbrevs);
	return CAIRN_OK;
}

/* Return the abbreviation code of the unit's first entry, or 0 if it is unreadable. */
static uint64_t read_root_code(const struct dwarf_sections *sections, const struct dwarf_unit *unit)
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
 * Each step skips at least one attribute, so use the number of attributes as the capacity for
 * steps.
 */
void dwarf_count_abbrevs(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
                         enum dwarf_abbrevs_part part, struct dwarf_abbrev_storage *storage)
{
	const uint8_t *start = sections->abbrev.data;
	struct dwarf_cursor c = { start, start + sections->abbrev.size, sections->big, false };
	uint64_t last = part == DWARF_ABBREVS_ROOT ? read_root_code(sections, unit) : 0;

	*storage = (struct dwarf_abbrev_storage){ 0, 0, 0 };
	cursor_take(&c, unit->abbrevs);
	while (!c.bad && cursor_left(&c) > 0) {
		uint64_t code = cursor_uleb(&c);
		if (code == 0 && !c.bad)
			break;
		cursor_uleb(&c);
		cursor_take(&c, 1);
		storage->abbrevs = add_to_count(storage->abbrevs, 1);
		storage->specs = add_to_count(storage->specs, count_specs(&c));
		if (code == last)
			break;
	}
	storage->steps = storage->specs;
}

uint64_t dwarf_find_root_abbrev(const struct dwarf_sections *sections,
                                const struct dwarf_unit *unit)
{
	const uint8_t *start = sections->abbrev.data;
	struct dwarf_cursor c = { start, start + sections->abbrev.size, sections->big, false };
	uint64_t root = read_root_code(sections, unit), code = 0;
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
