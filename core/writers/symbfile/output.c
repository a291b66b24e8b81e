/* SPDX-License-Identifier: MIT */
/*
 * Trees as records of a file, window after window: a string table and the records that use it.
 * Texts that are used once are in their record.
 */
#include "trees.h"

#include "base/invariant.h"
#include "base/order.h"
#include "base/table/table_memory.h"
#include "symbols/index/segments.h"

#include <stdlib.h>
#include <string.h>

enum {
	RECORD_MAX = 256, /* bytes of a record without texts and rows, with its frame */
	ROW_MAX = 10,     /* bytes of a row */
	PARTS_MAX = 16,   /* records of one range: its size is a claim, and no code has 64 GB */
};

/* A range is written with 32 bits of length, for readers that keep no more. */
#define LENGTH_MAX UINT32_MAX

bool maker_reserve(struct sink *out, size_t more)
{
	return array_grow(&out->data, &out->room, out->size + more, 1);
}

bool maker_table_init(struct maker_table *t, size_t pool)
{
	*t = (struct maker_table){ .pool = pool };
	t->uses = table_memory_new(pool + 1, sizeof(*t->uses));
	t->index = malloc((pool + 1) * sizeof(*t->index));
	t->order = malloc((pool + 1) * sizeof(*t->order));
	if (!t->uses || !t->index || !t->order) {
		maker_table_finish(t);
		return false;
	}
	return true;
}

void maker_table_finish(struct maker_table *t)
{
	free(t->uses);
	free(t->index);
	free(t->order);
	*t = (struct maker_table){ .count = 0 };
}

void maker_table_use(struct maker_table *t, const struct string_pool *pool, uint32_t text)
{
	if (text == MAKER_NONE)
		return;
	INVARIANT(text < pool->count);
	if (t->uses[text]++ == 0) {
		t->index[text] = MAKER_NONE;
		t->order[t->count++] = text;
		t->cost += symbfile_table_cost(string_pool_get(pool, text).size);
	}
}

/* A text of the table to be: by falling use, then by first use. */
struct ranked {
	uint32_t uses, first, text;
};

static int compare_ranked_by_uses(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return ORDER_BY(b->uses, a->uses, ORDER_BY(a->first, b->first, 0));
}

static size_t rank_texts(struct maker_table *t, uint32_t least, struct ranked *ranked)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t text = t->order[i];
		if (t->uses[text] >= least)
			ranked[count++] = (struct ranked){ t->uses[text], (uint32_t)i, text };
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked_by_uses);
	for (size_t i = 0; i < count; i++)
		t->index[ranked[i].text] = (uint32_t)i;
	return count;
}

enum cairn_status maker_table_put(struct maker_table *t, const struct string_pool *pool,
                                  uint32_t least, struct sink *out)
{
	struct ranked *ranked = malloc((t->count + 1) * sizeof(*ranked));
	struct cairn_bytes *texts = malloc((t->count + 1) * sizeof(*texts));
	enum cairn_status status = CAIRN_NO_MEMORY;

	if (ranked && texts && maker_reserve(out, (size_t)t->cost + RECORD_MAX)) {
		size_t count = rank_texts(t, least, ranked);
		for (size_t i = 0; i < count; i++)
			texts[i] = string_pool_get(pool, ranked[i].text);
		status = symbfile_put_table(out, texts, count) == SYMBFILE_VALID
		                 ? CAIRN_OK
		                 : CAIRN_UNSUPPORTED;
	}
	free(ranked);
	free(texts);
	return status;
}

void maker_table_clear(struct maker_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		t->uses[t->order[i]] = 0;
	t->count = 0;
	t->cost = 0;
}

/* While ranges are written. */
struct output {
	struct symbfile_maker *m;
	struct maker_table table;
	struct symbfile_writer writer;
	struct sink *out;
	struct symbfile_row *row; /* of one record */
	size_t row_room;
};

static struct symbfile_text make_symbfile_text(const struct output *o, uint32_t text)
{
	if (text == MAKER_NONE)
		return (struct symbfile_text){ NULL, 0, SYMBFILE_ABSENT };
	if (o->table.index[text] != MAKER_NONE)
		return (struct symbfile_text){ NULL, o->table.index[text], SYMBFILE_REF };
	struct cairn_bytes bytes = string_pool_get(&o->m->pool, text);
	return (struct symbfile_text){ bytes.data, (uint32_t)bytes.size, SYMBFILE_INLINE };
}

/* The rows of a record between two addresses; the first may begin before them. */
static bool cut_rows(struct output *o, const struct maker_row *rows, uint32_t count, uint64_t start,
                     uint64_t end, size_t *kept)
{
	size_t n = 0;

	if (!array_grow(&o->row, &o->row_room, count, sizeof(*o->row)))
		return false;
	for (uint32_t i = 0; i < count && rows[i].va < end; i++) {
		if (n > 0 && rows[i].va <= start)
			n = 0;
		uint64_t offset = rows[i].va > start ? rows[i].va - start : 0;
		o->row[n++] = (struct symbfile_row){ offset, rows[i].line };
	}
	*kept = n;
	return true;
}

static size_t text_size(const struct symbfile_text *text)
{
	return text->kind == SYMBFILE_INLINE ? text->value : 0;
}

static enum cairn_status write_symbfile_range(struct output *o, const struct maker_tree *tree,
                                              const struct maker_record *r, uint64_t start,
                                              uint64_t end)
{
	/* a shard without any row has no array of them */
	const struct maker_row *rows = r->rows > 0 ? o->m->shard[tree->shard]->row + r->row : NULL;
	struct symbfile_line_rows lines = { NULL, 0 };
	struct symbfile_range range = {
		.start = start,
		.length = end - start,
		.depth = r->depth,
		.call_line = r->call_line,
		.function = make_symbfile_text(o, maker_name(o->m, tree, r->name)),
		.file = make_symbfile_text(o, maker_path(o->m, tree, r->file)),
		.call_file = make_symbfile_text(o, maker_path(o->m, tree, r->call_file))
	};

	if (!cut_rows(o, rows, r->rows, start, end, &lines.count))
		return CAIRN_NO_MEMORY;
	lines.row = o->row;
	size_t texts =
		text_size(&range.function) + text_size(&range.file) + text_size(&range.call_file);
	if (!maker_reserve(o->out, RECORD_MAX + texts + lines.count * ROW_MAX))
		return CAIRN_NO_MEMORY;
	if (symbfile_put_range(&o->writer, o->out, &range, &lines) != SYMBFILE_VALID)
		return CAIRN_UNSUPPORTED; /* one function of millions of lines */
	o->m->summary.ranges++;
	o->m->summary.rows += lines.count;
	return CAIRN_OK;
}

static void count_piece(struct output *o, const struct maker_piece *piece)
{
	const struct maker_record *record = tree_records(o->m, piece->tree);

	for (uint32_t i = 0; i < piece->tree->records; i++) {
		const struct maker_record *r = &record[i];
		if (r->end <= piece->start || r->start >= piece->end)
			continue;
		maker_table_use(&o->table, &o->m->pool, maker_name(o->m, piece->tree, r->name));
		maker_table_use(&o->table, &o->m->pool, maker_path(o->m, piece->tree, r->file));
		maker_table_use(&o->table, &o->m->pool,
		                maker_path(o->m, piece->tree, r->call_file));
	}
}

/* The records of a tree between two addresses, cut there. */
static enum cairn_status write_tree_part(struct output *o, const struct maker_tree *tree,
                                         uint64_t start, uint64_t end)
{
	const struct maker_record *record = tree_records(o->m, tree);
	enum cairn_status status = CAIRN_OK;

	for (uint32_t i = 0; i < tree->records && status == CAIRN_OK; i++) {
		const struct maker_record *r = &record[i];
		uint64_t low = r->start > start ? r->start : start;
		uint64_t high = r->end < end ? r->end : end;
		if (low < high)
			status = write_symbfile_range(o, tree, r, low, high);
	}
	return status;
}

static enum cairn_status write_made_piece(struct output *o, const struct maker_piece *piece)
{
	enum cairn_status status = CAIRN_OK;
	uint64_t at = piece->start;

	for (unsigned i = 0; i < PARTS_MAX && at < piece->end && status == CAIRN_OK; i++) {
		uint64_t left = piece->end - at, part = left < LENGTH_MAX ? left : LENGTH_MAX;
		status = write_tree_part(o, piece->tree, at, at + part);
		at += part;
	}
	o->m->summary.too_long += at < piece->end;
	return status;
}

/* One window: as many pieces as the table has room for; gives the first that is left. */
static enum cairn_status write_piece_window(struct output *o, size_t *at)
{
	size_t first = *at, end = first;
	enum cairn_status status;

	maker_table_clear(&o->table);
	while (end < o->m->pieces && (end == first || o->table.cost < MAKER_TABLE_MAX))
		count_piece(o, &o->m->piece[end++]);
	status = maker_table_put(&o->table, &o->m->pool, 2, o->out);
	for (size_t i = first; i < end && status == CAIRN_OK; i++)
		status = write_made_piece(o, &o->m->piece[i]);
	*at = end;
	return status;
}

enum cairn_status symbfile_maker_ranges(struct symbfile_maker *m, struct sink *file)
{
	struct output o = { .m = m, .out = file };
	enum cairn_status status = CAIRN_OK;

	*file = sink_open(NULL, 0);
	if (!maker_table_init(&o.table, m->pool.count) || !maker_reserve(file, RECORD_MAX)) {
		maker_table_finish(&o.table);
		return CAIRN_NO_MEMORY;
	}
	symbfile_put_start(file);
	for (size_t at = 0; at < m->pieces && status == CAIRN_OK;)
		status = write_piece_window(&o, &at);
	maker_table_finish(&o.table);
	free(o.row);
	if (status != CAIRN_OK) {
		free(file->data);
		file->data = NULL;
	}
	return status;
}
