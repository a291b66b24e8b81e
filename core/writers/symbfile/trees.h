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

/* The scratch of one function; flatten_free(NULL) is harmless. */
struct flatten *flatten_new(void);
void flatten_free(struct flatten *flatten);

/* A function as a tree.  False when memory is short. */
bool flatten_function(struct symbfile_shard *shard, const struct function *function);

/* This text will be asked for, but not at once. */
void shard_text_soon(const struct symbfile_shard *shard, struct cairn_bytes text);

/* The number of a text of the shard, and of a file of the present unit. */
uint32_t shard_text(struct symbfile_shard *shard, struct cairn_bytes text);
uint32_t shard_file(struct symbfile_shard *shard, const struct function *function, uint32_t file);

/* Gives each address to one tree: sorts the pieces of all trees by address. */
enum cairn_status arrange_pieces(struct symbfile_maker *maker);

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

/*
 * Which texts of the maker's pool are in the table of a window of records, and where; the others
 * are written in the records.
 */
struct maker_table {
	uint32_t *uses;  /* of each text, in this window */
	uint32_t *index; /* in the table; MAKER_NONE: it is not there */
	uint32_t *order; /* texts of the window, by their first use; later as the table has them */
	size_t count, pool;
	uint64_t cost; /* bytes of a table of all of them */
};

bool maker_table_init(struct maker_table *table, size_t pool);
void maker_table_finish(struct maker_table *table);
void maker_table_use(struct maker_table *table, const struct string_pool *pool, uint32_t text);

/* Writes the table of those that are used `least` times; the window is over for counting. */
enum cairn_status maker_table_put(struct maker_table *table, const struct string_pool *pool,
                                  uint32_t least, struct sink *out);
void maker_table_clear(struct maker_table *table);

/* A window ends before its table could outgrow a message. */
enum { MAKER_TABLE_MAX = SYMBFILE_MESSAGE_MAX - (64 << 10) };

/* Room for `more` bytes; false when memory is short. */
bool maker_reserve(struct sink *out, size_t more);

#endif
