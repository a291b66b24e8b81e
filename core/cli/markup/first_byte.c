/* SPDX-License-Identifier: MIT */
/*
 * Infers the linked address of a module's first byte, from which addresses in a Breakpad file
 * count, when the program itself is not available. It uses the mappings in the log and the
 * functions in the file.
 *
 * Functions lie in code mappings, and the first byte is at a page boundary. If the functions fill
 * the mappings up to the page, only one address is possible. Otherwise the lowest mapping begins
 * with the headers, unless it is code: a log may show code mappings only, and headers in a mapping
 * of their own come before them.
 */
#include "markup.h"

#include "symbols/lookup/symbols.h"

enum {
	LINKED_HIGH = 1 << 16, /* programs that are not linked at 0 are linked above this address */
	/* the ELF header is at the first byte, so no function can start below its size */
	HEADER_SIZE = 52,
	PAGE = 4096, /* smallest page size of any supported machine */
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

/*
 * Compute the lowest and the highest page of the first byte. No mapping may lie below it. Return
 * false if no page is possible.
 */
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
