/* SPDX-License-Identifier: MIT */
/* Finds the sibling that an entry refers to. Private to this directory. */
#ifndef CAIRN_FORMATS_DWARF_SIBLING_H
#define CAIRN_FORMATS_DWARF_SIBLING_H

#include "cursor.h"

/*
 * Return the entry at `offset`. Return NULL unless it is after `at` and the byte before it ends a
 * list of children.
 */
static inline const uint8_t *dwarf_check_sibling(const struct dwarf_entries *e, const uint8_t *at,
                                                 uint64_t offset)
{
	const bool is_ahead =
		offset > (uint64_t)(at - e->start) && offset <= (uint64_t)(e->end - e->start);

	return is_ahead && e->start[offset - 1] == 0 ? e->start + offset : NULL;
}

/*
 * Return the sibling of an entry whose DW_AT_sibling has a fixed offset, or NULL if the reference
 * is invalid.
 */
static inline const uint8_t *dwarf_after_inner(const struct dwarf_entries *e,
                                               const struct dwarf_abbrev *abbrev,
                                               const uint8_t *attributes)
{
	struct dwarf_cursor c = { attributes, e->end, e->big, false };

	cursor_take(&c, abbrev->sibling);
	const uint64_t offset = e->unit.offset + cursor_number(&c, abbrev->sibling_size);
	return c.bad ? NULL : dwarf_check_sibling(e, attributes, offset);
}

/*
 * Return the sibling of an entry whose last attribute, which ends at `behind`, is DW_AT_sibling, or
 * NULL if the reference is invalid.
 */
static inline const uint8_t *dwarf_last_sibling(const struct dwarf_entries *e,
                                                const struct dwarf_abbrev *abbrev,
                                                const uint8_t *behind)
{
	const uint8_t *reference = behind - abbrev->last_sibling_size;
	struct dwarf_cursor c = { reference, behind, e->big, false };
	const uint64_t offset = e->unit.offset + cursor_number(&c, abbrev->last_sibling_size);

	return dwarf_check_sibling(e, behind, offset);
}

#endif
