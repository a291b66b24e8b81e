/* SPDX-License-Identifier: MIT */
/* Reads .debug_aranges of a file into two sorted arrays, and searches them. */
#include "unit_addresses.h"

#include "debuginfo/elf/section.h"
#include "formats/elf/elf.h"

#include <stdlib.h>

static int compare_ranges(const void *left, const void *right)
{
	const struct dwarf_arange *a = left, *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

static int compare_places(const void *left, const void *right)
{
	const struct unit_place *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Neighbours in the section are mostly of one unit. */
static bool add_place(struct unit_addresses *a, uint64_t offset, struct budget *budget)
{
	if (a->place_count > 0 && a->place[a->place_count - 1].offset == offset)
		return true;
	if (!budget_room(budget, &a->place, &a->place_room, a->place_count + 1, sizeof(*a->place)))
		return false;
	a->place[a->place_count++] = (struct unit_place){ offset, SIZE_MAX };
	return true;
}

static bool read_address_sets(struct unit_addresses *a, struct cairn_bytes section, bool big,
                              struct budget *budget)
{
	struct dwarf_aranges aranges = dwarf_aranges_open(section, big);
	struct dwarf_arange range;

	while (dwarf_aranges_next(&aranges, &range)) {
		if (!budget_work(budget, 1) || !add_place(a, range.unit, budget) ||
		    !budget_room(budget, &a->range, &a->room, a->count + 1, sizeof(*a->range)))
			return false;
		a->range[a->count++] = range;
	}
	return reader_ok(&aranges.in);
}

static void sort_addresses(struct unit_addresses *a)
{
	size_t kept = 0;

	if (a->count == 0)
		return;
	qsort(a->range, a->count, sizeof(*a->range), compare_ranges);
	qsort(a->place, a->place_count, sizeof(*a->place), compare_places);
	for (size_t i = 0; i < a->place_count; i++)
		if (kept == 0 || a->place[kept - 1].offset != a->place[i].offset)
			a->place[kept++] = a->place[i];
	a->place_count = kept;
}

void unit_addresses_read(struct unit_addresses *a, struct cairn_bytes file, struct budget *budget)
{
	static const char name[] = ".debug_aranges";
	struct elf_section section;
	struct cairn_fault fault;
	void *unpacked = NULL;
	struct elf elf;
	size_t size;

	*a = (struct unit_addresses){ .count = 0 };
	/* of an object file it wants relocation */
	if (elf_open(file, &elf, &fault) != CAIRN_OK || elf.type == ELF_TYPE_REL ||
	    !elf_find_section(&elf, name, &section))
		return;
	struct cairn_bytes bytes = elf_section_bytes(&elf, &section);
	if (section.flags & ELF_SHF_COMPRESSED) {
		if (debuginfo_decompress(file, name, &unpacked, &size) != CAIRN_OK)
			return;
		bytes = (struct cairn_bytes){ unpacked, size };
	}
	if (!read_address_sets(a, bytes, elf.big, budget))
		unit_addresses_finish(a);
	sort_addresses(a);
	free(unpacked);
}

void unit_addresses_finish(struct unit_addresses *a)
{
	free(a->range);
	free(a->place);
	*a = (struct unit_addresses){ .count = 0 };
}

struct unit_place *unit_addresses_find(struct unit_addresses *a, uint64_t va)
{
	size_t low = 0, high = a->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (a->range[middle].low <= va)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || va >= a->range[low - 1].high)
		return NULL;
	const struct unit_place wanted = { a->range[low - 1].unit, 0 };
	return bsearch(&wanted, a->place, a->place_count, sizeof(wanted), compare_places);
}
