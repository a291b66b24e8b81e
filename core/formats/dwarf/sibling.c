/* SPDX-License-Identifier: MIT */
/* Skips the children of an entry. */
#include "sibling.h"

enum { ATTRIBUTES_MAX = 64 }; /* maximum number of attributes that are searched for a sibling */

/* Read a DW_AT_sibling that was kept as an attribute. Return false if not found. */
static bool read_sibling_offset(const struct dwarf_entries *e, uint64_t *offset)
{
	struct dwarf_attributes attributes = dwarf_attributes(e);
	struct dwarf_attribute attribute;

	/* attributes may take no bytes, so limit their number to more than compilers write */
	for (unsigned i = 0; i < ATTRIBUTES_MAX && dwarf_next_attribute(&attributes, &attribute);
	     i++)
		if (attribute.name == DWARF_AT_SIBLING) {
			*offset = attribute.number;
			return attribute.class == DWARF_REFERENCE;
		}
	return false;
}

/* Return the sibling if the entry has children and a valid reference to it, otherwise NULL. */
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

/* Skip all descendants one by one. Return the number of bytes skipped. */
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
