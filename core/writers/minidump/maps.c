/* SPDX-License-Identifier: MIT */
/* Writes the mappings in the format of /proc/PID/maps (docs/formats/procmaps.md). */
#include "writing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_HEAD = 100 };

/*
 * Write a path with newlines escaped as \012, like the kernel does, because a newline ends the
 * line.
 */
static void put_path(struct writing *w, struct cairn_bytes path)
{
	for (size_t at = 0; at < path.size;) {
		const uint8_t *newline = memchr(path.data + at, '\n', path.size - at);
		const size_t length =
			newline ? (size_t)(newline - (path.data + at)) : path.size - at;
		writing_put(w, path.data + at, length);
		if (newline)
			writing_put(w, "\\012", 4);
		at += length + (newline ? 1 : 0);
	}
}

void writing_put_maps(struct writing *w)
{
	for (size_t i = 0; i < w->snapshot->mapping_count; i++) {
		const struct snapshot_mapping *mapping = &w->snapshot->mappings[i];
		char head[LINE_HEAD];
		const int size = snprintf(
			head, sizeof(head),
			"%" PRIx64 "-%" PRIx64 " %c%c%cp %08" PRIx64 " 00:00 %c", mapping->low,
			mapping->high, mapping->access & SNAPSHOT_READ ? 'r' : '-',
			mapping->access & SNAPSHOT_WRITE ? 'w' : '-',
			mapping->access & SNAPSHOT_EXECUTE ? 'x' : '-',
			mapping->has_file ? mapping->offset : 0, mapping->has_file ? '1' : '0');
		writing_put(w, head, (size_t)size);
		if (mapping->path.size > 0)
			writing_put(w, " ", 1);
		put_path(w, mapping->path);
		if (mapping->deleted)
			writing_put(w, " (deleted)", 10);
		writing_put(w, "\n", 1);
	}
}
