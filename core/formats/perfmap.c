/* SPDX-License-Identifier: MIT */
/*
 * Reads the lines of a perf map (tools/perf/Documentation/jit-interface.txt in the kernel):
 *
 *	line = start " " size " " name "\n"        both numbers hexadecimal, perhaps with 0x
 */
#include "perfmap.h"

#include "base/bytes.h"

struct perfmap perfmap_open(struct cairn_bytes bytes)
{
	return (struct perfmap){ bytes, 0 };
}

static int digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Remove a hexadecimal number and the space after it from the start of the line. Return false if
 * the number is missing or too large.
 */
static bool take_number(struct cairn_bytes *line, uint64_t *value)
{
	const bool prefixed =
		line->size > 2 && line->data[0] == '0' && (line->data[1] | 0x20) == 'x';
	size_t i = prefixed ? 2 : 0;
	const size_t first = i;

	for (*value = 0; i < line->size && digit_of(line->data[i]) >= 0; i++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)digit_of(line->data[i]);
	}
	if (i == first || i >= line->size || line->data[i] != ' ')
		return false;
	line->data += i + 1;
	line->size -= i + 1;
	return true;
}

static bool read_line(struct cairn_bytes line, struct perfmap_entry *entry)
{
	if (!take_number(&line, &entry->start) || !take_number(&line, &entry->size) ||
	    line.size == 0 || entry->size == 0 || entry->size > UINT64_MAX - entry->start)
		return false;
	entry->name = line;
	entry->name.size = line.size < PERFMAP_NAME ? line.size : PERFMAP_NAME;
	return true;
}

bool perfmap_next(struct perfmap *map, struct perfmap_entry *entry)
{
	while (map->at < map->in.size) {
		const struct cairn_bytes rest = { map->in.data + map->at, map->in.size - map->at };
		struct cairn_bytes line = bytes_before(rest, '\n');
		map->at += line.size + 1;
		if (read_line(line, entry))
			return true;
	}
	return false;
}
