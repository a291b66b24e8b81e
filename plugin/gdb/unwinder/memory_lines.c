/* SPDX-License-Identifier: MIT */
/*
 * Reads target memory in lines and keeps them until GDB's next query. A read may throw GDB's
 * exception, so a line is added only after its bytes were read.
 */
#include "memory_lines.h"

#include <limits.h>
#include <string.h>

void memory_lines_forget(struct memory_lines *lines)
{
	lines->count = lines->next = 0;
}

static bool read_target(gdb_target_read *target_read, uint64_t address, void *buffer, size_t size)
{
	return size <= INT_MAX && target_read(address, buffer, (int)size) == GDB_SUCCESS;
}

static const struct memory_line *find_line(const struct memory_lines *lines, uint64_t at)
{
	for (unsigned i = 0; i < lines->count; i++)
		if (lines->line[i].at == at)
			return &lines->line[i];
	return NULL;
}

/*
 * Return the line at `at`, which replaces the oldest one if necessary, or NULL if it cannot be
 * read.
 */
static const struct memory_line *fetch_line(struct memory_lines *lines,
                                            gdb_target_read *target_read, uint64_t at)
{
	const struct memory_line *known = find_line(lines, at);
	uint8_t bytes[MEMORY_LINE];

	if (known || !read_target(target_read, at, bytes, sizeof(bytes)))
		return known;
	struct memory_line *line = &lines->line[lines->next];
	lines->next = (lines->next + 1) % MEMORY_LINES;
	lines->count += lines->count < MEMORY_LINES;
	line->at = at;
	memcpy(line->bytes, bytes, sizeof(bytes));
	return line;
}

/* Read through lines. Fails also if a line extends beyond readable memory. */
static bool read_in_lines(struct memory_lines *lines, gdb_target_read *target_read,
                          uint64_t address, uint8_t *out, size_t size)
{
	while (size > 0) {
		size_t into = address % MEMORY_LINE;
		size_t part = MEMORY_LINE - into < size ? MEMORY_LINE - into : size;
		const struct memory_line *line = fetch_line(lines, target_read, address - into);
		if (!line)
			return false;
		memcpy(out, line->bytes + into, part);
		address += part;
		out += part;
		size -= part;
	}
	return true;
}

bool memory_lines_read(struct memory_lines *lines, gdb_target_read *target_read, uint64_t address,
                       void *buffer, size_t size)
{
	bool small = size <= MEMORY_LINE_READ && address % MEMORY_LINE_PAGE != 0;

	return (small && read_in_lines(lines, target_read, address, buffer, size)) ||
	       read_target(target_read, address, buffer, size);
}
