/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a perf map. Always: entries are not empty and do not go past the end of memory, their names
 * lie in the input, and there are no more of them than lines.
 */
#include "fuzz.h"

#include "formats/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap map = perfmap_open((struct cairn_bytes){ data, size });
	struct perfmap_entry entry;
	size_t lines = 1, entries = 0;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	while (perfmap_next(&map, &entry)) {
		entries++;
		ALWAYS(entry.size > 0 && entry.start + entry.size > entry.start);
		ALWAYS(entry.name.size > 0 && entry.name.size <= PERFMAP_NAME);
		ALWAYS(entry.name.data >= data && entry.name.data + entry.name.size <= data + size);
	}
	ALWAYS(entries <= lines);
	return 0;
}
