/* SPDX-License-Identifier: MIT */
/* A .debug_aranges section of any bytes, in both byte orders. Always: no range is empty, and each costs a pair. */
#include "fuzz.h"

#include "formats/dwarf/dwarf.h"

enum { PAIR_LEAST = 8 };

static void walk(struct cairn_bytes bytes, bool big)
{
	struct dwarf_aranges aranges = dwarf_aranges_open(bytes, big);
	struct dwarf_arange range;
	size_t before = 0;

	while (dwarf_aranges_next(&aranges, &range)) {
		ALWAYS(range.low < range.high);
		ALWAYS(aranges.in.at >= before + PAIR_LEAST && aranges.in.at <= bytes.size);
		before = aranges.in.at;
	}
	ALWAYS(aranges.in.fault.offset <= bytes.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };

	walk(bytes, false);
	walk(bytes, true);
	return 0;
}
