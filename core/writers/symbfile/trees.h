/* SPDX-License-Identifier: MIT */
/*
 * Private definitions of symbfile_maker: trees of records that are collected, arranged and written.
 */
#ifndef CAIRN_WRITERS_SYMBFILE_TREES_H
#define CAIRN_WRITERS_SYMBFILE_TREES_H

#include "maker.h"

#include "base/function.h"
#include "base/table.h"
#include "formats/symbfile_write.h"

enum {
	MAKER_THREADS_MAX = 256,
	MAKER_DEPTH_MAX = 1024, /* maximum depth of inlined calls; compilers stay below 100 */
};

#define MAKER_NONE UINT32_MAX

/*
 * A range to write. Strings are indices in the shard's pool, which are mapped to the maker's pool
 * later.
 */
struct maker_record {
	uint64_t start, end;
	uint32_t depth;
	uint32_t name, file, call_file, call_line;
	uint32_t rows;
	uint64_t row;
};

struct maker_row {
	uint64_t va;
	uint32_t line;
};

/* A function. Its records are in pre-order and lie within its address range. */
struct maker_tree {
	uint64_t start, end;
	uint32_t unit, order; /* unit, and position of the function in the unit */
	uint16_t shard;
	uint8_t source;
	uint32_t records;
	uint64_t record;
};

/* Cache entry that identifies a previously added string by its address. */
struct maker_seen_text {
	const uint8_t *data;
	size_t size;
	uint32_t number;
};

enum {
	MAKER_SEEN = 1 << 16, /* capacity of the cache, with 24 bytes per entry */
	/* number of `seen` entries per flag in seen_written; they occupy about a page */
	MAKER_SEEN_PART = 1 << 7,
};

struct symbfile_shard {
	uint16_t number;
	uint32_t unit, order;
	struct string_pool pool;
	struct maker_tree *tree;
	size_t trees, tree_capacity;
	struct maker_record *record;
	size_t records, record_capacity;
	struct maker_row *row;
	size_t rows, row_capacity;

	/*
	 * Hash table that maps a start address to the index + 1 of the first tree with that start;
	 * 0 marks a free slot.
	 */
	uint32_t *at_start;
	size_t starts; /* number of slots in at_start; a power of two */

	struct file_map file;
	struct maker_seen_text seen[MAKER_SEEN];
	/* Flags that mark the initialized parts of `seen`. Other parts must not be read. */
	bool seen_written[MAKER_SEEN / MAKER_SEEN_PART];
	struct flatten *flatten;
	uint64_t nameless, too_deep, repeated;
	bool out_of_memory;
};

struct maker_piece {
	uint64_t start, end;
	const struct maker_tree *tree;
};

struct symbfile_maker {
	struct symbfile_shard *shard[MAKER_THREADS_MAX];
	unsigned shards;
	struct string_pool pool;
	/*
	 * `map` maps the string indices of a shard to names in `pool`, and `path` to paths, which
	 * are not demangled
	 */
	uint32_t *map[MAKER_THREADS_MAX];
	uint32_t *path[MAKER_THREADS_MAX];
	struct maker_piece *piece;
	size_t pieces, piece_capacity;
	struct cairn_symbfile_summary summary;
};

static inline const struct maker_record *tree_records(const struct symbfile_maker *maker,
                                                      const struct maker_tree *tree)
{
	return maker->shard[tree->shard]->record + tree->record;
}

static inline uint32_t maker_name(const struct symbfile_maker *m, const struct maker_tree *tree,
                                  uint32_t number)
{
	return m->map[tree->shard][number];
}

static inline uint32_t maker_path(const struct symbfile_maker *m, const struct maker_tree *tree,
                                  uint32_t number)
{
	return number == MAKER_NONE ? MAKER_NONE : m->path[tree->shard][number];
}

#endif
