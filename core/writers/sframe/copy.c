/* SPDX-License-Identifier: MIT */
/* Copies functions of existing SFrame tables row by row. */
#include "copy.h"

enum { BLOCK_ROWS_MAX = UINT8_MAX }; /* a row per byte of a block */

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
 * Convert a row. Return false with the reason in *loss if the rule is unreadable or cannot be
 * expressed.
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
 * Copy all rows. As in lookups, the last one of several rows with the same start is used, and rows
 * past the end of the function are ignored.
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
		 * If the next row is damaged, its start may have been read before the error, and
		 * still ends this row.
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
 * Return true if readers would mistake the copy for a block that GNU ld is known to write
 * incorrectly, and would change its rule (see sframe_correct_rule()). Readers recognize such
 * a block by its single row. The rule of the original was not changed if the original has more rows
 * than the copy.
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

/* Copy a block completely or not at all. */
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
 * Copy a function without rows. It only has a meaning in version 3; in older versions, lookups find
 * nothing.
 */
static void copy_rowless(struct sframe_copy *copy, const struct copied *c)
{
	if (c->table->version < 3)
		return;
	if (copy->draft->format.version < 3)
		leave_out_code(copy,
		               c->function->signal ? CAIRN_SFRAME_LOSS_SIGNAL
		                                   : CAIRN_SFRAME_LOSS_OUTERMOST,
		               c->size);
	else
		count_added(copy,
		            sframe_draft_add_rowless(copy->draft, c->start, c->start + c->size),
		            c->size);
}

void sframe_copy_function(struct sframe_copy *copy, const struct sframe_table *table,
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
	else if (f.signal && copy->draft->format.version < 3)
		leave_out_code(copy, CAIRN_SFRAME_LOSS_SIGNAL, size);
	else if (f.masked)
		copy_block(copy, &copied);
	else
		copy_rows(copy, &copied);
	sframe_draft_end(copy->draft);
}
