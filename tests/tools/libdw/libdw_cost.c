/* SPDX-License-Identifier: MIT */
/*
 * What an entry costs where libdw reads it.  It looks for an attribute, and for the end of an entry, by
 * passing over all that its abbreviation names; those may take no bytes.
 */
#include "libdw_parts.h"

#include <dwarf.h>

enum {
	ATTRIBUTES_PER_STEP = 4,
	SEEN_ALIGN = 16, /* bytes of an abbreviation in libdw, at least */
};

static uint64_t count_steps(Dwarf_Die *die)
{
	size_t count;

	if (dwarf_getattrcnt(die->abbrev, &count) != 0)
		return 1;
	return 1 + count / ATTRIBUTES_PER_STEP;
}

uint64_t libdw_steps(struct libdw_reader *libdw, Dwarf_Die *die)
{
	if (dwarf_tag(die) == DW_TAG_invalid) /* it has no abbreviation that libdw can read */
		return 1;
	struct libdw_steps *seen = &libdw->seen[(uintptr_t)die->abbrev / SEEN_ALIGN % LIBDW_SEEN];
	if (seen->abbrev != die->abbrev)
		*seen = (struct libdw_steps){ die->abbrev, count_steps(die) };
	return seen->steps;
}

int libdw_next(struct libdw_reader *libdw, Dwarf_Die *die, Dwarf_Die *next, uint64_t below)
{
	Dwarf_Off from = dwarf_dieoffset(die);
	/* without an attribute for it libdw walks over all that is below */
	bool walked = dwarf_haschildren(die) == 1 && !dwarf_hasattr(die, DW_AT_sibling);

	if (!budget_work(libdw->budget, walked ? below : 1))
		return -1;
	int result = dwarf_siblingof(die, next);
	if (result != 0)
		return result < 0 ? -1 : 0;
	return dwarf_dieoffset(next) > from ? 1 : -1;
}
