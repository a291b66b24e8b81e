/* SPDX-License-Identifier: MIT */
/*
 * The code is cut wherever a row or a range begins or ends; then each node in the order of the file
 * takes the pieces in its ranges that are its parent's.  So the first of overlapping siblings wins,
 * and what is outside the parent is not reached, as in a lookup that reads the tree.
 */
#include "gsym_pieces.h"

#include "base/bisect.h"

enum {
	PAINT_FACTOR = 256, /* times the pieces: more work than that is a hostile tree */
	PAINT_EXTRA = 4096,
};

static void merge_cuts(const uint32_t *from, uint32_t *to, size_t low, size_t middle, size_t high)
{
	size_t left = low, right = middle;

	for (size_t i = low; i < high; i++) {
		bool take_left = left < middle && (right == high || from[left] <= from[right]);
		to[i] = take_left ? from[left++] : from[right++];
	}
}

/* Sorts w->cut with the help of w->spare; faster than qsort(), which calls a function to compare. */
static void sort_cuts(struct gsym_pieces *w, size_t count)
{
	for (size_t width = 1; width < count; width *= 2) {
		uint32_t *from = w->cut;
		for (size_t low = 0; low < count; low += 2 * width) {
			size_t middle = low + width < count ? low + width : count;
			size_t high = middle + width < count ? middle + width : count;
			merge_cuts(from, w->spare, low, middle, high);
		}
		w->cut = w->spare;
		w->spare = from;
	}
}

/* The ends of all spans, and where columns change, sorted. */
static size_t fill_cuts(struct gsym_pieces *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->spans; i++) {
		w->cut[count++] = w->span[i].low;
		w->cut[count++] = w->span[i].high;
	}
	for (size_t i = 0; i < w->column_rows; i++)
		w->cut[count++] = w->column_row[i].start;
	sort_cuts(w, count);
	return count;
}

static void add_start(struct gsym_pieces *w, uint32_t start)
{
	if (w->pieces == 0 || w->start[w->pieces - 1] != start)
		w->start[w->pieces++] = start;
}

/* Merges rows and cuts into the starts of pieces; the first is 0. */
static void fill_starts(struct gsym_pieces *w)
{
	size_t cuts = fill_cuts(w), row = 0, cut = 0;

	w->pieces = 0;
	add_start(w, 0);
	while (row < w->rows || cut < cuts) {
		bool take = cut == cuts || (row < w->rows && w->row[row].start <= w->cut[cut]);
		add_start(w, take ? w->row[row++].start : w->cut[cut++]);
	}
}

static void fill_places(struct gsym_pieces *w)
{
	size_t row = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		while (row < w->rows && w->row[row].start <= w->start[i])
			row++;
		struct decoded_piece piece = { DECODED_NO_PLACE, 0, DECODED_OUTSIDE };
		if (row > 0) {
			piece.file = w->row[row - 1].file;
			piece.line = w->row[row - 1].line;
		}
		w->piece[i] = piece;
	}
}

static void fill_piece_columns(struct gsym_pieces *w)
{
	size_t row = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		while (row < w->column_rows && w->column_row[row].start <= w->start[i])
			row++;
		w->column[i] = row > 0 ? w->column_row[row - 1].column : 0;
	}
}

static size_t first_at(const struct gsym_pieces *w, uint32_t start)
{
	struct bisection search = bisect_begin(w->pieces);

	while (search.low < search.high)
		bisect_narrow(&search, w->start[search.middle] < start);
	return search.low;
}

/* Gives the nodes their pieces; false when that is too much work. */
static bool assign_nodes_to_pieces(struct gsym_pieces *w)
{
	size_t budget = PAINT_FACTOR * w->pieces + PAINT_EXTRA;

	for (size_t i = 0; i < w->spans; i++) {
		const struct gsym_pieces_range *s = &w->span[i];
		uint32_t parent = w->node[s->node].parent;
		for (size_t p = first_at(w, s->low); p < w->pieces && w->start[p] < s->high; p++) {
			if (budget-- == 0)
				return false;
			if (w->piece[p].node == parent)
				w->piece[p].node = s->node;
		}
	}
	return true;
}

static bool is_same_piece(const struct gsym_pieces *w, size_t left, size_t right)
{
	const struct decoded_piece *a = &w->piece[left], *b = &w->piece[right];

	return a->file == b->file && a->line == b->line && a->node == b->node &&
	       (!w->column || w->column[left] == w->column[right]);
}

/* Joins equal neighbours. */
static void join_equal_pieces(struct gsym_pieces *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		if (kept > 0 && is_same_piece(w, kept - 1, i))
			continue;
		if (w->column)
			w->column[kept] = w->column[i];
		w->piece[kept] = w->piece[i];
		w->start[kept++] = w->start[i];
	}
	w->pieces = kept;
}

bool gsym_pieces_make(struct gsym_pieces *work)
{
	fill_starts(work);
	fill_places(work);
	if (work->column)
		fill_piece_columns(work);
	if (!assign_nodes_to_pieces(work))
		return false;
	join_equal_pieces(work);
	return true;
}
