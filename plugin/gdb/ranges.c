/* SPDX-License-Identifier: MIT */
/*
 * Lines as GDB 13 to 18 print them, blanks between the words:
 *
 *	mapping = START END SIZE OFFSET PERMISSIONS [PATH]     "rw-p"
 *	section = "[" NUMBER "]" START "->" END " at " OFFSET ": " NAME FLAG*
 *
 * The segments of a core are named "load1" or "load1a".  What it has no bytes of lacks the flag
 * HAS_CONTENTS, and what cannot be written has READONLY.
 */
#include "ranges.h"

#include <string.h>

enum { HEX_DIGITS = 16 };

static struct cairn_bytes from(struct cairn_bytes bytes, size_t start)
{
	return (struct cairn_bytes){ bytes.data + start, bytes.size - start };
}

static bool accept(struct cairn_bytes *bytes, const char *word)
{
	size_t length = strlen(word);

	if (bytes->size < length || memcmp(bytes->data, word, length) != 0)
		return false;
	*bytes = from(*bytes, length);
	return true;
}

static bool contains(struct cairn_bytes bytes, const char *word)
{
	size_t length = strlen(word);

	for (; bytes.size >= length; bytes = from(bytes, 1))
		if (memcmp(bytes.data, word, length) == 0)
			return true;
	return false;
}

static void skip_blanks(struct cairn_bytes *bytes)
{
	while (accept(bytes, " ") || accept(bytes, "\t"))
		continue;
}

static int hex_digit(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static bool accept_address(struct cairn_bytes *bytes, uint64_t *address)
{
	size_t digits = 0;

	*address = 0;
	if (!accept(bytes, "0x"))
		return false;
	while (digits < bytes->size && hex_digit(bytes->data[digits]) >= 0) {
		if (digits == HEX_DIGITS)
			return false;
		*address = *address << 4 | (unsigned)hex_digit(bytes->data[digits]);
		digits++;
	}
	*bytes = from(*bytes, digits);
	return digits > 0;
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
	*bytes = from(*bytes, 4);
	return true;
}

/* Memory of a device may do things when it is read. */
static bool is_device(struct cairn_bytes path)
{
	return accept(&path, "/dev/") && !accept(&path, "shm/") && !accept(&path, "zero");
}

static bool read_mapping(struct cairn_bytes line, struct cairn_range *range, bool *writable)
{
	uint64_t numbers[4];

	for (unsigned i = 0; i < 4; i++) {
		skip_blanks(&line);
		if (!accept_address(&line, &numbers[i]))
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
	return accept(name, "load") && name->size > 0 && name->data[0] >= '0' &&
	       name->data[0] <= '9';
}

static bool read_section(struct cairn_bytes line, struct cairn_range *range, bool *writable)
{
	uint64_t offset;

	skip_blanks(&line);
	if (!accept(&line, "["))
		return false;
	while (line.size > 0 && line.data[0] != ']')
		line = from(line, 1);
	if (!accept(&line, "]"))
		return false;
	skip_blanks(&line);
	if (!accept_address(&line, &range->low) || !accept(&line, "->") ||
	    !accept_address(&line, &range->high) || !accept(&line, " at ") ||
	    !accept_address(&line, &offset) || !accept(&line, ": ") || !is_segment(&line))
		return false;
	*writable = contains(line, " HAS_CONTENTS") && !contains(line, " READONLY");
	return range->low < range->high;
}

static struct cairn_bytes next_line(struct cairn_bytes *text)
{
	const uint8_t *end = memchr(text->data, '\n', text->size);
	size_t size = end ? (size_t)(end - text->data) : text->size;
	struct cairn_bytes line = { text->data, size };

	*text = from(*text, size + (end ? 1 : 0));
	return line;
}

struct ranges ranges_open(struct cairn_bytes text)
{
	struct ranges ranges = { text, false };
	struct cairn_range range;
	bool writable;

	while (text.size > 0 && !ranges.live)
		ranges.live = read_mapping(next_line(&text), &range, &writable);
	return ranges;
}

bool ranges_next(struct ranges *ranges, struct cairn_range *range)
{
	bool writable = false;

	while (ranges->text.size > 0) {
		struct cairn_bytes line = next_line(&ranges->text);
		bool read = ranges->live ? read_mapping(line, range, &writable)
		                         : read_section(line, range, &writable);
		if (read && writable)
			return true;
	}
	return false;
}
