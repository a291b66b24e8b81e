/* SPDX-License-Identifier: MIT */
/* Mappings of any bytes.  Always: no range is empty, each costs a line, a path lies in the text. */
#include "fuzz.h"

#include "formats/procmaps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	struct procmaps maps = procmaps_open(bytes);
	struct procmaps_entry entry;
	size_t before = 0;

	while (procmaps_next(&maps, &entry)) {
		ALWAYS(entry.low < entry.high && maps.at > before && maps.at <= size);
		ALWAYS(entry.path.data >= bytes.data && entry.path.size <= size);
		ALWAYS((size_t)(entry.path.data - bytes.data) <= size - entry.path.size);
		before = maps.at;
	}
	ALWAYS(maps.at == size && maps.bad <= size);
	return 0;
}
