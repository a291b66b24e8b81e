/* SPDX-License-Identifier: MIT */
/*
 * A bounded, inline cursor for DWARF sections, which can be hundreds of megabytes in size. It is
 * like base/reader.h, but faster. A read past the end sets `bad` and returns 0; later reads also
 * return 0.
 */
#ifndef CAIRN_FORMATS_DWARF_CURSOR_H
#define CAIRN_FORMATS_DWARF_CURSOR_H

#include "base/bytes.h"
#include "dwarf.h"

#include <string.h>

struct dwarf_cursor {
	const uint8_t *at, *end;
	bool big, bad;
};

static inline size_t cursor_left(const struct dwarf_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* Return a pointer to the next `size` bytes and skip them. Return NULL if fewer bytes are left. */
static inline const uint8_t *cursor_take(struct dwarf_cursor *c, uint64_t size)
{
	const uint8_t *at = c->at;

	if (c->bad || size > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	return at;
}

/* Read an integer of 1, 2, 3, 4 or 8 bytes. */
static inline uint64_t cursor_number(struct dwarf_cursor *c, unsigned size)
{
	const uint8_t *p = cursor_take(c, size);

	if (!p)
		return 0;
	if (size == 3)
		return c->big ? (uint64_t)p[0] << 16 | bytes_u16(p + 1, true)
		              : (uint64_t)p[2] << 16 | bytes_u16(p, false);
	return bytes_unsigned(p, size, c->big);
}

/*
 * Read the rest of a ULEB128 number. `sum` is the first byte without its continuation bit, which
 * was set. Numbers that exceed 64 bits are malformed.
 */
static inline uint64_t cursor_uleb_rest(struct dwarf_cursor *c, uint64_t sum)
{
	for (unsigned shift = 7; c->at < c->end && shift < 70; shift += 7) {
		uint64_t byte = *c->at++;
		if (shift == 63 && (byte & 0x7e))
			break;
		sum |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return sum;
	}
	c->bad = true;
	return 0;
}

static inline uint64_t cursor_uleb(struct dwarf_cursor *c)
{
	if (c->bad || c->at == c->end) {
		c->bad = true;
		return 0;
	}
	uint8_t first = *c->at++;
	return first < 0x80 ? first : cursor_uleb_rest(c, first & 0x7f);
}

static inline int64_t cursor_sleb(struct dwarf_cursor *c)
{
	uint64_t sum = 0;

	for (unsigned shift = 0; !c->bad && c->at < c->end && shift < 70; shift += 7) {
		uint64_t byte = *c->at++;
		sum |= (byte & 0x7f) << shift;
		if (byte >= 0x80)
			continue;
		if (shift < 57 && (byte & 0x40))
			sum |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)sum;
	}
	c->bad = true;
	return 0;
}

/*
 * Read the name and form of an attribute. The fast path handles by far the most frequent case, in
 * which each of the two takes one byte.
 */
static inline void cursor_name_and_form(struct dwarf_cursor *c, uint64_t *name, uint64_t *form)
{
	if (!c->bad && cursor_left(c) >= 2 && c->at[0] < 0x80 && c->at[1] < 0x80) {
		*name = c->at[0];
		*form = c->at[1];
		c->at += 2;
		return;
	}
	*name = cursor_uleb(c);
	*form = cursor_uleb(c);
}

static inline struct cairn_bytes cursor_string(struct dwarf_cursor *c)
{
	const uint8_t *start = c->at;
	const uint8_t *nul = c->bad || c->at == c->end ? NULL : memchr(start, 0, cursor_left(c));

	if (!nul) {
		c->bad = true;
		return (struct cairn_bytes){ start, 0 };
	}
	c->at = nul + 1;
	return (struct cairn_bytes){ start, (size_t)(nul - start) };
}

enum dwarf_form {
	FORM_ADDR = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF_ADDR = 0x10,
	FORM_REF1 = 0x11,
	FORM_REF2 = 0x12,
	FORM_REF4 = 0x13,
	FORM_REF8 = 0x14,
	FORM_REF_UDATA = 0x15,
	FORM_INDIRECT = 0x16,
	FORM_SEC_OFFSET = 0x17,
	FORM_EXPRLOC = 0x18,
	FORM_FLAG_PRESENT = 0x19,
	FORM_STRX = 0x1a,
	FORM_ADDRX = 0x1b,
	FORM_REF_SUP4 = 0x1c,
	FORM_STRP_SUP = 0x1d,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
	FORM_REF_SIG8 = 0x20,
	FORM_IMPLICIT_CONST = 0x21,
	FORM_LOCLISTX = 0x22,
	FORM_RNGLISTX = 0x23,
	FORM_REF_SUP8 = 0x24,
	FORM_STRX1 = 0x25,
	FORM_STRX2 = 0x26,
	FORM_STRX3 = 0x27,
	FORM_STRX4 = 0x28,
	FORM_ADDRX1 = 0x29,
	FORM_ADDRX2 = 0x2a,
	FORM_ADDRX3 = 0x2b,
	FORM_ADDRX4 = 0x2c,
	FORM_GNU_ADDR_INDEX = 0x1f01,
	FORM_GNU_STR_INDEX = 0x1f02,
	FORM_GNU_REF_ALT = 0x1f20,
	FORM_GNU_STRP_ALT = 0x1f21,
};

/* Encoding of a value's size. */
enum dwarf_width {
	WIDTH_FIXED,
	WIDTH_ULEB,
	WIDTH_BLOCK,
	WIDTH_BLOCK1,
	WIDTH_BLOCK2,
	WIDTH_BLOCK4,
	WIDTH_STRING,
	WIDTH_INDIRECT,
	WIDTH_UNKNOWN,
};

/* Return the width of values with this form. Set *size for WIDTH_FIXED, otherwise to 0. */
enum dwarf_width dwarf_form_width(uint16_t form, const struct dwarf_unit *unit, uint32_t *size);

/* Return the dwarf_spec of an attribute with this name and form. The caller sets .before. */
struct dwarf_spec dwarf_plan_form(uint16_t name, uint16_t form, const struct dwarf_unit *unit);

/*
 * Return true if the attribute is an integer of fixed size, possibly 0, for which
 * dwarf_read_places() has a fast path.
 */
bool dwarf_is_even(const struct dwarf_spec *spec);

/* Read the value of one attribute. Return false if it is malformed or extends past the end. */
bool dwarf_read_form(struct dwarf_cursor *c, const struct dwarf_unit *unit,
                     const struct dwarf_spec *spec, struct dwarf_attribute *attribute);

/* Skip a value whose width is `kind`, an enum dwarf_width. `size` is used only for WIDTH_FIXED. */
void dwarf_skip_width(struct dwarf_cursor *c, const struct dwarf_unit *unit, uint32_t kind,
                      uint32_t size);

#endif
