/* SPDX-License-Identifier: MIT */
/*
 * A shard holds the functions that one thread added to a GSYM writer: the strings and files that
 * they use, and drafts of their blocks. A draft is encoded like the block in the file, but refers
 * to strings and files by their index in the shard.
 */
#ifndef CAIRN_WRITERS_GSYM_SHARD_H
#define CAIRN_WRITERS_GSYM_SHARD_H

#include "writer.h"

#include "base/function.h"
#include "base/memory.h"
#include "base/table.h"
#include "formats/gsym/write.h"

/*
 * Buffers for the line steps of one function, reused for the next. Must be initialized with zeros.
 */
struct gsym_line_steps {
	int32_t *step;
	size_t capacity;
	struct gsym_step_costs costs;
};

/* Choose a window for the rows; `count` may be 0. Returns false if allocation fails. */
bool gsym_line_steps_window(struct gsym_line_steps *steps, const struct function_row *rows,
                            size_t count, struct gsym_window *window);
void gsym_line_steps_finish(struct gsym_line_steps *steps);

/* A string with its hash. The hash is stored so that the string need not be read again. */
struct gsym_text {
	struct cairn_bytes bytes;
	uint32_t hash;
	bool has_gap; /* an additional NUL precedes the string in the file */
};

struct gsym_text gsym_read_text(struct cairn_bytes bytes);

struct gsym_record {
	uint32_t name;
	/* size of the function_path() that follows the name; 0 if it has no path */
	uint32_t path_size;
	/* size of each draft in bytes, or 0 if the block is missing */
	uint32_t lines, inlines, calls, columns;
	uint32_t rows, inline_count, call_count;
	uint8_t source;
	bool nameless;
	uint8_t drafts[];
};

struct gsym_key {
	uint64_t start;
	const struct gsym_record *record;
	uint32_t size;
	uint32_t unit, order; /* unit, and position in the unit; used to order equal functions */
	uint16_t shard;
	bool merged; /* the function is merged into the preceding entry */
};

enum {
	GSYM_SHARDS_MAX = UINT16_MAX,
	GSYM_STRING_EMPTY = 0, /* indices of predefined strings and files in each shard */
	GSYM_STRING_UNKNOWN = 1,
	GSYM_FILE_GAP = 0,
};

struct gsym_shard_file {
	uint32_t directory, name;
};

struct gsym_shard {
	const struct gsym_writer_options *options;
	uint16_t number;
	uint32_t unit, order;
	uint64_t cut;

	struct gsym_key *key;
	size_t keys, key_capacity;

	struct gsym_text *text;
	size_t texts, text_capacity;
	struct number_map text_map;

	struct gsym_shard_file *file;
	size_t files, file_capacity;
	struct number_map file_map;

	/* file indices for the files of the current unit, filled in on first use */
	struct file_map unit_file;

	/* this field and the following ones up to draft_capacity are scratch buffers */
	struct function_row *row;
	size_t row_capacity;
	struct gsym_line_steps steps;
	struct gsym_window window;
	uint32_t *name;
	size_t name_capacity;
	uint8_t *draft;
	size_t draft_capacity;

	struct gsym_chunk *chunk;

	/* index of each string and file in the output; see gsym_numbers */
	uint64_t *text_at;
	uint32_t *file_at;
};

struct gsym_writer {
	struct gsym_writer_options options;
	struct gsym_shard **shard;
	size_t shards, shard_capacity;
	struct gsym_key *key;
	size_t keys;
	uint32_t *entry;
	uint32_t entries;
	struct cairn_gsym_summary summary;
};

#endif
