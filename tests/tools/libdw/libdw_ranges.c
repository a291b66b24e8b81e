/* SPDX-License-Identifier: MIT */
/* Finds the range or the list of ranges of an entry, and what the list refers to. */
#include "libdw_ranges.h"

#include <dwarf.h>

bool libdw_read_number(Dwarf_Attribute *attribute, uint64_t *number)
{
	Dwarf_Word word;

	if (!attribute || dwarf_formudata(attribute, &word) != 0)
		return false;
	*number = word;
	return true;
}

static void read_root_bases(struct libdw_ranges *ranges, Dwarf_Die *root)
{
	struct dwarf_bases *bases = &ranges->bases;
	Dwarf_Attribute attribute;
	Dwarf_Addr low;

	*bases = dies_default_bases(&ranges->unit);
	bases->low_pc = dwarf_lowpc(root, &low) == 0 ? low : 0;
	(void)libdw_read_number(dwarf_attr(root, DW_AT_addr_base, &attribute), &bases->addr);
	(void)libdw_read_number(dwarf_attr(root, DW_AT_rnglists_base, &attribute),
	                        &bases->rnglists);
}

/* Reads the unit around an entry; false when libdw cannot tell. */
static bool read_unit(struct libdw_ranges *ranges, Dwarf_Die *die)
{
	uint8_t address_size, offset_size;
	Dwarf_Half version;
	Dwarf_Die root;

	if (!dwarf_diecu(die, &root, &address_size, &offset_size))
		return false;
	if (ranges->root == dwarf_dieoffset(&root))
		return true;
	if (!dwarf_cu_die(root.cu, &root, &version, NULL, NULL, NULL, NULL, NULL))
		return false;
	ranges->root = dwarf_dieoffset(&root);
	ranges->unit = (struct dwarf_unit){ .version = version,
		                            .address_size = address_size,
		                            .offset_size = offset_size };
	read_root_bases(ranges, &root);
	return true;
}

enum libdw_ranges_kind libdw_ranges_open(struct libdw_ranges *ranges, Dwarf_Die *die,
                                         struct cairn_range *one, struct dwarf_ranges *list)
{
	struct dwarf_attribute at = { .number = 0 };
	Dwarf_Attribute attribute;
	Dwarf_Addr low, high;

	if (dwarf_lowpc(die, &low) == 0 && dwarf_highpc(die, &high) == 0) {
		*one = (struct cairn_range){ low, high };
		return LIBDW_RANGES_ONE;
	}
	if (!libdw_read_number(dwarf_attr(die, DW_AT_ranges, &attribute), &at.number) ||
	    !read_unit(ranges, die))
		return LIBDW_RANGES_NONE;
	at.class = attribute.form == DW_FORM_rnglistx ? DWARF_LIST_INDEX : DWARF_OFFSET;
	*list = dwarf_open_ranges(ranges->sections, &ranges->unit, &ranges->bases, &at);
	return LIBDW_RANGES_LIST;
}
