/* SPDX-License-Identifier: MIT */
/*
 * The string table and the file table of a GSYM file that is being made: numbers are given out in
 * the order of first use, one for each text or file.
 */
#ifndef CAIRN_WRITERS_GSYM_STRING_TABLE_H
#define CAIRN_WRITERS_GSYM_STRING_TABLE_H

#include "base/sink.h"
#include "base/table/slot_table.h"

#include <cairn.h>

/* A text with what tells it from others, so that it need not be read again. */
struct gsym_text {
	struct cairn_bytes bytes;
	uint32_t hash;
	bool has_gap; /* a NUL of its own stands before it */
};

struct gsym_string_entry {
	struct gsym_text text;
	uint64_t offset;
};

struct gsym_files_entry {
	uint64_t directory, name; /* offsets of texts */
};

struct gsym_string_table {
	struct gsym_string_entry *text;
	size_t texts, text_room;
	struct slot_table text_slots; /* of text[], each by its index + 1 */
	uint64_t size;                /* of the string table */

	struct gsym_files_entry *file;
	size_t files, file_room;
	struct slot_table file_slots; /* of file[], each by its index; the empty one has no slot */
};

/* False when memory is short. */
bool gsym_string_table_init(struct gsym_string_table *texts);
void gsym_string_table_finish(struct gsym_string_table *texts);

/* Reads the text once; the bytes must stay where they are. */
struct gsym_text gsym_read_text(struct cairn_bytes bytes);

/* The offset of a text, which must not be empty; false when memory is short. */
bool gsym_string_table_add(struct gsym_string_table *texts, const struct gsym_text *text,
                           uint64_t *offset);

/* The number of a file, not 0, also of the one that is empty. */
bool gsym_string_table_add_file(struct gsym_string_table *texts, struct gsym_files_entry file,
                                uint32_t *number);

/* Where the text of an index ends in the table. */
uint64_t gsym_string_table_end(const struct gsym_string_table *texts, size_t text);

/* The tables as they are in a file, of the texts those from `first` to before `last`; `width` is that of an offset. */
void gsym_string_table_put_strings(const struct gsym_string_table *texts, size_t first, size_t last,
                                   struct sink *out);
void gsym_string_table_put_files(const struct gsym_string_table *texts, unsigned width, bool big,
                                 struct sink *out);

#endif
