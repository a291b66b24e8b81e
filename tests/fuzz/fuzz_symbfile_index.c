/* SPDX-License-Identifier: MIT */
/*
 * An index of any symbfile.  Always:
 *   - at the ends of each range the chain is the one that reading the whole file gives;
 *   - an index written and opened again gives the same chains;
 *   - one with other numbers in its head, and shorter arrays, all of them under right sums, opens,
 *     crashes nothing, ends, and gives texts that lie in it;
 *   - so does one whose bytes were changed behind the check of its sums.
 */
#include "fuzz.h"

#include "scan_answer.h"
#include "symbols/index_build.h"

#include <string.h>

enum { RANGES = 24 };

static const struct symbfile_source source = { .size = 1 };

static bool same(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void check_at(const struct symbfile_index *index, struct cairn_bytes bytes, uint64_t va)
{
	struct symbfile_chain chain;
	struct symbfile_scan scan;
	struct cairn_location a, b;

	ALWAYS(symbfile_scan(bytes, va, &scan) == CAIRN_OK);
	bool found = symbfile_index_find(index, va, &chain);
	ALWAYS(found == (scan.count > 0));
	for (size_t at = scan.count; symbfile_scan_next(&scan, &at, &b);) {
		ALWAYS(symbfile_chain_next(&chain, &a));
		ALWAYS(same(a.function, b.function) && same(a.file, b.file) && a.line == b.line);
	}
	ALWAYS(!found || !symbfile_chain_next(&chain, &a));
	symbfile_scan_finish(&scan);
}

/* Addresses around the first ranges. */
static void check_all(const struct symbfile_index *index, struct cairn_bytes bytes)
{
	struct symbfile file = symbfile_open(bytes);
	struct symbfile_record r;

	for (unsigned i = 0; i < RANGES && symbfile_next(&file, &r);) {
		if (r.kind != SYMBFILE_RANGE)
			continue;
		uint64_t end = symbfile_range_end(r.range.start, r.range.length);
		check_at(index, bytes, r.range.start - 1);
		check_at(index, bytes, r.range.start);
		check_at(index, bytes, end - 1);
		check_at(index, bytes, end);
		i++;
	}
}

static uint8_t *serialize(const struct symbfile_index *index, size_t *size)
{
	struct symbfile_index_parts parts;

	symbfile_index_layout(index, &source, 1, &parts);
	*size = (size_t)parts.head.size;
	uint8_t *bytes = calloc(1, *size);
	ALWAYS(bytes);
	memcpy(bytes, &parts.head, sizeof(parts.head));
	for (size_t i = 0; i < SYMBFILE_INDEX_SECTIONS; i++)
		memcpy(bytes + parts.head.section[i].offset, parts.part[i].data,
		       parts.part[i].size);
	return bytes;
}

static void ask(const struct symbfile_index *index, const uint8_t *bytes, size_t size, uint64_t va)
{
	struct symbfile_chain chain;
	struct cairn_location l;

	for (unsigned is_return = 0; is_return < 2; is_return++) {
		if (!symbfile_index_answer(index, va, is_return != 0, &chain))
			continue;
		size_t frames = 0;
		while (symbfile_chain_next(&chain, &l)) {
			ALWAYS(++frames <= size);
			ALWAYS(l.function.size == 0 ||
			       (l.function.data >= bytes &&
			        l.function.data + l.function.size <= bytes + size));
		}
	}
}

/* Changes bytes as the input says, now that the sums were checked. */
static void damage(uint8_t *bytes, size_t size, struct cairn_bytes by)
{
	size_t head = sizeof(struct symbfile_index_head);

	for (size_t i = 0; i + 1 < by.size && size > head; i += 2)
		bytes[head + (by.data[i] * 257u + i * 31) % (size - head)] = by.data[i + 1];
}

static size_t shorter(size_t count, uint8_t by)
{
	return count - by % (count + 1);
}

/* Other numbers for the head, which promise no more than the arrays hold. */
static struct symbfile_index bend(struct symbfile_index x, const uint8_t by[12])
{
	if (by[0] & 1)
		x.wide = false;
	if (!x.wide && (by[0] & 2)) {
		x.wide = true;
		x.segments /= 2;
		x.node_count /= 2;
	}
	x.base += by[1];
	x.base -= by[2];
	if (by[0] & 4)
		x.shift = by[3] % 64;
	x.segments = shorter(x.segments, by[4]);
	x.node_count = shorter(x.node_count, by[5]);
	x.buckets = shorter(x.buckets, by[6]);
	x.texts = shorter(x.texts, by[7]);
	x.blob_size = shorter(x.blob_size, by[8]);
	x.pads = shorter(x.pads, by[9]);
	x.frame_count = shorter(x.frame_count, by[10]);
	return x;
}

static void ask_around(const struct symbfile_index *index, struct cairn_bytes image)
{
	for (uint64_t va = index->base - 2; va != index->base + 64; va++)
		ask(index, image.data, image.size, va);
}

/* The numbers come from the end of the input, which says least about the ranges. */
static void check_bent(const struct symbfile_index *index, struct cairn_bytes by)
{
	uint8_t numbers[12] = { 0 };
	struct symbfile_index bent;
	size_t size, count = by.size < sizeof(numbers) ? by.size : sizeof(numbers);

	memcpy(numbers, by.data + by.size - count, count);
	bent = bend(*index, numbers);
	uint8_t *image = serialize(&bent, &size);
	struct cairn_bytes bytes = { image, size };
	ALWAYS(symbfile_index_open(bytes, &source, 1, &bent) == CAIRN_OK);
	ask_around(&bent, bytes);
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	struct symbfile_built built;
	struct symbfile_index index;
	size_t written;

	if (symbfile_build(&bytes, 1, NULL, &built) != CAIRN_OK)
		return 0;
	check_all(&built.index, bytes);
	uint8_t *image = serialize(&built.index, &written);
	struct cairn_bytes again = { image, written };
	ALWAYS(symbfile_index_open(again, &source, 1, &index) == CAIRN_OK);
	check_all(&index, bytes);
	check_bent(&built.index, bytes);
	damage(image, written, bytes);
	ask_around(&index, again);
	/* any bytes as an index */
	uint8_t *copy = malloc(size + 1);
	ALWAYS(copy);
	memcpy(copy, bytes.data, size);
	ALWAYS(symbfile_index_open((struct cairn_bytes){ copy, size }, &source, 1, &index) !=
	       CAIRN_OK);
	free(copy);
	free(image);
	symbfile_built_free(&built);
	return 0;
}
