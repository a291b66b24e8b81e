/* SPDX-License-Identifier: MIT */
/*
 * The lines of one function, which may come in any order and overlap, as rows: each address has the
 * line that came first in the file, what no line covers has a row of its own.
 */
#include "breakpad_parts.h"

#include "base/order.h"

#include <stdlib.h>

bool breakpad_lines_add(struct breakpad_lines *l, struct breakpad_line line)
{
	if (l->count >= UINT32_MAX ||
	    !array_grow(&l->line, &l->room, l->count + 1, sizeof(*l->line)))
		return false;
	line.order = (uint32_t)l->count;
	l->line[l->count++] = line;
	return true;
}

static int compare_lines_by_low(const void *left, const void *right)
{
	const struct breakpad_line *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(a->order, b->order, 0));
}

/* Is it so already, as files usually are? */
static bool is_sorted(const struct breakpad_lines *l)
{
	for (size_t i = 1; i < l->count; i++)
		if (l->line[i - 1].low > l->line[i].low)
			return false;
	return true;
}

static bool is_earlier_line(const struct breakpad_lines *l, uint32_t a, uint32_t b)
{
	return l->line[a].order < l->line[b].order;
}

static void swap_heap_lines(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;
	*a = *b;
	*b = kept;
}

/* A heap of lines that begin at or before the address we are at, the earliest of the file on top.
 */
static bool heap_push(struct breakpad_lines *l, size_t *count, uint32_t line)
{
	if (!array_grow(&l->heap, &l->heap_room, *count + 1, sizeof(*l->heap)))
		return false;
	l->heap[*count] = line;
	for (size_t i = (*count)++; i > 0; i = (i - 1) / 2) {
		if (is_earlier_line(l, l->heap[(i - 1) / 2], l->heap[i]))
			break;
		swap_heap_lines(&l->heap[(i - 1) / 2], &l->heap[i]);
	}
	return true;
}

static void heap_pop(struct breakpad_lines *l, size_t *count)
{
	size_t i = 0, child;

	l->heap[0] = l->heap[--*count];
	while ((child = 2 * i + 1) < *count) {
		if (child + 1 < *count && is_earlier_line(l, l->heap[child + 1], l->heap[child]))
			child++;
		if (is_earlier_line(l, l->heap[i], l->heap[child]))
			break;
		swap_heap_lines(&l->heap[i], &l->heap[child]);
		i = child;
	}
}

static bool append_flattened_row(struct breakpad_lines *l, uint64_t va, uint32_t file,
                                 uint32_t line)
{
	const struct function_row *last = l->rows ? &l->row[l->rows - 1] : NULL;

	if (last && last->file == file && last->line == line)
		return true;
	return ARRAY_APPEND(l->row, l->rows, l->row_room,
	                    (struct function_row){ .va = va, .file = file, .line = line });
}

/* Appends the piece [low, high) of a line to rows that end at *end, and sets that to the new end. */
static bool add_piece(struct breakpad_lines *l, const struct breakpad_line *line, uint64_t low,
                      uint64_t high, uint64_t *end)
{
	if (low > *end && !append_flattened_row(l, *end, 0, 0))
		return false;
	*end = high;
	return append_flattened_row(l, low, line->file, line->line);
}

/* Goes over the addresses where some line begins or the top of the heap ends. */
static bool sweep_breakpad_lines(struct breakpad_lines *l, uint64_t *end)
{
	size_t next = 0, waiting = 0, pieces = 0;
	uint64_t at = 0;

	while (next < l->count || waiting > 0) {
		if (waiting == 0)
			at = l->line[next].low;
		for (; next < l->count && l->line[next].low <= at; next++)
			if (!heap_push(l, &waiting, (uint32_t)next))
				return false;
		const struct breakpad_line *top = &l->line[l->heap[0]];
		if (top->high <= at) {
			heap_pop(l, &waiting);
			continue;
		}
		uint64_t high = next < l->count && l->line[next].low < top->high ? l->line[next].low
		                                                                 : top->high;
		if (!add_piece(l, top, at, high, end))
			return false;
		pieces++;
		at = high;
	}
	l->covered = pieces < l->count ? l->count - pieces : 0;
	return true;
}

bool breakpad_lines_flatten(struct breakpad_lines *l, uint64_t low, uint64_t high)
{
	uint64_t end = low;

	l->rows = 0;
	l->covered = 0;
	if (l->count == 0)
		return true;
	if (!is_sorted(l))
		qsort(l->line, l->count, sizeof(*l->line), compare_lines_by_low);
	return sweep_breakpad_lines(l, &end) && (end == high || append_flattened_row(l, end, 0, 0));
}

void breakpad_lines_finish(struct breakpad_lines *l)
{
	free(l->line);
	free(l->heap);
	free(l->row);
}
