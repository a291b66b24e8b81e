/* SPDX-License-Identifier: MIT */
/* Collects and sorts the functions in SFrame sections, and copies them row by row. */
#include "gather.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

enum { BLOCK_ROWS_MAX = UINT8_MAX }; /* a repeating block has at most one row per byte */
struct sframe_copy {
	struct sframe_draft *draft;
	struct cairn_sframe_file *made;
	/* number of rows that may still be read; limited because functions can share rows */
	struct allowance rows;
};

struct copied {
	const struct sframe_table *table;
	const struct sframe_function *function;
	uint64_t start;
	uint32_t size;
};

static void leave_out_code(struct sframe_copy *copy, enum cairn_sframe_loss loss, uint64_t size)
{
	copy->made->described += size;
	copy->made->left_out[loss] += size;
}

static void lose_rest(struct sframe_copy *copy, const struct cairn_fault *fault, uint64_t size)
{
	sframe_work_damage(copy->made, fault);
	leave_out_code(copy, CAIRN_SFRAME_LOSS_DAMAGED, size);
}

static void count_added(struct sframe_copy *copy, bool added, uint64_t size)
{
	if (!added) {
		leave_out_code(copy, CAIRN_SFRAME_LOSS_DISTANCE, size);
		return;
	}
	copy->made->described += size;
	copy->made->written += size;
}

/*
 * Convert a row. Returns false and sets *loss to the reason if the rule is unreadable or cannot be
 * expressed in the new table.
 */
static bool take_row(struct sframe_copy *copy, const struct copied *c, const struct sframe_row *row,
                     struct sframe_written_row *out, enum cairn_sframe_loss *loss)
{
	struct cairn_fault fault;
	struct cairn_rule rule;

	if (sframe_rule(c->table, c->function, row, &rule, &fault) != CAIRN_OK) {
		sframe_work_damage(copy->made, &fault);
		*loss = CAIRN_SFRAME_LOSS_DAMAGED;
		return false;
	}
	sframe_correct_rule(c->table, c->function, row, &rule);
	*out = (struct sframe_written_row){ row->start, rule.outermost, rule.mangled,
		                            rule.cfa,   rule.ra,        rule.fp };
	const enum sframe_refusal refusal = sframe_write_refusal(&copy->draft->format, out);
	*loss = places_name_refusal(refusal);
	return refusal == SFRAME_REFUSAL_NONE;
}

static bool read_row(struct sframe_copy *copy, struct sframe_rows *rows, struct sframe_row *row)
{
	if (!allowance_draw(&copy->rows, 1)) {
		rows->fault = (struct cairn_fault){ CAIRN_UNSUPPORTED, rows->table->offset,
			                            "functions share their rows too often" };
		rows->left = 0;
		return false;
	}
	return sframe_next_row(rows, row);
}

static void copy_row(struct sframe_copy *copy, const struct copied *c, const struct sframe_row *row,
                     uint32_t end)
{
	struct places places = { .rows = 1 };
	enum cairn_sframe_loss loss;

	if (!take_row(copy, c, row, &places.row[0], &loss))
		leave_out_code(copy, loss, end - row->start);
	else
		count_added(copy,
		            sframe_draft_add(copy->draft, c->start + row->start, c->start + end,
		                             &places),
		            end - row->start);
}

/*
 * Copy all rows. As in lookups, the last of several rows with the same start is used, and rows past
 * the end of the function are ignored.
 */
static void copy_rows(struct sframe_copy *copy, const struct copied *c)
{
	struct sframe_rows rows = sframe_rows(c->table, c->function);
	struct sframe_row row, next = { .start = 0 };
	uint32_t reached = 0;
	bool more = read_row(copy, &rows, &row);

	while (more) {
		more = read_row(copy, &rows, &next);
		/*
		 * the start of the next row, once read, ends this row even if the next row is
		 * damaged
		 */
		const uint32_t end = more                            ? next.start
		                     : rows.fault.status == CAIRN_OK ? c->size
		                     : rows.previous > row.start     ? rows.previous
		                                                     : row.start;
		reached = end < c->size ? end : c->size;
		if (row.start < reached)
			copy_row(copy, c, &row, reached);
		row = next;
	}
	if (rows.fault.status != CAIRN_OK)
		lose_rest(copy, &rows.fault, c->size - reached);
}

/*
 * Return true if readers would mistake the copied block for one that GNU ld is known to write
 * incorrectly, and would change its rule (see sframe_correct_rule()). Readers recognize such a
 * block by its single row. A block that has more rows in the original than in the copy was
 * therefore read without that change.
 */
static bool is_taken_for_wrong(const struct copied *c, const struct sframe_written_row *row,
                               uint32_t count)
{
	const struct sframe_row first = { .start = row->start };
	struct cairn_rule rule = { .cfa = row->cfa };
	struct sframe_function alone = *c->function;

	alone.rows = count;
	if (count == c->function->rows || row->outermost)
		return false;
	sframe_correct_rule(c->table, &alone, &first, &rule);
	return rule.patched;
}

static void copy_block(struct sframe_copy *copy, const struct copied *c)
{
	struct sframe_rows rows = sframe_rows(c->table, c->function);
	struct sframe_written_row block[BLOCK_ROWS_MAX];
	enum cairn_sframe_loss loss;
	struct sframe_row row;
	uint32_t count = 0;

	while (read_row(copy, &rows, &row) && row.start < c->function->repeat) {
		if (count > 0 && block[count - 1].start == row.start)
			count--;
		if (!take_row(copy, c, &row, &block[count++], &loss)) {
			leave_out_code(copy, loss, c->size);
			return;
		}
	}
	if (rows.fault.status != CAIRN_OK)
		lose_rest(copy, &rows.fault, c->size);
	else if (count > 0 && is_taken_for_wrong(c, &block[0], count))
		leave_out_code(copy, CAIRN_SFRAME_LOSS_CFA, c->size);
	else if (count > 0)
		count_added(copy,
		            sframe_draft_add_block(copy->draft, c->start, c->start + c->size,
		                                   c->function->repeat, block, count),
		            c->size);
}

/*
 * Copy a function without rows, which is meaningful only in version 3. In older versions, lookups
 * in such a function find nothing.
 */
static void copy_rowless(struct sframe_copy *copy, const struct copied *c)
{
	if (!c->table->layout->outermost)
		return;
	if (!sframe_layout(copy->draft->format.version)->outermost)
		leave_out_code(copy,
		               c->function->signal ? CAIRN_SFRAME_LOSS_SIGNAL
		                                   : CAIRN_SFRAME_LOSS_OUTERMOST,
		               c->size);
	else
		count_added(copy,
		            sframe_draft_add_rowless(copy->draft, c->start, c->start + c->size),
		            c->size);
}

/*
 * Copy the first `size` bytes of a function. `start` is its va, which may differ from the address
 * in its table.
 */
static void sframe_copy_function(struct sframe_copy *copy, const struct sframe_table *table,
                                 uint32_t index, uint64_t start, uint32_t size)
{
	struct sframe_function f;
	struct cairn_fault fault;
	const struct copied copied = { table, &f, start, size };

	if (sframe_function(table, index, &f, &fault) != CAIRN_OK) {
		lose_rest(copy, &fault, size);
		return;
	}
	sframe_draft_begin(copy->draft, f.signal, f.key_b);
	if (f.rows == 0)
		copy_rowless(copy, &copied);
	else if (f.signal && !sframe_layout(copy->draft->format.version)->signal)
		leave_out_code(copy, CAIRN_SFRAME_LOSS_SIGNAL, size);
	else if (f.masked)
		copy_block(copy, &copied);
	else
		copy_rows(copy, &copied);
	sframe_draft_end(copy->draft);
}

enum {
	POLL_FUNCTIONS = 1 << 10,
	ROWS_LEAST = 1 << 16,
	/*
	 * maximum number of rows: ROWS_TIMES per byte of row data, plus ROWS_LEAST; more rows than
	 * bytes are possible because functions can share rows
	 */
	ROWS_TIMES = 4,
};

static bool list_table(struct sframe_gathering *all, uint32_t number,
                       bool (*place)(const void *context, uint64_t *start, uint32_t size),
                       const void *context)
{
	const uint32_t section = (uint32_t)all->sections - 1;
	const struct sframe_table *table = &all->section[section].tables[number];

	all->row_bytes += table->rows_size;
	for (uint32_t i = 0; i < table->functions; i++) {
		struct sframe_gathered f = { .section = section, .table = number, .index = i };
		sframe_extent(table, i, &f.start, &f.size);
		if (f.size == 0)
			continue;
		all->functions++;
		if (!sframe_is_placed(table, f.start) ||
		    (place && !place(context, &f.start, f.size))) {
			all->discarded++;
			all->discarded_code += f.size;
		} else if (!ARRAY_APPEND(all->list, all->count, all->capacity, f)) {
			return false;
		}
	}
	return true;
}

bool sframe_gather(struct sframe_gathering *all, struct cairn_rules *rules,
                   bool (*place)(const void *context, uint64_t *start, uint32_t size),
                   const void *context)
{
	if (!array_grow(&all->section, &all->section_capacity, all->sections + 1,
	                sizeof(*all->section))) {
		cairn_rules_free(rules);
		return false;
	}
	struct sframe_gathered_section *own = &all->section[all->sections++];
	*own = (struct sframe_gathered_section){ rules->tables, rules->starts, rules->table_count };
	rules->tables = NULL;
	rules->starts = NULL;
	rules->table_count = 0;
	cairn_rules_free(rules);
	for (size_t i = 0; i < own->table_count; i++)
		if (!list_table(all, (uint32_t)i, place, context))
			return false;
	return true;
}

static int compare_gathered(const void *left, const void *right)
{
	const struct sframe_gathered *a = left, *b = right;

	return ORDER_BY(a->start, b->start,
	                ORDER_BY(a->section, b->section,
	                         ORDER_BY(a->table, b->table, ORDER_BY(a->index, b->index, 0))));
}

void sframe_gathering_sort(struct sframe_gathering *all)
{
	size_t kept = 0;

	if (all->count > 0)
		qsort(all->list, all->count, sizeof(*all->list), compare_gathered);
	for (size_t i = 0; i < all->count; i++) {
		const struct sframe_gathered f = all->list[i];
		if (i + 1 < all->count && all->list[i + 1].start == f.start)
			continue;
		all->list[kept++] = f;
	}
	all->count = kept;
	for (size_t i = 0; i + 1 < kept; i++)
		if (all->list[i + 1].start - all->list[i].start < all->list[i].size)
			all->list[i].size = (uint32_t)(all->list[i + 1].start - all->list[i].start);
}

void sframe_gathering_copy(const struct sframe_gathering *all, struct sframe_work *work)
{
	const struct cairn_sframe_options *options = work->options;
	struct sframe_copy copy = { &work->draft, &work->made,
		                    allowance_of(ROWS_LEAST, ROWS_TIMES, all->row_bytes) };

	for (size_t i = 0; i < all->count && !work->draft.failed; i++) {
		const struct sframe_gathered *f = &all->list[i];
		if (options->poll && i % POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		sframe_copy_function(&copy, &all->section[f->section].tables[f->table], f->index,
		                     f->start, f->size);
	}
}

void sframe_gathering_finish(struct sframe_gathering *all)
{
	for (size_t i = 0; i < all->sections; i++) {
		free(all->section[i].tables);
		free(all->section[i].starts);
	}
	free(all->section);
	free(all->list);
	*all = (struct sframe_gathering){ .count = 0 };
}
