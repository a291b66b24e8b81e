/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of any bytes in which addresses are looked up, by our own decoder and by libdw.  Always:
 *   - a file that is not opened has a reason;
 *   - all locations but the last one are inlined, and each begins at or before its address;
 *   - texts can be read to their ends;
 *   - after everything was forgotten the answer is the same, unless the budget is used up.
 */
#include "fuzz.h"

#include "debuginfo/lookup/names.h"

/* Where the programs of the corpus have code, and those without a place. */
static const uint64_t bases[] = { 0, 0x1000, 0x401000 };

enum { BASES = sizeof(bases) / sizeof(*bases), STEP = 9, ADDRESSES = 16 };

static uint64_t add_text(uint64_t sum, struct cairn_bytes text)
{
	ALWAYS(text.data);
	for (size_t i = 0; i < text.size; i++)
		sum = (sum ^ text.data[i]) * 0x100000001b3;
	return sum ^ text.size;
}

static uint64_t check_locations(const struct cairn_location *l, size_t count, uint64_t va)
{
	uint64_t sum = count;

	ALWAYS(count <= DEBUGINFO_LOCATIONS);
	for (size_t i = 0; i < count; i++) {
		ALWAYS(l[i].inlined == (i + 1 < count));
		ALWAYS(l[i].start <= va && l[i].offset == va - l[i].start);
		sum = add_text(add_text(add_text(sum, l[i].function), l[i].directory), l[i].file);
		sum = (sum ^ l[i].line ^ l[i].start) * 0x100000001b3;
	}
	return sum;
}

static uint64_t look_up(struct debuginfo_names *names)
{
	struct cairn_location locations[DEBUGINFO_LOCATIONS];
	uint64_t sum = 0;

	for (size_t i = 0; i < BASES * ADDRESSES; i++) {
		uint64_t va = bases[i / ADDRESSES] + i % ADDRESSES * STEP;
		size_t count =
			debuginfo_names_chain(names, va, DEBUGINFO_PATH_RELATIVE, true, locations);
		sum += check_locations(locations, count, va);
		if (debuginfo_names_symbol(names, va, locations))
			sum += check_locations(locations, 1, va);
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *why = NULL;
	struct debuginfo_names *names =
		debuginfo_names_open((struct cairn_bytes){ data, size }, &why);

	ALWAYS(names || why);
	if (!names)
		return 0;
	uint64_t sum = look_up(names);
	bool whole = debuginfo_names_cut(names) == NULL;
	debuginfo_names_release(names);
	ALWAYS(sum == look_up(names) || !whole || debuginfo_names_cut(names));
	debuginfo_names_close(names);
	return 0;
}
