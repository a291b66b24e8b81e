/* SPDX-License-Identifier: MIT */
/*
 * What one thread has brought to a GSYM writer: drafts of records, and the texts and files that
 * these refer to, by numbers of the shard's own.
 */
#ifndef CAIRN_WRITERS_GSYM_SHARD_H
#define CAIRN_WRITERS_GSYM_SHARD_H

#include "line_window.h"
#include "writer.h"

#include "base/array_grow.h"
#include "base/table/number_map.h"
#include "formats/gsym/write.h"
#include "model/file_map.h"

/* A text with what tells it from others, so that it need not be read again. */
struct gsym_text {
	struct cairn_bytes bytes;
	uint32_t hash;
	bool has_gap; /* a NUL of its own stands before it */
};

/* Hash the text (output.c); the bytes must stay where they are. */
struct gsym_text gsym_read_text(struct cairn_bytes bytes);

/* A function as it is kept; the drafts of its blocks follow. */
struct gsym_record {
	uint32_t name;
	uint32_t path_size; /* of the function_path() in the text of the name; 0: none */
	uint32_t lines, inlines, calls, columns; /* bytes of each draft, 0 for no block */
	uint32_t rows, inline_count, call_count;
	uint8_t source; /* enum function_provenance */
	bool nameless;
	uint8_t drafts[];
};

/* Functions are sorted by this. */
struct gsym_key {
	uint64_t start;
	const struct gsym_record *record;
	uint32_t size;
	uint32_t unit, order; /* of equal functions the one that comes first */
	uint16_t shard;
	bool merged; /* into the entry before it */
};

enum {
	GSYM_SHARDS_MAX = UINT16_MAX,
	GSYM_STRING_EMPTY = 0, /* the first texts and files of each shard */
	GSYM_STRING_UNKNOWN = 1,
	GSYM_FILE_GAP = 0,
};

struct gsym_shard_file {
	uint32_t directory, name; /* texts of the shard */
};

struct gsym_shard {
	const struct gsym_writer_options *options;
	uint16_t number;
	uint32_t unit, order;
	uint64_t cut;

	struct gsym_key *key;
	size_t keys, key_room;

	struct gsym_text *text;
	size_t texts, text_room;
	struct number_map text_map; /* by address */

	struct gsym_shard_file *file;
	size_t files, file_room;
	struct number_map file_map; /* by both texts */

	/* the shard's numbers of the current unit's files, as far as they were asked for */
	struct file_map unit_file;

	struct function_row *row; /* scratch, as are the next */
	size_t row_room;
	struct gsym_line_steps steps;
	struct gsym_window window; /* for these rows */
	uint32_t *name;
	size_t name_room;
	uint8_t *draft;
	size_t draft_room;

	struct gsym_chunk *chunk; /* where records are */

	/* numbers in the file that is being made; see gsym_numbers */
	uint64_t *text_at;
	uint32_t *file_at;
};

struct gsym_writer {
	struct gsym_writer_options options;
	struct gsym_shard **shard;
	size_t shards, shard_room;
	struct gsym_key *key;
	size_t keys;     /* with those that are merged */
	uint32_t *entry; /* the key of each entry */
	uint32_t entries;
	struct cairn_gsym_summary summary;
};

#endif
