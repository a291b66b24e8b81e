/* SPDX-License-Identifier: MIT */
/*
 * Forms: how the value of an attribute is written.  DWARF 5, section 7.5.6, with what DWARF 2 to 4
 * and GNU had before; the forms of dwz for another file are 0x1f20 and 0x1f21.
 */
#include "cursor.h"

/* Indexed by form; 0 where the size is not the same for all units. */
static const struct {
	uint8_t width, size;
} plain[] = {
	[FORM_BLOCK2] = { WIDTH_BLOCK2, 0 },  [FORM_BLOCK4] = { WIDTH_BLOCK4, 0 },
	[FORM_DATA2] = { WIDTH_FIXED, 2 },    [FORM_DATA4] = { WIDTH_FIXED, 4 },
	[FORM_DATA8] = { WIDTH_FIXED, 8 },    [FORM_STRING] = { WIDTH_STRING, 0 },
	[FORM_BLOCK] = { WIDTH_BLOCK, 0 },    [FORM_BLOCK1] = { WIDTH_BLOCK1, 0 },
	[FORM_DATA1] = { WIDTH_FIXED, 1 },    [FORM_FLAG] = { WIDTH_FIXED, 1 },
	[FORM_SDATA] = { WIDTH_ULEB, 0 },     [FORM_UDATA] = { WIDTH_ULEB, 0 },
	[FORM_REF1] = { WIDTH_FIXED, 1 },     [FORM_REF2] = { WIDTH_FIXED, 2 },
	[FORM_REF4] = { WIDTH_FIXED, 4 },     [FORM_REF8] = { WIDTH_FIXED, 8 },
	[FORM_REF_UDATA] = { WIDTH_ULEB, 0 }, [FORM_INDIRECT] = { WIDTH_INDIRECT, 0 },
	[FORM_EXPRLOC] = { WIDTH_BLOCK, 0 },  [FORM_FLAG_PRESENT] = { WIDTH_FIXED, 0 },
	[FORM_STRX] = { WIDTH_ULEB, 0 },      [FORM_ADDRX] = { WIDTH_ULEB, 0 },
	[FORM_REF_SUP4] = { WIDTH_FIXED, 4 }, [FORM_DATA16] = { WIDTH_FIXED, 16 },
	[FORM_REF_SIG8] = { WIDTH_FIXED, 8 }, [FORM_IMPLICIT_CONST] = { WIDTH_FIXED, 0 },
	[FORM_LOCLISTX] = { WIDTH_ULEB, 0 },  [FORM_RNGLISTX] = { WIDTH_ULEB, 0 },
	[FORM_REF_SUP8] = { WIDTH_FIXED, 8 }, [FORM_STRX1] = { WIDTH_FIXED, 1 },
	[FORM_STRX2] = { WIDTH_FIXED, 2 },    [FORM_STRX3] = { WIDTH_FIXED, 3 },
	[FORM_STRX4] = { WIDTH_FIXED, 4 },    [FORM_ADDRX1] = { WIDTH_FIXED, 1 },
	[FORM_ADDRX2] = { WIDTH_FIXED, 2 },   [FORM_ADDRX3] = { WIDTH_FIXED, 3 },
	[FORM_ADDRX4] = { WIDTH_FIXED, 4 },
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
	default: /* any number may stand here */
		return WIDTH_UNKNOWN;
	}
}

/* The form that is before a value; one that names itself is damage. */
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

/* Which class a form is of. */
static enum dwarf_class class_of(uint16_t form)
{
	switch (form) {
	case FORM_ADDR:
		return DWARF_ADDRESS;
	case FORM_ADDRX:
	case FORM_ADDRX1:
	case FORM_ADDRX2:
	case FORM_ADDRX3:
	case FORM_ADDRX4:
	case FORM_GNU_ADDR_INDEX:
		return DWARF_ADDRESS_INDEX;
	case FORM_DATA1:
	case FORM_DATA2:
	case FORM_DATA4:
	case FORM_DATA8:
	case FORM_SDATA:
	case FORM_UDATA:
	case FORM_IMPLICIT_CONST:
	case FORM_FLAG:
	case FORM_FLAG_PRESENT:
		return DWARF_CONSTANT;
	case FORM_SEC_OFFSET:
		return DWARF_OFFSET;
	case FORM_RNGLISTX:
		return DWARF_LIST_INDEX;
	case FORM_REF1:
	case FORM_REF2:
	case FORM_REF4:
	case FORM_REF8:
	case FORM_REF_UDATA:
	case FORM_REF_ADDR:
		return DWARF_REFERENCE;
	case FORM_REF_SUP4:
	case FORM_REF_SUP8:
	case FORM_GNU_REF_ALT:
		return DWARF_ALT_REFERENCE;
	case FORM_STRING:
		return DWARF_STRING;
	case FORM_STRP:
		return DWARF_STR;
	case FORM_LINE_STRP:
		return DWARF_LINE_STR;
	case FORM_STRP_SUP:
	case FORM_GNU_STRP_ALT:
		return DWARF_ALT_STR;
	case FORM_STRX:
	case FORM_STRX1:
	case FORM_STRX2:
	case FORM_STRX3:
	case FORM_STRX4:
	case FORM_GNU_STR_INDEX:
		return DWARF_STR_INDEX;
	default: /* the other forms hold nothing we need */
		return DWARF_OTHER;
	}
}

/* A reference inside the unit counts from the unit. */
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
		                    .class = (uint8_t)class_of(form),
		                    .width = (uint8_t)width,
		                    .size = (uint8_t)size };
}

/* Reads a number whose form has no size. */
static uint64_t read_number(struct dwarf_cursor *c, const struct dwarf_spec *spec)
{
	if (spec->form == FORM_SDATA)
		return (uint64_t)cursor_sleb(c);
	if (spec->form == FORM_FLAG_PRESENT)
		return 1;
	return spec->form == FORM_IMPLICIT_CONST ? (uint64_t)spec->value : cursor_uleb(c);
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

enum { WORD = 8 }; /* bytes of the longest number */

/* The next attribute, if it is a number of fixed size with a whole word to read: nearly all are. */
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

/* The next one, of whatever form. */
static bool read_any(struct dwarf_cursor *c, const struct dwarf_unit *unit,
                     const struct dwarf_spec *spec, struct dwarf_attribute *attribute)
{
	cursor_take(c, spec->before);
	return spec->form == FORM_INDIRECT ? dwarf_read_form(c, unit, spec, attribute)
	                                   : read_form(c, unit, spec, attribute);
}

uint32_t dwarf_read_places(const struct dwarf_entries *e, unsigned count,
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
