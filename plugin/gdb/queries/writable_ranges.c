/* SPDX-License-Identifier: MIT */
/*
 * Lines as GDB 13 to 18 print them, blanks between the words:
 *
 *	mapping = START END SIZE OFFSET PERMISSIONS [PATH]     "rw-p"
 *	core    = "Core file: `" PATH "', file type " FORMAT
 *	section = "[" NUMBER "]" START "->" END " at " OFFSET ": " NAME FLAG*
 *
 * The segments of a core are named "load1" or "load1a".  What it has no bytes of lacks the flag
 * HAS_CONTENTS, and what cannot be written has READONLY.
 */
#include "writable_ranges.h"

#include "printed.h"

#include <string.h>

static bool has_section_flag(struct cairn_bytes bytes, const char *word)
{
	size_t length = strlen(word);

	for (; bytes.size >= length; bytes = printed_from(bytes, 1))
		if (memcmp(bytes.data, word, length) == 0)
			return true;
	return false;
}

static void skip_blanks(struct cairn_bytes *bytes)
{
	while (printed_accept(bytes, " ") || printed_accept(bytes, "\t"))
		continue;
}

static bool accept_permissions(struct cairn_bytes *bytes, bool *writable)
{
	static const char letters[] = "rwx";
	const uint8_t *p = bytes->data;

	if (bytes->size < 4 || (p[3] != 'p' && p[3] != 's'))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (p[i] != '-' && p[i] != letters[i])
			return false;
	*writable = p[0] == 'r' && p[1] == 'w';
	*bytes = printed_from(*bytes, 4);
	return true;
}

/* Memory of a device may do things when it is read. */
static bool is_device(struct cairn_bytes path)
{
	return printed_accept(&path, "/dev/") && !printed_accept(&path, "shm/") &&
	       !printed_accept(&path, "zero");
}

static bool read_mapping(struct cairn_bytes line, struct cairn_range *range, bool *writable)
{
	uint64_t numbers[4];

	for (unsigned i = 0; i < 4; i++) {
		skip_blanks(&line);
		if (!printed_address(&line, &numbers[i]))
			return false;
	}
	skip_blanks(&line);
	if (!accept_permissions(&line, writable))
		return false;
	skip_blanks(&line);
	*writable &= !is_device(line);
	*range = (struct cairn_range){ numbers[0], numbers[1] };
	return numbers[0] < numbers[1];
}

static bool is_segment(struct cairn_bytes *name)
{
	return printed_accept(name, "load") && name->size > 0 && name->data[0] >= '0' &&
	       name->data[0] <= '9';
}

static bool read_section(struct cairn_bytes line, struct cairn_range *range, uint64_t *offset,
                         bool *writable)
{
	skip_blanks(&line);
	if (!printed_accept(&line, "["))
		return false;
	while (line.size > 0 && line.data[0] != ']')
		line = printed_from(line, 1);
	if (!printed_accept(&line, "]"))
		return false;
	skip_blanks(&line);
	if (!printed_address(&line, &range->low) || !printed_accept(&line, "->") ||
	    !printed_address(&line, &range->high) || !printed_accept(&line, " at ") ||
	    !printed_address(&line, offset) || !printed_accept(&line, ": ") || !is_segment(&line))
		return false;
	*writable = has_section_flag(line, " HAS_CONTENTS") && !has_section_flag(line, " READONLY");
	return range->low < range->high;
}

static struct cairn_bytes read_range_line(struct cairn_bytes *text)
{
	const uint8_t *end = memchr(text->data, '\n', text->size);
	size_t size = end ? (size_t)(end - text->data) : text->size;
	struct cairn_bytes line = { text->data, size };

	*text = printed_from(*text, size + (end ? 1 : 0));
	return line;
}

/* The path in the line that says so; else what it was. */
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

struct writable_ranges writable_ranges_open(struct cairn_bytes text)
{
	struct writable_ranges ranges = { .text = text, .core_size = WRITABLE_CORE_UNKNOWN };
	struct cairn_range range;
	bool writable;

	while (text.size > 0 && !ranges.live) {
		struct cairn_bytes line = read_range_line(&text);
		ranges.live = read_mapping(line, &range, &writable);
		read_core(line, &ranges.core);
	}
	return ranges;
}

/* What the core's file can have of a segment; false: nothing. */
static bool cut_segment(struct writable_ranges *ranges, uint64_t offset, struct cairn_range *range)
{
	uint64_t behind = offset < ranges->core_size ? ranges->core_size - offset : 0;
	uint64_t left = ranges->core_size - ranges->listed;
	uint64_t most = behind < left ? behind : left;

	if (range->high - range->low > most)
		range->high = range->low + most;
	ranges->listed += range->high - range->low;
	return most > 0;
}

bool writable_ranges_next(struct writable_ranges *ranges, struct cairn_range *range)
{
	bool writable = false;
	uint64_t offset;

	while (ranges->text.size > 0) {
		struct cairn_bytes line = read_range_line(&ranges->text);
		if (ranges->live ? read_mapping(line, range, &writable) && writable
		                 : read_section(line, range, &offset, &writable) && writable &&
		                           cut_segment(ranges, offset, range))
			return true;
	}
	return false;
}
