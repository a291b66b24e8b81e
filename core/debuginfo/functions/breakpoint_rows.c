/* SPDX-License-Identifier: MIT */
/*
 * Marks the rows that a debugger takes for breakpoints of their own.  Of all statements of a line it stops at the first
 * one in each block: a function, an inlined call, or a scope of variables.  Calls come with the function; scopes do
 * not, so the rows that begin a line again in another scope of the same call are marked.
 */
#include "builder_parts.h"

#include "base/order.h"

#include <stdlib.h>

enum {
	SCOPES_MAX = 64, /* in which one line of one call begins; of more the rest is passed over */
	ROWS_AT_ADDRESS = 64, /* that are looked at; compilers write some ten */
};

/* Code of a call or a scope.  An entry inside another one has a higher order. */
struct block {
	struct cairn_range range;
	size_t order;
	bool is_call;
};

/* A statement, in the innermost block and the innermost call; 0: the function itself. */
struct statement_start {
	uint32_t file, line;
	size_t call, block, row;
};

struct breakpoint_rows {
	struct block *block;
	size_t blocks, block_room;
	size_t open[FUNCTION_BUILDER_DEPTH_MAX]; /* blocks around an address, innermost last */
	size_t opens;
	struct statement_start *spot;
	size_t spots, spot_room;
};

void breakpoint_rows_free(struct breakpoint_rows *a)
{
	if (a) {
		free(a->block);
		free(a->spot);
	}
	free(a);
}

static int by_place(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return ORDER_BY(a->range.low, b->range.low, ORDER_BY(a->order, b->order, 0));
}

static int by_line(const void *left, const void *right)
{
	const struct statement_start *a = left, *b = right;

	return ORDER_BY(a->file, b->file,
	                ORDER_BY(a->line, b->line,
	                         ORDER_BY(a->call, b->call, ORDER_BY(a->row, b->row, 0))));
}

static bool add_block(struct function_builder *h, struct cairn_range range, size_t order,
                      bool is_call)
{
	struct breakpoint_rows *a = h->apart;

	if (!function_builder_spend_work(h, 1) ||
	    !function_builder_room(h, &a->block, &a->block_room, a->blocks + 1, sizeof(*a->block)))
		return false;
	a->block[a->blocks++] = (struct block){ range, order, is_call };
	return true;
}

static bool gather_blocks(struct function_builder *h, const struct function_builder_open *open)
{
	struct breakpoint_rows *a = h->apart;

	a->blocks = a->opens = a->spots = 0;
	for (size_t i = open->scope; i < h->scopes; i++)
		if (!add_block(h, h->scope[i].range, h->scope[i].order, false))
			return false;
	for (size_t i = open->node; i < h->nodes; i++)
		for (size_t k = 0; k < h->node[i].ranges; k++)
			if (!add_block(h, h->range[h->node[i].range + k], h->node[i].order, true))
				return false;
	if (a->blocks > 1)
		qsort(a->block, a->blocks, sizeof(*a->block), by_place);
	return true;
}

/* Blocks that end are closed, those up to the address opened; *next is the first that is not. */
static void move_to(struct breakpoint_rows *a, uint64_t va, size_t *next)
{
	for (; *next < a->blocks && a->block[*next].range.low <= va; ++*next) {
		const struct cairn_range *range = &a->block[*next].range;
		while (a->opens > 0 && a->block[a->open[a->opens - 1]].range.high <= range->low)
			a->opens--;
		if (range->high > va && a->opens < FUNCTION_BUILDER_DEPTH_MAX)
			a->open[a->opens++] = *next;
	}
	while (a->opens > 0 && a->block[a->open[a->opens - 1]].range.high <= va)
		a->opens--;
}

static struct statement_start statement_start_of(const struct breakpoint_rows *a,
                                                 const struct function_row *row, size_t number)
{
	struct statement_start spot = { .file = row->file, .line = row->line, .row = number };

	if (a->opens > 0)
		spot.block = a->block[a->open[a->opens - 1]].order;
	for (size_t i = a->opens; i > 0 && spot.call == 0; i--)
		if (a->block[a->open[i - 1]].is_call)
			spot.call = a->block[a->open[i - 1]].order;
	return spot;
}

/*
 * Does a statement of another file follow at the same address?  Then a debugger drops this row, because
 * it has no code: no breakpoint is there, and it is not the first one in its block.
 */
static bool is_left_without_code(const struct function_row *row, size_t number, size_t count)
{
	size_t end = count - number > ROWS_AT_ADDRESS ? number + ROWS_AT_ADDRESS : count;

	for (size_t i = number + 1; i < end && row[i].va == row[number].va; i++)
		if (row[i].statement && row[i].file != row[number].file)
			return true;
	return false;
}

static bool gather_spots(struct function_builder *h, const struct function_row *row, size_t count)
{
	struct breakpoint_rows *a = h->apart;
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		if (!row[i].statement || is_left_without_code(row, i, count))
			continue;
		move_to(a, row[i].va, &next);
		if (!function_builder_spend_work(h, 1 + a->opens) ||
		    !function_builder_room(h, &a->spot, &a->spot_room, a->spots + 1,
		                           sizeof(*a->spot)))
			return false;
		a->spot[a->spots++] = statement_start_of(a, &row[i], i);
	}
	if (a->spots > 1)
		qsort(a->spot, a->spots, sizeof(*a->spot), by_line);
	return true;
}

/* Is the block new among those of this line?  Then it is noted. */
static bool is_new(size_t block, size_t seen[SCOPES_MAX], size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		if (seen[i] == block)
			return false;
	if (*count == SCOPES_MAX)
		return false;
	seen[(*count)++] = block;
	return true;
}

bool breakpoint_rows_mark(struct function_builder *h, const struct function_builder_open *open,
                          struct function_row *row, size_t count)
{
	size_t seen[SCOPES_MAX], seens = 0;

	if (open->scope == h->scopes)
		return true;
	if (!h->apart)
		h->apart = calloc(1, sizeof(*h->apart));
	if (!h->apart)
		return function_builder_no_memory(h);
	if (!gather_blocks(h, open) || !gather_spots(h, row, count))
		return false;
	for (size_t i = 0; i < h->apart->spots; i++) {
		const struct statement_start *spot = &h->apart->spot[i];
		bool same = i > 0 && spot[-1].file == spot->file && spot[-1].line == spot->line &&
		            spot[-1].call == spot->call;
		seens = same ? seens : 0;
		if (!function_builder_spend_work(h, 1 + seens))
			return false;
		if (is_new(spot->block, seen, &seens) && same)
			row[spot->row].apart = true;
	}
	return true;
}
