/* SPDX-License-Identifier: MIT */
/* The internals of symbfile_maker: record trees as they are collected, arranged and written. */
#ifndef CAIRN_WRITERS_SYMBFILE_TREES_H
#define CAIRN_WRITERS_SYMBFILE_TREES_H

#include "maker.h"

#include "base/table/string_pool.h"
#include "formats/symbfile/symbfile_write.h"
#include "model/file_map.h"

enum {
	MAKER_THREADS_MAX = 256,
	MAKER_DEPTH_MAX = 1024, /* of inlined calls; compilers stay below 100 */
};

#define MAKER_NONE UINT32_MAX

/* One range to be written.  Texts are numbers of the shard's pool, later of the maker's. */
struct maker_record {
	uint64_t start, end; /* va */
	uint32_t depth;
	uint32_t name, file, call_file, call_line;
	uint32_t rows;
	uint64_t row; /* its first one */
};

struct maker_row {
	uint64_t va;
	uint32_t line;
};

/* One function.  Its records are in pre-order and inside it. */
struct maker_tree {
	uint64_t start, end;
	uint32_t unit, order; /* which function of the unit */
	uint16_t shard;
	uint8_t source;
	uint32_t records;
	uint64_t record; /* its first one */
};

/* A text that was seen before, by its address. */
struct maker_seen_text {
	const uint8_t *data;
	size_t size;
	uint32_t number;
};

enum {
	MAKER_SEEN = 1 << 16,     /* 24 bytes each */
	MAKER_SEEN_PART = 1 << 7, /* of which is noted whether one was written: about a page */
};

struct symbfile_shard {
	uint16_t number;
	uint32_t unit, order;
	struct string_pool pool;
	struct maker_tree *tree;
	size_t trees, tree_room;
	struct maker_record *record;
	size_t records, record_room;
	struct maker_row *row;
	size_t rows, row_room;

	uint32_t *at_start; /* the first tree of each start, plus 1, by its hash; 0: free */
	size_t starts;      /* slots, a power of two */

	struct file_map file; /* numbers of paths in the pool */
	struct maker_seen_text seen[MAKER_SEEN];
	/* a part that was never written is not read either: table_memory.h explains it */
	bool seen_written[MAKER_SEEN / MAKER_SEEN_PART];
	struct flatten *flatten; /* scratch */
	uint64_t nameless, too_deep, repeated;
	bool out_of_memory;
};

/* Says which tree a stretch of code belongs to. */
struct maker_piece {
	uint64_t start, end;
	const struct maker_tree *tree;
};

struct symbfile_maker {
	struct symbfile_shard *shard[MAKER_THREADS_MAX];
	unsigned shards;
	struct string_pool pool;           /* of all names and paths, as they are written */
	uint32_t *map[MAKER_THREADS_MAX];  /* from a shard's texts; names */
	uint32_t *path[MAKER_THREADS_MAX]; /* the same for paths, which stay as they are */
	struct maker_piece *piece;
	size_t pieces, piece_room;
	struct cairn_symbfile_summary summary;
};

static inline const struct maker_record *tree_records(const struct symbfile_maker *maker,
                                                      const struct maker_tree *tree)
{
	return maker->shard[tree->shard]->record + tree->record;
}

/* A text of a shard in the maker's pool. */
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
