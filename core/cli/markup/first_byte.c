/* SPDX-License-Identifier: MIT */
/*
 * Where the first byte of a module is linked, from which the addresses of a Breakpad file count, when no program at hand
 * tells it: by the mappings in the log and the functions in the file.
 *
 * Functions are in mappings of code, and the first byte is at a page.  When the functions fill those mappings to the page, one
 * address alone is possible, and that is it.  Otherwise the lowest mapping is the one of the headers unless it is code,
 * because a log may have mappings of code alone, which lies behind headers that are mapped by themselves.
 */
#include "markup.h"

#include "symbols/lookup/symbols.h"

enum {
	LINKED_HIGH = 1 << 16, /* programs that are not linked at 0 are linked above this */
	HEADER_SIZE = 52, /* of the smaller ELF header, which is at the first byte: no code is */
	PAGE = 4096,      /* of the machines with the smallest ones */
};

void markup_places_add(struct markup_places *places, struct cairn_range vas, bool code)
{
	if (!places->any || vas.low < places->lowest) {
		places->lowest = vas.low;
		places->lowest_is_code = code;
	}
	places->any = true;
	if (!code)
		return;
	if (!places->any_code || vas.low < places->code.low)
		places->code.low = vas.low;
	if (!places->any_code || vas.high > places->code.high)
		places->code.high = vas.high;
	places->any_code = true;
}

/* From the first function to the end of the last one; false when there is none. */
static bool find_extent(const struct kept_functions *list, struct cairn_range *extent)
{
	*extent = (struct cairn_range){ UINT64_MAX, 0 };

	for (size_t i = 0; i < list->count; i++) {
		const struct cairn_range *range = &list->function[i].range;
		if (range->low < HEADER_SIZE)
			continue;
		if (range->low < extent->low)
			extent->low = range->low;
		if (range->high > extent->high)
			extent->high = range->high;
	}
	return extent->low < extent->high;
}

/* The lowest and the highest page at which the first byte may be, no mapping being below it; false: there is none. */
static bool bound_first_byte(const struct markup_places *places, const struct kept_functions *list,
                             struct cairn_range *pages)
{
	struct cairn_range extent;

	if (!places->any_code || !find_extent(list, &extent) || extent.high > places->code.high)
		return false;
	uint64_t low = places->code.low > extent.low ? places->code.low - extent.low : 0;
	uint64_t high = places->code.high - extent.high;
	if (high > places->lowest)
		high = places->lowest;
	pages->low = low / PAGE + (low % PAGE != 0);
	pages->high = high / PAGE;
	return pages->low <= pages->high;
}

bool markup_first_byte(const struct markup_places *places, const struct cairn_symbols *symbols,
                       uint64_t *va)
{
	const uint64_t lowest = places->lowest < LINKED_HIGH ? 0 : places->lowest;
	struct cairn_range pages;

	if (!places->any)
		return false;
	bool bounded = lowest > 0 && bound_first_byte(places, &symbols->functions.list, &pages);
	if (bounded && pages.low == pages.high) {
		*va = pages.low * PAGE;
		return true;
	}
	*va = lowest;
	return lowest == 0 || (!places->lowest_is_code && (!bounded || lowest / PAGE >= pages.low));
}
