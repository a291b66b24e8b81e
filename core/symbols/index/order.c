/* SPDX-License-Identifier: MIT */
/*
 * Sorts the records that were read by address. Segments that came so stay where they are. Otherwise
 * the outlines are sorted, by their numbers; each that stands alone is a piece of the segments,
 * those that overlap become a new piece after them all. Then the three arrays are put together
 * anew from the pieces, one after the other, so that there is never a copy of all.
 */
#include "segments.h"

#include "base/memory_soon.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 3 }; /* for 32 bits */
enum { AHEAD = 16 }; /* pieces, which are anywhere: so many are on their way from memory at once */

/* One pass of sorting by the upper 32 bits, by a digit of them. */
static void sort_pass(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t here = at[i];
		at[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* `order` and `spare` may change places. */
static void sort_keys(uint64_t **order, uint64_t **spare, size_t count)
{
	for (unsigned pass = 0; pass < PASSES; pass++) {
		uint64_t *sorted = *spare;
		sort_pass(*order, sorted, count, 32 + pass * DIGIT_BITS);
		*spare = *order;
		*order = sorted;
	}
}

/* Where what was read ends, and segments and nodes of overlaps begin. */
struct ends {
	uint32_t segments, nodes;
};

static uint32_t segments_end(const struct index_build *b, const struct ends *ends, size_t number)
{
	return number + 1 < b->outline_count ? b->outlines[number + 1].segment : ends->segments;
}

static uint64_t low_of(const struct index_build *b, const struct ends *ends, size_t number)
{
	const struct outline *o = &b->outlines[number];

	return segment_va(&b->out, o->offset & OUTLINE_UNORDERED ? segments_end(b, ends, number) - 1
	                                                         : o->segment);
}

static struct tree tree_of(const struct index_build *b, const struct ends *ends, uint32_t number)
{
	const struct outline *o = &b->outlines[number];
	bool final = (size_t)number + 1 == b->outline_count;

	return (struct tree){ .low = low_of(b, ends, number),
		              .last = o->last,
		              .first = segment_va(&b->out, o->segment),
		              .offset = o->offset & ~(OUTLINE_UNORDERED | OUTLINE_SKIPS_DEPTHS),
		              .file = build_file_of(b, number),
		              .untidy = o->offset & OUTLINE_UNORDERED,
		              .odd = o->offset & (OUTLINE_UNORDERED | OUTLINE_SKIPS_DEPTHS),
		              .segment = o->segment,
		              .segments = segments_end(b, ends, number) - o->segment,
		              .node = o->node,
		              .nodes = (final ? ends->nodes : o[1].node) - o->node };
}

/* The numbers of the outlines, in the lower 32 bits, by their lowest address; NULL: no memory. */
static uint64_t *sort_outlines(const struct index_build *b, const struct ends *ends)
{
	size_t count = b->outline_count;
	uint64_t *order = malloc(count * sizeof(*order)), *spare = malloc(count * sizeof(*spare));
	uint64_t origin = b->out.origin;

	for (size_t i = 0; order && i < count; i++)
		order[i] = i;
	/* by the lower half of the address, and if there is an upper one, then by that */
	for (unsigned half = 0; order && spare && half < (b->out.wide ? 2 : 1); half++) {
		for (size_t i = 0; i < count; i++) {
			uint32_t number = (uint32_t)order[i];
			uint64_t key = (low_of(b, ends, number) - origin) >> 32 * half;
			order[i] = key << 32 | number;
		}
		sort_keys(&order, &spare, count);
	}
	if (!spare) {
		free(order);
		order = NULL;
	}
	free(spare);
	return order;
}

/* A piece of the segments. */
static uint64_t pack_piece(uint32_t segment, size_t count)
{
	return (uint64_t)segment << 32 | (uint32_t)count;
}

/* New segments after the others, for what trees hold up to `last`. */
static uint64_t append_swept_piece(struct index_build *b, const struct tree *trees, size_t count,
                                   uint64_t last)
{
	size_t begin = b->out.count;

	b->out.floor = begin;
	symbfile_sweep(b, trees, count);
	if (last != UINT64_MAX)
		segments_put(b, &b->out, last + 1, SYMBFILE_NONE, 0);
	return pack_piece((uint32_t)begin, b->out.count - begin);
}

/* Trees that overlap, and hold nothing after `last`. */
static uint64_t append_overlapping_trees(struct index_build *b, const struct ends *ends,
                                         const uint64_t *order, size_t count, uint64_t last)
{
	struct tree *trees = malloc(count * sizeof(*trees));

	if (!trees) {
		build_out_of_memory(b);
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		trees[i] = tree_of(b, ends, (uint32_t)order[i]);
	count = build_drop_duplicates(b, trees, count);
	uint64_t made = count == 1 && !trees->untidy ? pack_piece(trees->segment, trees->segments)
	                                             : append_swept_piece(b, trees, count, last);
	free(trees);
	return made;
}

/* The lowest address of a sorted one, of which the order often has all that is to be known. */
static uint64_t low_in(const struct index_build *b, const struct ends *ends, uint64_t order)
{
	return b->out.wide ? low_of(b, ends, (uint32_t)order) : b->out.origin + (order >> 32);
}

/* In place of the numbers of outlines the pieces of segments, of which there are not more. */
static size_t make_pieces(struct index_build *b, const struct ends *ends, uint64_t *order)
{
	size_t pieces = 0;

	for (size_t i = 0, next; i < b->outline_count && b->stop == BUILD_CONTINUE; i = next) {
		uint32_t number = (uint32_t)order[i];
		const struct outline *o = &b->outlines[number];
		uint64_t last = o->last;
		if (i + AHEAD < b->outline_count)
			memory_soon(&b->outlines[(uint32_t)order[i + AHEAD]], 0);
		for (next = i + 1; next < b->outline_count && low_in(b, ends, order[next]) <= last;
		     next++)
			if (b->outlines[(uint32_t)order[next]].last > last)
				last = b->outlines[(uint32_t)order[next]].last;
		bool alone = next == i + 1 && !(o->offset & OUTLINE_UNORDERED);
		order[pieces++] =
			alone ? pack_piece(o->segment, segments_end(b, ends, number) - o->segment)
			      : append_overlapping_trees(b, ends, &order[i], next - i, last);
	}
	return pieces;
}

/* Takes away gaps at which the next piece begins; how many segments are left. */
static size_t drop_gaps(const struct index_build *b, uint64_t *piece, size_t pieces)
{
	const uint8_t *start = b->out.start;
	size_t word = b->out.wide ? 8 : 4, total = 0, end = 0;

	for (size_t i = 0; i < pieces; i++) {
		size_t first = (size_t)(piece[i] >> 32);
		if (i + AHEAD < pieces)
			memory_soon(start + (piece[i + AHEAD] >> 32) * word, 0);
		if (i > 0 && segment_va(&b->out, end - 1) == segment_va(&b->out, first)) {
			piece[i - 1]--;
			total--;
		}
		total += (uint32_t)piece[i];
		end = first + (uint32_t)piece[i];
	}
	return total;
}

/* The items of an array, `size` bytes each, as the pieces say; NULL when memory is short. */
static void *gather_items(const void *array, size_t size, const uint64_t *piece, size_t pieces,
                          size_t total)
{
	const uint8_t *from = array;
	uint8_t *to = malloc(total * size), *at = to;

	for (size_t i = 0; to && i < pieces; i++) {
		size_t count = (uint32_t)piece[i];
		if (i + AHEAD < pieces)
			memory_soon(from + (piece[i + AHEAD] >> 32) * size, 0);
		memcpy(at, from + (piece[i] >> 32) * size, count * size);
		at += count * size;
	}
	return to;
}

static void gather_all(struct index_build *b, uint64_t *piece, size_t pieces)
{
	struct segments *s = &b->out;
	const size_t size[] = { s->wide ? 8 : 4, sizeof(*s->node), sizeof(*s->line) };
	void *array[] = { s->start, s->node, s->line };
	size_t total = drop_gaps(b, piece, pieces);

	for (unsigned i = 0; i < 3 && b->stop == BUILD_CONTINUE; i++) {
		void *made = gather_items(array[i], size[i], piece, pieces, total);
		if (made) {
			free(array[i]);
			array[i] = made;
		} else {
			build_out_of_memory(b);
		}
	}
	s->start = array[0];
	s->node = array[1];
	s->line = array[2];
	s->count = s->room = total;
}

static void order_segments(struct index_build *b)
{
	const struct ends ends = { (uint32_t)b->out.count, (uint32_t)b->nodes.count };
	uint64_t *order = sort_outlines(b, &ends);
	size_t pieces = 0;

	if (!order) {
		build_out_of_memory(b);
		return;
	}
	b->nodes.limit = b->nodes.count * SYMBFILE_GROWTH + 4096;
	pieces = make_pieces(b, &ends, order);
	free(b->outlines);
	b->outlines = NULL;
	if (b->stop == BUILD_CONTINUE)
		gather_all(b, order, pieces);
	free(order);
}

void build_put_in_order(struct index_build *b)
{
	const struct outline *final = b->outline_count ? &b->outlines[b->outline_count - 1] : NULL;

	if (final && !(final->offset & OUTLINE_UNORDERED) && final->last != UINT64_MAX) {
		b->out.floor = b->out.count;
		segments_put(b, &b->out, final->last + 1, SYMBFILE_NONE, 0);
	}
	if (b->stop == BUILD_CONTINUE && b->apart)
		order_segments(b);
	free(b->outlines);
	b->outlines = NULL;
}
