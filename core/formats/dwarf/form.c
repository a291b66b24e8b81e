/* SPDX-License-Identifier: MIT */
/*
 * Reads attribute values by form: DWARF 5, section 7.5.6, the older forms of DWARF 2 to 4, GNU
 * extensions, and 0x1f20 and 0x1f21, with which dwz refers to the alternate file.
 */
#include "cursor.h"

/* Properties of values, indexed by form. `size` is 0 if the size depends on the unit. */
static const struct {
	uint8_t width, size, class;
} plain[] = {
	[FORM_BLOCK2] = { WIDTH_BLOCK2, 0, DWARF_OTHER },
	[FORM_BLOCK4] = { WIDTH_BLOCK4, 0, DWARF_OTHER },
	[FORM_DATA2] = { WIDTH_FIXED, 2, DWARF_CONSTANT },
	[FORM_DATA4] = { WIDTH_FIXED, 4, DWARF_CONSTANT },
	[FORM_DATA8] = { WIDTH_FIXED, 8, DWARF_CONSTANT },
	[FORM_STRING] = { WIDTH_STRING, 0, DWARF_STRING },
	[FORM_BLOCK] = { WIDTH_BLOCK, 0, DWARF_OTHER },
	[FORM_BLOCK1] = { WIDTH_BLOCK1, 0, DWARF_OTHER },
	[FORM_DATA1] = { WIDTH_FIXED, 1, DWARF_CONSTANT },
	[FORM_FLAG] = { WIDTH_FIXED, 1, DWARF_CONSTANT },
	[FORM_SDATA] = { WIDTH_ULEB, 0, DWARF_CONSTANT },
	[FORM_UDATA] = { WIDTH_ULEB, 0, DWARF_CONSTANT },
	[FORM_REF1] = { WIDTH_FIXED, 1, DWARF_REFERENCE },
	[FORM_REF2] = { WIDTH_FIXED, 2, DWARF_REFERENCE },
	[FORM_REF4] = { WIDTH_FIXED, 4, DWARF_REFERENCE },
	[FORM_REF8] = { WIDTH_FIXED, 8, DWARF_REFERENCE },
	[FORM_REF_UDATA] = { WIDTH_ULEB, 0, DWARF_REFERENCE },
	[FORM_INDIRECT] = { WIDTH_INDIRECT, 0, DWARF_OTHER },
	[FORM_EXPRLOC] = { WIDTH_BLOCK, 0, DWARF_OTHER },
	[FORM_FLAG_PRESENT] = { WIDTH_FIXED, 0, DWARF_CONSTANT },
	[FORM_STRX] = { WIDTH_ULEB, 0, DWARF_STR_INDEX },
	[FORM_ADDRX] = { WIDTH_ULEB, 0, DWARF_ADDRESS_INDEX },
	[FORM_REF_SUP4] = { WIDTH_FIXED, 4, DWARF_ALT_REFERENCE },
	[FORM_DATA16] = { WIDTH_FIXED, 16, DWARF_OTHER },
	[FORM_REF_SIG8] = { WIDTH_FIXED, 8, DWARF_OTHER },
	[FORM_IMPLICIT_CONST] = { WIDTH_FIXED, 0, DWARF_CONSTANT },
	[FORM_LOCLISTX] = { WIDTH_ULEB, 0, DWARF_OTHER },
	[FORM_RNGLISTX] = { WIDTH_ULEB, 0, DWARF_LIST_INDEX },
	[FORM_REF_SUP8] = { WIDTH_FIXED, 8, DWARF_ALT_REFERENCE },
	[FORM_STRX1] = { WIDTH_FIXED, 1, DWARF_STR_INDEX },
	[FORM_STRX2] = { WIDTH_FIXED, 2, DWARF_STR_INDEX },
	[FORM_STRX3] = { WIDTH_FIXED, 3, DWARF_STR_INDEX },
	[FORM_STRX4] = { WIDTH_FIXED, 4, DWARF_STR_INDEX },
	[FORM_ADDRX1] = { WIDTH_FIXED, 1, DWARF_ADDRESS_INDEX },
	[FORM_ADDRX2] = { WIDTH_FIXED, 2, DWARF_ADDRESS_INDEX },
	[FORM_ADDRX3] = { WIDTH_FIXED, 3, DWARF_ADDRESS_INDEX },
	[FORM_ADDRX4] = { WIDTH_FIXED, 4, DWARF_ADDRESS_INDEX },
	[FORM_ADDR] = { WIDTH_FIXED, 0, DWARF_ADDRESS },
	[FORM_REF_ADDR] = { WIDTH_FIXED, 0, DWARF_REFERENCE },
	[FORM_STRP] = { WIDTH_FIXED, 0, DWARF_STR },
	[FORM_SEC_OFFSET] = { WIDTH_FIXED, 0, DWARF_OFFSET },
	[FORM_STRP_SUP] = { WIDTH_FIXED, 0, DWARF_ALT_STR },
	[FORM_LINE_STRP] = { WIDTH_FIXED, 0, DWARF_LINE_STR },
};

static bool is_in_table(uint16_t form)
{
	return form < sizeof(plain) / sizeof(*plain) &&
	       (plain[form].width != WIDTH_FIXED || plain[form].size != 0 ||
	        form == FORM_FLAG_PRESENT || form == FORM_IMPLICIT_CONST);
}

enum dwarf_width dwarf_form_width(uint16_t form, const struct dwarf_unit *unit, uint32_t *size)
{
	*size = 0;
	if (is_in_table(form)) {
		*size = plain[form].size;
		return (enum dwarf_width)plain[form].width;
	}
	switch (form) {
	case FORM_ADDR:
		*size = unit->address_size;
		return WIDTH_FIXED;
	case FORM_REF_ADDR:
		*size = unit->version < 3 ? unit->address_size : unit->offset_size;
		return WIDTH_FIXED;
	case FORM_STRP:
	case FORM_SEC_OFFSET:
	case FORM_STRP_SUP:
	case FORM_LINE_STRP:
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		*size = unit->offset_size;
		return WIDTH_FIXED;
	case FORM_GNU_ADDR_INDEX:
	case FORM_GNU_STR_INDEX:
		return WIDTH_ULEB;
	default:
		return WIDTH_UNKNOWN;
	}
}

/* Read the form that a DW_FORM_indirect value starts with. Nested DW_FORM_indirect is invalid. */
static uint16_t indirect_form(struct dwarf_cursor *c)
{
	uint64_t form = cursor_uleb(c);

	if (form == FORM_INDIRECT || form == FORM_IMPLICIT_CONST || form > UINT16_MAX)
		c->bad = true;
	return c->bad ? 0 : (uint16_t)form;
}

void dwarf_skip_width(struct dwarf_cursor *c, const struct dwarf_unit *unit, uint32_t kind,
                      uint32_t size)
{
	switch ((enum dwarf_width)kind) {
	case WIDTH_FIXED:
		cursor_take(c, size);
		break;
	case WIDTH_ULEB:
		while (!c->bad && c->at < c->end && *c->at >= 0x80)
			c->at++;
		cursor_take(c, 1);
		break;
	case WIDTH_BLOCK:
		cursor_take(c, cursor_uleb(c));
		break;
	case WIDTH_BLOCK1:
		cursor_take(c, cursor_number(c, 1));
		break;
	case WIDTH_BLOCK2:
		cursor_take(c, cursor_number(c, 2));
		break;
	case WIDTH_BLOCK4:
		cursor_take(c, cursor_number(c, 4));
		break;
	case WIDTH_STRING:
		cursor_string(c);
		break;
	case WIDTH_INDIRECT:
		kind = dwarf_form_width(indirect_form(c), unit, &size);
		if (kind == WIDTH_INDIRECT || kind == WIDTH_UNKNOWN)
			c->bad = true;
		else
			dwarf_skip_width(c, unit, kind, size);
		break;
	case WIDTH_UNKNOWN:
		c->bad = true;
		break;
	}
}

/* Return the class of a form, or DWARF_OTHER if cairn does not need its values. */
static inline uint8_t class_of(uint16_t form)
{
	if (form < sizeof(plain) / sizeof(*plain))
		return plain[form].class;
	switch (form) {
	case FORM_GNU_ADDR_INDEX:
		return DWARF_ADDRESS_INDEX;
	case FORM_GNU_STR_INDEX:
		return DWARF_STR_INDEX;
	case FORM_GNU_REF_ALT:
		return DWARF_ALT_REFERENCE;
	case FORM_GNU_STRP_ALT:
		return DWARF_ALT_STR;
	default:
		return DWARF_OTHER;
	}
}

/* Return true if references with this form are relative to the start of the unit. */
static bool is_relative(uint16_t form)
{
	return form >= FORM_REF1 && form <= FORM_REF_UDATA;
}

struct dwarf_spec dwarf_plan_form(uint16_t name, uint16_t form, const struct dwarf_unit *unit)
{
	uint32_t size;
	enum dwarf_width width = dwarf_form_width(form, unit, &size);

	return (struct dwarf_spec){ .name = name,
		                    .form = form,
		                    .class = class_of(form),
		                    .width = (uint8_t)width,
		                    .size = (uint8_t)size,
		                    .value = form == FORM_FLAG_PRESENT };
}

/* Read a LEB128 number, or the value of an attribute that takes no bytes in the entry. */
static uint64_t read_number(struct dwarf_cursor *c, const struct dwarf_spec *spec)
{
	if (spec->form == FORM_SDATA)
		return (uint64_t)cursor_sleb(c);
	return spec->width == WIDTH_FIXED ? (uint64_t)spec->value : cursor_uleb(c);
}

static inline bool read_form(struct dwarf_cursor *c, const struct dwarf_unit *unit,
                             const struct dwarf_spec *spec, struct dwarf_attribute *attribute)
{
	attribute->class = spec->class;
	if (spec->width == WIDTH_FIXED && spec->size > 0 && spec->size <= 8)
		attribute->number = cursor_number(c, spec->size);
	else if (spec->class == DWARF_STRING)
		attribute->text = cursor_string(c);
	else if (spec->class == DWARF_OTHER)
		dwarf_skip_width(c, unit, spec->width, spec->size);
	else
		attribute->number = read_number(c, spec);
	if (is_relative(spec->form))
		attribute->number += unit->offset;
	return !c->bad;
}

bool dwarf_read_form(struct dwarf_cursor *c, const struct dwarf_unit *unit,
                     const struct dwarf_spec *spec, struct dwarf_attribute *attribute)
{
	attribute->name = spec->name;
	if (spec->form != FORM_INDIRECT)
		return read_form(c, unit, spec, attribute);
	struct dwarf_spec inner = dwarf_plan_form(spec->name, indirect_form(c), unit);
	return read_form(c, unit, &inner, attribute);
}

enum { WORD = 8 };

bool dwarf_is_even(const struct dwarf_spec *spec)
{
	return spec->width == WIDTH_FIXED && spec->size <= WORD;
}

/*
 * Fast path for the most common attributes, integers of fixed size: load 8 bytes and mask the
 * excess. Return false for other attributes, or if fewer than 8 bytes are left.
 */
static inline bool read_masked_word(struct dwarf_cursor *c, const struct dwarf_unit *unit,
                                    const struct dwarf_spec *spec,
                                    struct dwarf_attribute *attribute)
{
	size_t left = cursor_left(c);

	if (spec->width != WIDTH_FIXED || spec->size == 0 || spec->size > WORD || c->big ||
	    left < WORD || left - WORD < spec->before)
		return false;
	const uint8_t *at = c->at + spec->before;
	uint64_t number = bytes_u64(at, false) & UINT64_MAX >> (WORD - spec->size) * 8;
	attribute->class = spec->class;
	attribute->number = number + (is_relative(spec->form) ? unit->offset : 0);
	c->at = at + spec->size;
	return true;
}

static bool read_any(struct dwarf_cursor *c, const struct dwarf_unit *unit,
                     const struct dwarf_spec *spec, struct dwarf_attribute *attribute)
{
	cursor_take(c, spec->before);
	return spec->form == FORM_INDIRECT ? dwarf_read_form(c, unit, spec, attribute)
	                                   : read_form(c, unit, spec, attribute);
}

/*
 * Read the attributes of an `even` entry, whose kept attributes all have fixed offsets. The caller
 * has checked that 8 bytes can be loaded at each of these offsets.
 */
static uint32_t read_even_places(const struct dwarf_entries *e, struct dwarf_attribute *at)
{
	static const uint64_t masks[WORD + 1] = { 0,
		                                  UINT64_MAX >> 56,
		                                  UINT64_MAX >> 48,
		                                  UINT64_MAX >> 40,
		                                  UINT64_MAX >> 32,
		                                  UINT64_MAX >> 24,
		                                  UINT64_MAX >> 16,
		                                  UINT64_MAX >> 8,
		                                  UINT64_MAX };
	const struct dwarf_spec *spec = &e->abbrevs->spec[e->abbrev->spec];
	const struct dwarf_spec *end = spec + e->abbrev->specs;
	uint32_t written = 0;

	for (; spec < end; spec++) {
		struct dwarf_attribute *to = &at[spec->place];
		uint64_t number =
			bytes_u64(e->attributes + spec->offset, false) & masks[spec->size];
		number += (uint64_t)spec->value;
		if (is_relative(spec->form))
			number += e->unit.offset;
		to->name = spec->name;
		to->class = spec->class;
		to->number = number;
		written |= (uint32_t)1 << spec->place;
	}
	return written;
}

static bool may_read_words(const struct dwarf_entries *e, unsigned count)
{
	size_t left = (size_t)(e->end - e->attributes);

	return e->abbrev->even && !e->big && e->abbrev->specs > 0 && e->abbrev->specs <= count &&
	       left >= WORD && left - WORD >= e->abbrev->fixed;
}

static uint32_t read_uneven_places(const struct dwarf_entries *e, unsigned count,
                                   struct dwarf_attribute *at)
{
	struct dwarf_cursor c = { e->attributes, e->end, e->big, false };
	uint32_t written = 0;

	if (e->abbrev->specs == 0)
		return 0;
	const struct dwarf_spec *spec = &e->abbrevs->spec[e->abbrev->spec];
	const struct dwarf_spec *end = spec + (e->abbrev->specs < count ? e->abbrev->specs : count);
	for (; spec < end; spec++) {
		struct dwarf_attribute *to = &at[spec->place];
		if (!read_masked_word(&c, &e->unit, spec, to) && !read_any(&c, &e->unit, spec, to))
			return written;
		to->name = spec->name;
		written |= (uint32_t)1 << spec->place;
	}
	return written;
}

uint32_t dwarf_read_places(const struct dwarf_entries *e, unsigned count,
                           struct dwarf_attribute *at)
{
	return may_read_words(e, count) ? read_even_places(e, at)
	                                : read_uneven_places(e, count, at);
}

struct dwarf_attributes dwarf_attributes(const struct dwarf_entries *e)
{
	uint32_t count = e->abbrev->specs;
	const struct dwarf_spec *spec = count > 0 ? &e->abbrevs->spec[e->abbrev->spec] : NULL;

	return (struct dwarf_attributes){ .at = e->attributes,
		                          .end = e->end,
		                          .spec = spec,
		                          .specs_end = count > 0 ? spec + count : NULL,
		                          .unit = e->unit,
		                          .big = e->big };
}

bool dwarf_next_attribute(struct dwarf_attributes *a, struct dwarf_attribute *attribute)
{
	struct dwarf_cursor c = { a->at, a->end, a->big, false };

	if (a->broken || a->spec == a->specs_end)
		return false;
	cursor_take(&c, a->spec->before);
	a->broken = !dwarf_read_form(&c, &a->unit, a->spec++, attribute);
	a->at = c.at;
	return !a->broken;
}
