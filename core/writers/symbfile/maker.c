/* SPDX-License-Identifier: MIT */
/*
 * Collects functions for symbfiles. Each thread converts its functions to trees of range records in
 * a separate shard. Afterwards, repeated functions are removed, the strings from all shards are
 * merged, and each address is assigned to one tree.
 */
#include "maker.h"
#include "trees.h"

#include "base/hash.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "symbols/index_segments.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_CAPACITY = 8192 }; /* maximum path length; longer paths are truncated */

static size_t find_seen(struct cairn_bytes text)
{
	return ((uintptr_t)text.data ^ (uintptr_t)text.data >> 16) % MAKER_SEEN;
}

/*
 * Return the index of a string in the shard's pool. A cache of string addresses avoids hashing the
 * string again.
 */
static uint32_t shard_text(struct symbfile_shard *shard, struct cairn_bytes text)
{
	size_t at = find_seen(text);
	struct maker_seen_text *seen = &shard->seen[at];
	bool *written = &shard->seen_written[at / MAKER_SEEN_PART];

	if (*written && text.size > 0 && seen->data == text.data && seen->size == text.size)
		return seen->number;
	uint32_t number = string_pool_add(&shard->pool, text);
	if (number == STRING_POOL_FULL) {
		shard->out_of_memory = true;
		return 0;
	}
	*seen = (struct maker_seen_text){ text.data, text.size, number };
	*written = true;
	return number;
}

static uint32_t intern_path(struct symbfile_shard *shard, const struct function_file *file)
{
	char path[PATH_CAPACITY];
	struct cairn_location location = { .directory = file->directory, .file = file->name };
	size_t size = cairn_location_path(&location, path, sizeof(path));

	if (size >= sizeof(path))
		size = sizeof(path) - 1;
	uint32_t number =
		string_pool_add(&shard->pool, (struct cairn_bytes){ (const uint8_t *)path, size });
	shard->out_of_memory |= number == STRING_POOL_FULL;
	return number;
}

static uint32_t shard_file(struct symbfile_shard *shard, const struct function *function,
                           uint32_t file)
{
	static const struct function_file none = { { (const uint8_t *)"", 0 },
		                                   { (const uint8_t *)"", 0 } };

	/*
	 * Store an empty string for an unknown file. Without a string, readers would use the
	 * enclosing frame's file.
	 */
	if (file == 0 || file >= function->file_count)
		return intern_path(shard, &none);
	if (!file_map_begin(&shard->file, function)) {
		shard->out_of_memory = true;
		return 0;
	}
	uint32_t *path = &shard->file.number[file];
	if (*path == FILE_MAP_NONE)
		*path = intern_path(shard, &function->files[file]);
	return *path;
}

/*
 * Converts a function to a tree of range records. The function is walked from its first address to
 * its last, with a stack of the inlined calls that contain the current address. The start of a call
 * opens a record, and its end closes the record. A line row belongs to the innermost record. If the
 * rows change to another file, the innermost record is closed and another one is opened for the
 * same function, which loses nothing because no calls are open inside it.
 */
struct stretch {
	uint64_t low, high;
	uint32_t call;
};

struct holder {
	uint64_t high;
	uint32_t call; /* index of the inlined call, plus 1; 0 is the function itself */
	size_t record;
	bool has_file;
	uint32_t file;
	bool has_row;
	uint32_t line;
};

struct owned_row {
	uint64_t va;
	uint32_t record, line;
};

struct flatten {
	struct stretch *stretch;
	size_t stretches, stretch_capacity;
	struct stretch *spare;
	size_t spare_capacity;
	uint32_t *around; /* for each call, index + 1 of the enclosing call, or 0 */
	size_t around_capacity;
	struct owned_row *row;
	size_t rows, row_capacity;
	struct holder holder[MAKER_DEPTH_MAX + 1];
	unsigned depth;
	size_t next_row, next_stretch;
};

static void flatten_free(struct flatten *flatten)
{
	if (!flatten)
		return;
	free(flatten->stretch);
	free(flatten->spare);
	free(flatten->around);
	free(flatten->row);
	free(flatten);
}

/*
 * Order ranges of inlined calls by start. Among equal starts, the range of the outer call sorts
 * first, because calls are numbered in pre-order.
 */
static bool is_before(const struct stretch *a, const struct stretch *b)
{
	return a->low != b->low ? a->low < b->low : a->call < b->call;
}

static void insert_stretches(struct stretch *stretch, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct stretch held = stretch[i];
		size_t at = i;
		for (; at > 0 && is_before(&held, &stretch[at - 1]); at--)
			stretch[at] = stretch[at - 1];
		stretch[at] = held;
	}
}

/*
 * Merge two adjacent sorted runs, the first of which has `first` elements. `spare` must have room
 * for that run.
 */
static void merge_stretches(struct stretch *stretch, size_t first, size_t count,
                            struct stretch *spare)
{
	const struct stretch *left = spare, *right = stretch + first;
	size_t at = 0;

	/* skip the beginning of the first run, which is already in place */
	while (at < first && !is_before(right, &stretch[at]))
		at++;
	const struct stretch *left_end = spare + (first - at), *right_end = stretch + count;
	memcpy(spare, stretch + at, (first - at) * sizeof(*spare));
	while (left < left_end)
		stretch[at++] = right < right_end && is_before(right, left) ? *right++ : *left++;
}

/* Sort by merging, because the ranges of each call are already sorted. The sort is stable. */
static bool sort_stretches(struct flatten *f)
{
	/* maximum size of runs for which insertion sort is faster */
	enum { BLOCK = 16 };
	struct stretch *stretch = f->stretch;
	size_t count = f->stretches;

	if (!array_grow(&f->spare, &f->spare_capacity, count, sizeof(*f->spare)))
		return false;
	for (size_t at = 0; at < count; at += BLOCK)
		insert_stretches(stretch + at, count - at < BLOCK ? count - at : BLOCK);
	for (size_t size = BLOCK; size < count; size *= 2)
		for (size_t at = 0; at < count && count - at > size; at += 2 * size) {
			size_t both = count - at < 2 * size ? count - at : 2 * size;
			merge_stretches(stretch + at, size, both, f->spare);
		}
	return true;
}

static bool load_stretches(struct symbfile_shard *shard, const struct function *function)
{
	struct flatten *f = shard->flatten;
	bool sorted = true;

	f->stretches = 0;
	if (!array_grow(&f->around, &f->around_capacity, function->inline_count,
	                sizeof(*f->around)))
		return false;
	function_find_around(function->inlines, function->inline_count, f->around);
	for (size_t i = 0; i < function->inline_count; i++) {
		const struct function_inline *call = &function->inlines[i];
		if (call->depth > MAKER_DEPTH_MAX) {
			shard->too_deep++;
			continue;
		}
		if (!array_grow(&f->stretch, &f->stretch_capacity, f->stretches + call->ranges,
		                sizeof(*f->stretch)))
			return false;
		memory_soon(&shard->seen[find_seen(call->name)], 0);
		for (uint32_t r = 0; r < call->ranges; r++) {
			const struct cairn_range *range = &function->range[call->range + r];
			f->stretch[f->stretches] =
				(struct stretch){ range->low, range->high, (uint32_t)i };
			sorted &=
				f->stretches == 0 || f->stretch[f->stretches - 1].low <= range->low;
			f->stretches++;
		}
	}
	return sorted || sort_stretches(f);
}

static bool open_record(struct symbfile_shard *shard, const struct function *function,
                        struct holder *h, uint64_t at)
{
	struct flatten *f = shard->flatten;
	struct maker_record record = { .start = at,
		                       .end = at,
		                       .file = MAKER_NONE,
		                       .call_file = MAKER_NONE,
		                       .depth = (uint32_t)(h - f->holder) };

	if (h->call == 0) {
		record.name = shard_text(shard, function->name);
	} else {
		const struct function_inline *call = &function->inlines[h->call - 1];
		record.name = shard_text(shard, call->name);
		record.call_file = shard_file(shard, function, call->call_file);
		record.call_line = call->call_line;
	}
	if (!array_grow(&shard->record, &shard->record_capacity, shard->records + 1,
	                sizeof(*shard->record)))
		return false;
	h->record = shard->records;
	h->has_file = h->has_row = false;
	shard->record[shard->records++] = record;
	return true;
}

static void close_records(struct symbfile_shard *shard, unsigned depth, uint64_t at)
{
	struct flatten *f = shard->flatten;

	for (unsigned i = depth; i <= f->depth; i++)
		shard->record[f->holder[i].record].end = at;
}

static bool append_owned_row(struct symbfile_shard *shard, struct holder *h, uint64_t at,
                             uint32_t line)
{
	struct flatten *f = shard->flatten;

	/* a row without a line would add nothing to a record without rows */
	if (h->has_row ? h->line == line : line == 0)
		return true;
	if (!ARRAY_APPEND(
		    f->row, f->rows, f->row_capacity,
		    (struct owned_row){
			    at, (uint32_t)(h->record - shard->tree[shard->trees].record), line }))
		return false;
	h->has_row = true;
	h->line = line;
	return true;
}

/*
 * Add the row that covers `at` to the innermost record. If the row has a different file, first
 * close that record and open another one for the same function.
 */
static bool assign_row(struct symbfile_shard *shard, const struct function *function, uint64_t at)
{
	struct flatten *f = shard->flatten;
	struct holder *h = &f->holder[f->depth];

	while (f->next_row < function->row_count && function->rows[f->next_row].va <= at)
		f->next_row++;
	if (f->next_row == 0)
		return true;
	const struct function_row *row = &function->rows[f->next_row - 1];
	if (row->line == 0)
		return append_owned_row(shard, h, at, 0);
	if (h->has_file && h->file != row->file) {
		close_records(shard, f->depth, at);
		if (!open_record(shard, function, h, at))
			return false;
	}
	if (!h->has_file) {
		h->has_file = true;
		h->file = row->file;
		shard->record[h->record].file = shard_file(shard, function, row->file);
	}
	return append_owned_row(shard, h, at, row->line);
}

static bool open_starting_calls(struct symbfile_shard *shard, const struct function *function,
                                uint64_t at)
{
	struct flatten *f = shard->flatten;

	for (; f->next_stretch < f->stretches && f->stretch[f->next_stretch].low <= at;
	     f->next_stretch++) {
		const struct stretch *s = &f->stretch[f->next_stretch];
		unsigned depth = f->depth;
		while (depth > 0 && f->holder[depth].call != f->around[s->call])
			depth--;
		if (f->holder[depth].call != f->around[s->call] || s->high <= at)
			continue;
		if (depth < f->depth) {
			close_records(shard, depth + 1, at);
			f->depth = depth;
		}
		struct holder *h = &f->holder[++f->depth];
		h->call = s->call + 1;
		h->high = s->high < (h - 1)->high ? s->high : (h - 1)->high;
		if (!open_record(shard, function, h, at))
			return false;
	}
	return true;
}

static void close_ended_calls(struct symbfile_shard *shard, uint64_t at)
{
	struct flatten *f = shard->flatten;
	unsigned depth = f->depth;

	while (depth > 0 && f->holder[depth].high <= at)
		depth--;
	if (depth < f->depth)
		close_records(shard, depth + 1, at);
	f->depth = depth;
}

static uint64_t next_change(const struct flatten *f, const struct function *function, uint64_t end)
{
	uint64_t next = f->holder[f->depth].high;

	if (f->next_row < function->row_count && function->rows[f->next_row].va < next)
		next = function->rows[f->next_row].va;
	if (f->next_stretch < f->stretches && f->stretch[f->next_stretch].low < next)
		next = f->stretch[f->next_stretch].low;
	return next < end ? next : end;
}

static bool flatten_stretches(struct symbfile_shard *shard, const struct function *function,
                              uint64_t end)
{
	struct flatten *f = shard->flatten;
	uint64_t at = function->start;

	f->holder[0] = (struct holder){ .high = end };
	f->depth = 0;
	f->rows = f->next_row = f->next_stretch = 0;
	if (!open_record(shard, function, &f->holder[0], at))
		return false;
	while (at < end) {
		close_ended_calls(shard, at);
		if (!open_starting_calls(shard, function, at) || !assign_row(shard, function, at))
			return false;
		at = next_change(f, function, end);
	}
	close_records(shard, 0, end);
	return true;
}

static bool group_rows(struct symbfile_shard *shard, struct maker_tree *tree)
{
	struct flatten *f = shard->flatten;
	struct maker_record *record = shard->record + tree->record;
	uint64_t at = shard->rows;

	if (!array_grow(&shard->row, &shard->row_capacity, shard->rows + f->rows,
	                sizeof(*shard->row)))
		return false;
	for (size_t i = 0; i < f->rows; i++)
		record[f->row[i].record].rows++;
	for (uint32_t i = 0; i < tree->records; i++) {
		record[i].row = at;
		at += record[i].rows;
		record[i].rows = 0;
	}
	for (size_t i = 0; i < f->rows; i++) {
		struct maker_record *r = &record[f->row[i].record];
		shard->row[r->row + r->rows++] = (struct maker_row){ f->row[i].va, f->row[i].line };
	}
	shard->rows = (size_t)at;
	return true;
}

static bool flatten_function(struct symbfile_shard *shard, const struct function *function)
{
	uint64_t end = function->start + function->size;

	if (!array_grow(&shard->tree, &shard->tree_capacity, shard->trees + 1,
	                sizeof(*shard->tree)))
		return false;
	struct maker_tree *tree = &shard->tree[shard->trees];
	*tree = (struct maker_tree){ .start = function->start,
		                     .end = end,
		                     .unit = shard->unit,
		                     .order = shard->order++,
		                     .shard = shard->number,
		                     .source = (uint8_t)function->source,
		                     .record = shard->records };
	if (!load_stretches(shard, function) || !flatten_stretches(shard, function, end))
		return false;
	tree->records = (uint32_t)(shard->records - tree->record);
	if (!group_rows(shard, tree))
		return false;
	shard->trees++;
	return true;
}

/*
 * Assigns addresses to trees (functions with their inlined calls). Functions from debugging
 * information come first: a sweep over the addresses keeps a stack of the trees that have begun but
 * not ended. If trees overlap, an address belongs to the tree with the highest start or, among
 * equal starts, to the tree that comes first in the input. Symbols are added last, unless they
 * overlap addresses already assigned to a tree.
 */

/*
 * Compare by start. Among equal starts, the tree that takes precedence is sorted last, so that it
 * ends up on top of the stack.
 */
static int compare_trees(const void *left, const void *right)
{
	const struct maker_tree *a = *(const struct maker_tree *const *)left;
	const struct maker_tree *b = *(const struct maker_tree *const *)right;

	return ORDER_BY(a->start, b->start,
	                ORDER_BY(b->source, a->source,
	                         ORDER_BY(b->unit, a->unit, ORDER_BY(b->order, a->order, 0))));
}

/*
 * Extend each symbol without a size to the start of the next symbol, or drop it if no symbol
 * follows. Returns the number of remaining symbol trees.
 */
static size_t size_symbol_trees(struct symbfile_maker *m, struct maker_tree **tree, size_t count)
{
	uint64_t next = 0, start = 0;
	bool has_next = false;
	size_t kept = count;

	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && tree[i]->start != start) {
			next = start;
			has_next = true;
		}
		start = tree[i]->start;
		if (tree[i]->end != tree[i]->start)
			continue;
		if (!has_next)
			continue;
		tree[i]->end = next;
		struct maker_record *record = m->shard[tree[i]->shard]->record + tree[i]->record;
		for (uint32_t r = 0; r < tree[i]->records; r++)
			record[r].end = next;
	}
	kept = 0;
	for (size_t i = 0; i < count; i++)
		if (tree[i]->end != tree[i]->start)
			tree[kept++] = tree[i];
	m->summary.sizeless += count - kept;
	return kept;
}

static bool append_tree_piece(struct symbfile_maker *m, const struct maker_tree *tree,
                              uint64_t start, uint64_t end)
{
	struct maker_piece *last = m->pieces ? &m->piece[m->pieces - 1] : NULL;

	if (last && last->tree == tree && last->end == start) {
		last->end = end;
		return true;
	}
	return ARRAY_APPEND(m->piece, m->pieces, m->piece_capacity,
	                    (struct maker_piece){ start, end, tree });
}

/* Assign addresses to trees. `stack` must have room for `count` trees. */
static bool sweep_trees(struct symbfile_maker *m, struct maker_tree **tree, size_t count,
                        struct maker_tree **stack)
{
	size_t depth = 0, next = 0;
	uint64_t at = 0;

	while (next < count || depth > 0) {
		while (depth > 0 && stack[depth - 1]->end <= at)
			depth--;
		if (depth == 0 && next < count && tree[next]->start > at)
			at = tree[next]->start;
		while (next < count && tree[next]->start <= at)
			stack[depth++] = tree[next++];
		while (depth > 0 && stack[depth - 1]->end <= at)
			depth--;
		if (depth == 0)
			continue;
		uint64_t end = stack[depth - 1]->end;
		if (next < count && tree[next]->start < end)
			end = tree[next]->start;
		if (!append_tree_piece(m, stack[depth - 1], at, end))
			return false;
		at = end;
	}
	return true;
}

/*
 * Remove symbols that overlap a piece of code already assigned to a tree. Both arrays are sorted.
 */
static size_t drop_covered(struct symbfile_maker *m, struct maker_tree **tree, size_t count)
{
	size_t kept = 0, piece = 0;

	for (size_t i = 0; i < count; i++) {
		while (piece < m->pieces && m->piece[piece].end <= tree[i]->start)
			piece++;
		if (tree[i]->source == FUNCTION_SYMBOL && piece < m->pieces &&
		    m->piece[piece].start < tree[i]->end)
			m->summary.covered++;
		else
			tree[kept++] = tree[i];
	}
	return kept;
}

static enum cairn_status arrange_trees(struct symbfile_maker *m, struct maker_tree **tree,
                                       size_t count, struct maker_tree **scratch)
{
	struct maker_tree **debug = scratch + count;

	qsort(tree, count, sizeof(*tree), compare_trees);
	count = size_symbol_trees(m, tree, count);
	size_t debugs = 0;
	for (size_t i = 0; i < count; i++)
		if (tree[i]->source == FUNCTION_DEBUG)
			debug[debugs++] = tree[i];
	if (!sweep_trees(m, debug, debugs, scratch))
		return CAIRN_NO_MEMORY;
	if (debugs == count)
		return CAIRN_OK;
	count = drop_covered(m, tree, count);
	m->pieces = 0;
	return sweep_trees(m, tree, count, scratch) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

/* Count each tree once, by the piece at its start. */
static void count_functions(struct symbfile_maker *m, size_t trees)
{
	uint64_t written = 0;

	for (size_t i = 0; i < m->pieces; i++) {
		const struct maker_tree *tree = m->piece[i].tree;
		bool first = m->piece[i].start == tree->start;
		written += first;
		m->summary.symbols += first && tree->source == FUNCTION_SYMBOL;
	}
	m->summary.functions = written;
	m->summary.repeated += trees - written - m->summary.covered - m->summary.sizeless;
}

static enum cairn_status arrange_pieces(struct symbfile_maker *m)
{
	size_t count = 0;

	for (unsigned i = 0; i < m->shards; i++)
		count += m->shard[i]->trees;
	struct maker_tree **tree = malloc((count + 1) * 3 * sizeof(struct maker_tree *));
	if (!tree)
		return CAIRN_NO_MEMORY;
	size_t at = 0;
	for (unsigned i = 0; i < m->shards; i++)
		for (size_t t = 0; t < m->shard[i]->trees; t++)
			tree[at++] = &m->shard[i]->tree[t];
	enum cairn_status status = arrange_trees(m, tree, count, tree + count);
	free(tree);
	if (status == CAIRN_OK)
		count_functions(m, count);
	return status;
}

struct symbfile_maker *symbfile_maker_new(void)
{
	return calloc(1, sizeof(struct symbfile_maker));
}

static void shard_free(struct symbfile_shard *shard)
{
	string_pool_finish(&shard->pool);
	free(shard->tree);
	free(shard->record);
	free(shard->row);
	file_map_finish(&shard->file);
	free(shard->at_start);
	flatten_free(shard->flatten);
	free(shard);
}

void symbfile_maker_free(struct symbfile_maker *maker)
{
	if (!maker)
		return;
	for (unsigned i = 0; i < maker->shards; i++) {
		shard_free(maker->shard[i]);
		free(maker->map[i]);
		free(maker->path[i]);
	}
	string_pool_finish(&maker->pool);
	free(maker->piece);
	free(maker);
}

struct symbfile_shard *symbfile_maker_shard(struct symbfile_maker *maker)
{
	if (maker->shards == MAKER_THREADS_MAX)
		return NULL;
	struct symbfile_shard *shard = calloc(1, sizeof(*shard));
	if (!shard)
		return NULL;
	shard->flatten = calloc(1, sizeof(*shard->flatten));
	if (!shard->flatten) {
		free(shard);
		return NULL;
	}
	shard->number = (uint16_t)maker->shards;
	maker->shard[maker->shards++] = shard;
	return shard;
}

struct symbfile_shard *symbfile_maker_thread(struct symbfile_maker *maker, unsigned thread)
{
	INVARIANT(thread < maker->shards);
	return maker->shard[thread];
}

void symbfile_shard_unit(struct symbfile_shard *shard, uint32_t unit)
{
	shard->unit = unit;
	shard->order = 0;
}

static uint32_t *find_start(const struct symbfile_shard *shard, uint64_t start)
{
	size_t at = (size_t)hash_number(start, shard->at_start);

	for (;; at++) {
		uint32_t *slot = &shard->at_start[at & (shard->starts - 1)];
		if (*slot == 0 || shard->tree[*slot - 1].start == start)
			return slot;
	}
}

static bool grow_starts(struct symbfile_shard *shard)
{
	enum { FIRST = 1 << 10 };
	size_t starts = shard->starts ? shard->starts * 2 : FIRST;
	uint32_t *grown = table_memory_new(starts, sizeof(*grown));

	if (!grown)
		return false;
	free(shard->at_start);
	shard->at_start = grown;
	shard->starts = starts;
	for (size_t i = 0; i < shard->trees; i++) {
		uint32_t *slot = find_start(shard, shard->tree[i].start);
		if (*slot == 0)
			*slot = (uint32_t)i + 1;
	}
	return true;
}

/*
 * Return true if an earlier function in this shard covers the function completely. Most such
 * functions are repeated in several units, like template instances. arrange_pieces() removes the
 * other repetitions.
 */
static bool is_repeated(const struct symbfile_shard *shard, const struct function *function)
{
	uint32_t slot = shard->starts ? *find_start(shard, function->start) : 0;
	const struct maker_tree *tree = slot ? &shard->tree[slot - 1] : NULL;

	return tree && function->size > 0 && tree->source == function->source &&
	       tree->unit <= shard->unit && function->size <= tree->end - tree->start;
}

static enum cairn_status receive_symbfile_function(void *context, const struct function *function)
{
	struct symbfile_shard *shard = context;

	if (function->name.size == 0) {
		shard->nameless++;
		return CAIRN_OK;
	}
	if (is_repeated(shard, function)) {
		shard->order++;
		shard->repeated++;
		return CAIRN_OK;
	}
	if (shard->trees >= shard->starts / 2 && !grow_starts(shard))
		return CAIRN_NO_MEMORY;
	if (!flatten_function(shard, function) || shard->out_of_memory)
		return CAIRN_NO_MEMORY;
	uint32_t *slot = find_start(shard, function->start);
	if (*slot == 0)
		*slot = (uint32_t)shard->trees;
	return CAIRN_OK;
}

struct function_sink symbfile_shard_sink(struct symbfile_shard *shard)
{
	return (struct function_sink){ receive_symbfile_function, shard };
}

/*
 * Add a string, replacing invalid UTF-8. Symbol and file names may contain any bytes, and a path
 * may be truncated within a character, but readers stop reading the file at the first invalid
 * string.
 */
static uint32_t intern_as_utf8(struct string_pool *pool, struct cairn_bytes text)
{
	if (utf8_is_valid(text))
		return string_pool_add(pool, text);
	if (text.size > SIZE_MAX / UTF8_GROWTH)
		return STRING_POOL_FULL;
	uint8_t *memory = malloc(text.size * UTF8_GROWTH);
	if (!memory)
		return STRING_POOL_FULL;
	struct sink sound = sink_open(memory, text.size * UTF8_GROWTH);
	utf8_put_repaired(&sound, text);
	uint32_t number = string_pool_add(pool, (struct cairn_bytes){ memory, sound.size });
	free(memory);
	return number;
}

/*
 * Map the strings of a shard to the maker's pool. Names are converted with `names`, paths are
 * not.
 */
static bool map_texts(struct symbfile_maker *m, unsigned shard, const struct symbfile_names *names)
{
	const struct string_pool *pool = &m->shard[shard]->pool;
	size_t size = (pool->count + 1) * sizeof(uint32_t);

	m->map[shard] = malloc(size);
	m->path[shard] = malloc(size);
	if (!m->map[shard] || !m->path[shard])
		return false;
	/*
	 * set all elements to MAKER_NONE; strings are mapped when they are first used as a name or
	 * path
	 */
	memset(m->map[shard], 0xff, size);
	memset(m->path[shard], 0xff, size);
	for (size_t i = 0; i < m->shard[shard]->records; i++) {
		const struct maker_record *r = &m->shard[shard]->record[i];
		if (m->map[shard][r->name] == MAKER_NONE) {
			struct cairn_bytes name = string_pool_get(pool, r->name);
			if (names)
				name = names->name(names->context, name);
			m->map[shard][r->name] = intern_as_utf8(&m->pool, name);
		}
		uint32_t paths[] = { r->file, r->call_file };
		if (m->map[shard][r->name] == STRING_POOL_FULL)
			return false;
		for (size_t p = 0; p < 2; p++) {
			if (paths[p] == MAKER_NONE || m->path[shard][paths[p]] != MAKER_NONE)
				continue;
			uint32_t path = intern_as_utf8(&m->pool, string_pool_get(pool, paths[p]));
			if (path == STRING_POOL_FULL)
				return false;
			m->path[shard][paths[p]] = path;
		}
	}
	return true;
}

enum cairn_status symbfile_maker_arrange(struct symbfile_maker *maker,
                                         const struct symbfile_names *names)
{
	for (unsigned i = 0; i < maker->shards; i++) {
		maker->summary.nameless += maker->shard[i]->nameless;
		maker->summary.too_deep += maker->shard[i]->too_deep;
		maker->summary.repeated += maker->shard[i]->repeated;
		if (maker->shard[i]->out_of_memory || !map_texts(maker, i, names))
			return CAIRN_NO_MEMORY;
	}
	enum cairn_status status = arrange_pieces(maker);
	if (status == CAIRN_OK && maker->pieces == 0)
		status = CAIRN_NOT_FOUND;
	return status;
}

void symbfile_maker_summary(const struct symbfile_maker *maker,
                            struct cairn_symbfile_summary *summary)
{
	*summary = maker->summary;
}
