/* SPDX-License-Identifier: MIT */
/*
 * Parses memory maps as GDB 13 to 18 print them, with blanks between the words:
 *
 *	mapping = START END SIZE OFFSET PERMISSIONS [PATH]     "rw-p"
 *	core    = "Core file: `" PATH "', file type " FORMAT
 *	section = "[" NUMBER "]" START "->" END " at " OFFSET ": " NAME FLAG*
 *
 * The segments of a core are named "load1" or "load1a". A segment without bytes in the core lacks
 * the flag HAS_CONTENTS, and a segment that is not writable has READONLY.
 */
#include "memory_ranges.h"

#include "printed.h"

#include <string.h>

static void skip_blanks(struct cairn_bytes *bytes)
{
	while (printed_accept(bytes, " ") || printed_accept(bytes, "\t"))
		continue;
}

static bool accept_permissions(struct cairn_bytes *bytes, enum memory_access access, bool *wanted)
{
	static const char letters[] = "rwx";
	const uint8_t *p = bytes->data;

	if (bytes->size < 4 || (p[3] != 'p' && p[3] != 's'))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (p[i] != '-' && p[i] != letters[i])
			return false;
	*wanted = p[0] == 'r' && (access == MEMORY_READABLE || p[1] == 'w');
	*bytes = printed_from(*bytes, 4);
	return true;
}

/* Return true for memory of a device, because reading it may have side effects. */
static bool is_device(struct cairn_bytes path)
{
	return printed_accept(&path, "/dev/") && !printed_accept(&path, "shm/") &&
	       !printed_accept(&path, "zero");
}

static bool read_mapping(struct cairn_bytes line, enum memory_access access,
                         struct cairn_range *range, bool *wanted)
{
	uint64_t numbers[4];

	for (unsigned i = 0; i < 4; i++) {
		skip_blanks(&line);
		if (!printed_address(&line, &numbers[i]))
			return false;
	}
	skip_blanks(&line);
	if (!accept_permissions(&line, access, wanted))
		return false;
	skip_blanks(&line);
	*wanted &= !is_device(line);
	*range = (struct cairn_range){ numbers[0], numbers[1] };
	return numbers[0] < numbers[1];
}

/* Parse a section. Sets *has_bytes if the core file has its bytes. */
static bool read_section(struct cairn_bytes line, struct cairn_range *range, uint64_t *offset,
                         bool *has_bytes, bool *writable)
{
	skip_blanks(&line);
	if (!printed_accept(&line, "["))
		return false;
	line = printed_from(line, printed_find(line, "]"));
	if (!printed_accept(&line, "]"))
		return false;
	skip_blanks(&line);
	if (!printed_address(&line, &range->low) || !printed_accept(&line, "->") ||
	    !printed_address(&line, &range->high) || !printed_accept(&line, " at ") ||
	    !printed_address(&line, offset) || !printed_accept(&line, ": load") || line.size == 0 ||
	    line.data[0] < '0' || line.data[0] > '9')
		return false;
	*has_bytes = printed_find(line, " HAS_CONTENTS") < line.size;
	*writable = *has_bytes && printed_find(line, " READONLY") == line.size;
	return range->low < range->high;
}

/* Store the core's path if the line contains it; otherwise leave *core unchanged. */
static void read_core(struct cairn_bytes line, struct cairn_bytes *core)
{
	static const char end[] = "', file type ";

	if (!printed_accept(&line, "Core file: `"))
		return;
	*core = (struct cairn_bytes){ line.data, 0 };
	for (size_t i = 0; i + sizeof(end) - 1 <= line.size; i++)
		if (memcmp(line.data + i, end, sizeof(end) - 1) == 0)
			core->size = i;
}

struct memory_ranges memory_ranges_open(struct cairn_bytes text, enum memory_access access)
{
	struct memory_ranges ranges = { .text = text,
		                        .access = access,
		                        .core_size = MEMORY_CORE_UNKNOWN };
	struct cairn_range range;
	bool wanted;

	while (text.size > 0 && !ranges.live) {
		struct cairn_bytes line = printed_take_line(&text);
		ranges.live = read_mapping(line, access, &range, &wanted);
		read_core(line, &ranges.core);
	}
	return ranges;
}

/* Limit a segment to the bytes that the core file can have. Returns false if nothing remains. */
static bool cut_segment(struct memory_ranges *ranges, uint64_t offset, struct cairn_range *range)
{
	uint64_t behind = offset < ranges->core_size ? ranges->core_size - offset : 0;
	uint64_t left = ranges->core_size - ranges->listed;
	uint64_t most = behind < left ? behind : left;

	if (range->high - range->low > most)
		range->high = range->low + most;
	ranges->listed += range->high - range->low;
	return most > 0;
}

/* Parse a segment of a core. Returns false if it is not wanted. */
static bool take_segment(struct memory_ranges *ranges, struct cairn_bytes line,
                         struct cairn_range *range)
{
	bool has_bytes, writable;
	uint64_t offset;

	if (!read_section(line, range, &offset, &has_bytes, &writable))
		return false;
	if (ranges->access == MEMORY_READABLE && !has_bytes)
		return true;
	return (writable || ranges->access == MEMORY_READABLE) &&
	       cut_segment(ranges, offset, range);
}

bool memory_ranges_next(struct memory_ranges *ranges, struct cairn_range *range)
{
	bool wanted = false;

	while (ranges->text.size > 0) {
		struct cairn_bytes line = printed_take_line(&ranges->text);
		if (ranges->live ? read_mapping(line, ranges->access, range, &wanted) && wanted
		                 : take_segment(ranges, line, range))
			return true;
	}
	return false;
}
