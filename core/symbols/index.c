/* SPDX-License-Identifier: MIT */
/*
 * Opens and checks index files, and finds an address's chain of frames. At the end of this file,
 * symbfile_scan() finds the same frames by reading a whole symbfile.
 */
#include "index.h"

#include "base/fileid.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum cairn_status symbfile_string_table_load(struct symbfile_string_table *texts,
                                             const struct symbfile_record *table)
{
	struct cairn_bytes body = table->body, text;

	texts->count = 0;
	/*
	 * the size of the file limits this allocation: a string takes at least two bytes in the
	 * file, so the array is at most twelve times as large as the table's body
	 */
	if (!array_grow(&texts->text, &texts->capacity, (size_t)table->table.count,
	                sizeof(*texts->text)))
		return CAIRN_NO_MEMORY;
	while (texts->count < table->table.count && symbfile_next_string(&body, &text))
		texts->text[texts->count++] = text;
	return CAIRN_OK;
}

void symbfile_string_table_finish(struct symbfile_string_table *texts)
{
	free(texts->text);
	*texts = (struct symbfile_string_table){ NULL, 0, 0 };
}

enum {
	INDEX_VERSION = 1,
	INDEX_ORDER = 0x01020304,
	INDEX_ALIGN = 8,
};

static const char magic[8] = { 'c', 'a', 'i', 'r', 'n', 's', 'f', 'x' };

enum section {
	SECTION_START,
	SECTION_NODE,
	SECTION_LINE,
	SECTION_NODES,
	SECTION_NODE_START,
	SECTION_BUCKET,
	SECTION_TEXT_AT,
	SECTION_BLOB,
	SECTION_PAD,
	SECTION_PAD_FIRST,
	SECTION_FRAMES,
};

/*
 * Update a checksum in four independent lanes, which makes the computation hardly slower than
 * reading memory.
 */
static uint64_t update_checksum(uint64_t sum, struct cairn_bytes bytes)
{
	const uint64_t prime = 0x9e3779b97f4a7c15;
	uint64_t lane[4] = { sum, sum ^ prime, sum + prime, ~sum }, word[4] = { 0, 0, 0, 0 };
	size_t at = 0;

	for (; bytes.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(word, bytes.data + at, sizeof(word));
		for (unsigned i = 0; i < 4; i++)
			lane[i] = (lane[i] ^ word[i]) * prime + (lane[i] >> 29);
	}
	memset(word, 0, sizeof(word));
	memcpy(word, bytes.data + at, bytes.size - at);
	for (unsigned i = 0; i < 4; i++)
		sum = ((sum ^ lane[i] ^ word[i]) * prime) ^ (sum >> 31);
	return sum ^ bytes.size;
}

static uint64_t head_checksum(const struct symbfile_index_head *head)
{
	return update_checksum(
		1, (struct cairn_bytes){ (const uint8_t *)head,
	                                 offsetof(struct symbfile_index_head, head_checksum) });
}

struct symbfile_source symbfile_source_of(struct cairn_bytes file)
{
	struct symbfile_source source = { .size = file.size };
	struct fileid id = fileid_of(file);

	memcpy(source.id, id.bytes, sizeof(source.id));
	return source;
}

static struct cairn_bytes make_section_bytes(const void *data, size_t count, size_t size)
{
	return (struct cairn_bytes){ data ? data : (const void *)"", count * size };
}

void symbfile_index_layout(const struct symbfile_index *x, const struct symbfile_source *sources,
                           size_t source_count, struct symbfile_index_parts *parts)
{
	size_t word = x->wide ? 8 : 4, at = sizeof(parts->head);
	uint64_t sum = 2;
	const struct cairn_bytes part_of[SYMBFILE_INDEX_SECTIONS] = {
		[SECTION_START] = make_section_bytes(x->start, x->segments, word),
		[SECTION_NODE] = make_section_bytes(x->node, x->segments, sizeof(*x->node)),
		[SECTION_LINE] = make_section_bytes(x->line, x->segments, sizeof(*x->line)),
		[SECTION_NODES] = make_section_bytes(x->nodes, x->node_count, sizeof(*x->nodes)),
		[SECTION_NODE_START] = make_section_bytes(x->node_start, x->node_count, word),
		[SECTION_BUCKET] = make_section_bytes(x->bucket, x->buckets, sizeof(*x->bucket)),
		[SECTION_TEXT_AT] =
			make_section_bytes(x->text_at, x->texts + 1, sizeof(*x->text_at)),
		[SECTION_BLOB] = make_section_bytes(x->blob, x->blob_size, 1),
		[SECTION_PAD] = make_section_bytes(x->pad, x->pads, sizeof(*x->pad)),
		[SECTION_PAD_FIRST] =
			make_section_bytes(x->pad_first, x->pads + 1, sizeof(*x->pad_first)),
		[SECTION_FRAMES] =
			make_section_bytes(x->frames, x->frame_count, sizeof(*x->frames)),
	};

	memset(parts, 0, sizeof(*parts));
	memcpy(parts->part, part_of, sizeof(part_of));
	memcpy(parts->head.magic, magic, sizeof(magic));
	parts->head.version = INDEX_VERSION;
	parts->head.order = INDEX_ORDER;
	parts->head.base = x->base;
	parts->head.wide = x->wide;
	parts->head.shift = x->shift;
	parts->head.source_count = source_count;
	memcpy(parts->head.source, sources, source_count * sizeof(*sources));
	for (size_t i = 0; i < SYMBFILE_INDEX_SECTIONS; i++) {
		parts->head.section[i].offset = at;
		parts->head.section[i].size = part_of[i].size;
		at += (part_of[i].size + INDEX_ALIGN - 1) & ~(size_t)(INDEX_ALIGN - 1);
		sum = update_checksum(sum, part_of[i]);
	}
	parts->head.size = at;
	parts->head.checksum = sum;
	parts->head.head_checksum = head_checksum(&parts->head);
}

/*
 * Return the array in a section, or NULL if the section extends past the end of the file or its
 * size is not a multiple of `size`.
 */
static const void *find_section_items(struct cairn_bytes bytes,
                                      const struct symbfile_index_head *head, enum section section,
                                      size_t size, size_t *count)
{
	uint64_t offset = head->section[section].offset, length = head->section[section].size;

	if (offset > bytes.size || length > bytes.size - offset || offset % INDEX_ALIGN != 0 ||
	    length % size != 0)
		return NULL;
	*count = (size_t)(length / size);
	return bytes.data + offset;
}

static bool read_index_sections(struct cairn_bytes b, const struct symbfile_index_head *h,
                                struct symbfile_index *x)
{
	size_t word = h->wide ? 8 : 4, nodes = 0, lines = 0, starts = 0, texts = 0, firsts = 0;

	x->wide = h->wide != 0;
	x->base = h->base;
	x->shift = h->shift;
	x->start = find_section_items(b, h, SECTION_START, word, &x->segments);
	x->node = find_section_items(b, h, SECTION_NODE, sizeof(*x->node), &nodes);
	x->line = find_section_items(b, h, SECTION_LINE, sizeof(*x->line), &lines);
	x->nodes = find_section_items(b, h, SECTION_NODES, sizeof(*x->nodes), &x->node_count);
	x->node_start = find_section_items(b, h, SECTION_NODE_START, word, &starts);
	x->bucket = find_section_items(b, h, SECTION_BUCKET, sizeof(*x->bucket), &x->buckets);
	x->text_at = find_section_items(b, h, SECTION_TEXT_AT, sizeof(*x->text_at), &texts);
	x->blob = find_section_items(b, h, SECTION_BLOB, 1, &x->blob_size);
	x->pad = find_section_items(b, h, SECTION_PAD, sizeof(*x->pad), &x->pads);
	x->pad_first = find_section_items(b, h, SECTION_PAD_FIRST, sizeof(*x->pad_first), &firsts);
	x->frames = find_section_items(b, h, SECTION_FRAMES, sizeof(*x->frames), &x->frame_count);
	if (!x->start || !x->node || !x->line || !x->nodes || !x->node_start || !x->bucket ||
	    !x->text_at || !x->blob || !x->pad || !x->pad_first || !x->frames)
		return false;
	x->texts = texts - 1;
	return nodes == x->segments && lines == x->segments && starts == x->node_count &&
	       texts > 0 && firsts == x->pads + 1 && x->shift < 64;
}

static bool sums_agree(struct cairn_bytes bytes, const struct symbfile_index_head *head)
{
	uint64_t sum = 2;

	for (size_t i = 0; i < SYMBFILE_INDEX_SECTIONS; i++)
		sum = update_checksum(sum,
		                      (struct cairn_bytes){ bytes.data + head->section[i].offset,
		                                            (size_t)head->section[i].size });
	return sum == head->checksum;
}

enum cairn_status symbfile_index_open(struct cairn_bytes bytes,
                                      const struct symbfile_source *sources, size_t source_count,
                                      struct symbfile_index *index)
{
	struct symbfile_index_head head;

	if (bytes.size < sizeof(head))
		return CAIRN_UNSUPPORTED;
	memcpy(&head, bytes.data, sizeof(head));
	if (memcmp(head.magic, magic, sizeof(magic)) != 0 || head.version != INDEX_VERSION ||
	    head.order != INDEX_ORDER)
		return CAIRN_UNSUPPORTED;
	if (head.head_checksum != head_checksum(&head) || head.size != bytes.size ||
	    head.source_count > SYMBFILE_SOURCES_MAX)
		return CAIRN_MALFORMED;
	if (head.source_count != source_count ||
	    memcmp(head.source, sources, source_count * sizeof(*sources)) != 0)
		return CAIRN_MISMATCH;
	if (!read_index_sections(bytes, &head, index) || !sums_agree(bytes, &head))
		return CAIRN_MALFORMED;
	return CAIRN_OK;
}

/* Return the last segment in [low, high) that begins at or before `va`, or low - 1. */
static size_t last_before(const struct symbfile_index *x, size_t low, size_t high, uint64_t va)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbfile_index_at(x, x->start, middle) <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

static size_t find_segment(const struct symbfile_index *x, uint64_t va)
{
	uint64_t bucket = (va - x->base) >> x->shift;
	size_t low = 0, high = x->segments;

	if (bucket < x->buckets)
		low = x->bucket[bucket];
	if (x->buckets > 0 && bucket < x->buckets - 1)
		high = (size_t)x->bucket[bucket + 1] + 1;
	if (high > x->segments)
		high = x->segments;
	if (low >= high)
		return SIZE_MAX;
	return last_before(x, low, high, va);
}

bool symbfile_index_find(const struct symbfile_index *x, uint64_t va, struct symbfile_chain *chain)
{
	if (x->segments == 0 || va < x->base)
		return false;
	size_t segment = find_segment(x, va);
	if (segment >= x->segments || x->node[segment] >= x->node_count)
		return false;
	chain->index = x;
	chain->va = va;
	chain->node = x->node[segment];
	chain->line = x->line[segment];
	chain->has_file = chain->damaged = chain->is_pad = false;
	return true;
}

struct cairn_bytes symbfile_index_text(const struct symbfile_index *x, uint32_t text)
{
	if (text < x->texts) {
		uint32_t at = x->text_at[text], end = x->text_at[text + 1];
		if (at <= end && end <= x->blob_size)
			return (struct cairn_bytes){ x->blob + at, end - at };
	}
	return (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

static bool next_pad_frame(struct symbfile_chain *c, struct cairn_location *location)
{
	const struct symbfile_index *x = c->index;

	if (c->frame == c->first)
		return false;
	const struct symbfile_pad_node *f = &x->frames[--c->frame];
	*location = (struct cairn_location){
		.function = symbfile_index_text(x, f->function),
		.directory = { (const uint8_t *)"", 0 },
		.file = symbfile_index_text(x, f->file),
		.line = f->line,
		.inlined = c->frame > c->first,
	};
	return true;
}

bool symbfile_chain_next(struct symbfile_chain *c, struct cairn_location *location)
{
	const struct symbfile_index *x = c->index;

	if (c->is_pad)
		return next_pad_frame(c, location);
	if (c->node >= x->node_count)
		return false;
	const struct symbfile_node *n = &x->nodes[c->node];
	uint64_t start = symbfile_index_at(x, x->node_start, c->node);
	/* parents must have lower indices; otherwise, a damaged file could cause an endless loop */
	uint32_t parent = n->parent < c->node ? n->parent : SYMBFILE_NONE;
	c->damaged |= parent != n->parent;
	*location = (struct cairn_location){
		.function = symbfile_index_text(x, n->function),
		.directory = { (const uint8_t *)"", 0 },
		.file = symbfile_index_text(x, c->has_file ? c->file : n->file),
		.start = start,
		.offset = c->va - start,
		.line = c->line,
		.inlined = parent != SYMBFILE_NONE,
	};
	c->node = parent;
	c->has_file = n->call_file != SYMBFILE_NONE;
	c->file = n->call_file;
	c->line = n->call_line;
	return true;
}

static bool find_pad(const struct symbfile_index *x, uint64_t va, struct symbfile_chain *chain)
{
	struct bisection search = bisect_begin(x->pads);

	while (search.low < search.high)
		bisect_narrow(&search, x->pad[search.middle] < va);
	if (search.low == x->pads || x->pad[search.low] != va)
		return false;
	size_t first = x->pad_first[search.low], end = x->pad_first[search.low + 1];
	if (first > end || end > x->frame_count)
		return false;
	*chain = (struct symbfile_chain){
		.index = x, .va = va, .is_pad = true, .frame = end, .first = first
	};
	return true;
}

bool symbfile_index_answer(const struct symbfile_index *x, uint64_t va, bool is_return,
                           struct symbfile_chain *chain)
{
	uint64_t key = is_return ? va - 1 : va;

	if ((is_return || x->segments == 0) && find_pad(x, key, chain))
		return true;
	return symbfile_index_find(x, key, chain);
}

/*
 * Compare by depth. Within one depth, the range that takes precedence comes first: the one that
 * begins last, then the shortest, then the last in the file.
 */
static int compare_found_ranges(const void *left, const void *right)
{
	const struct symbfile_found *a = left, *b = right;

	return ORDER_BY(
		a->depth, b->depth,
		ORDER_BY(b->start, a->start,
	                 ORDER_BY(a->length, b->length, ORDER_BY(b->offset, a->offset, 0))));
}

static uint32_t line_at(const struct symbfile_record *record, uint64_t offset)
{
	struct symbfile_rows rows = symbfile_rows(record);
	struct symbfile_row row;
	uint32_t line = 0;

	while (symbfile_next_row(&rows, &row) && row.offset <= offset)
		line = row.line;
	return line;
}

static void note_neighbour(struct symbfile_scan *scan, const struct symbfile_range *range,
                           uint64_t va)
{
	uint64_t end = symbfile_range_end(range->start, range->length);

	if (end <= va && (!scan->has_below || end > scan->below)) {
		scan->has_below = true;
		scan->below = end;
	}
	if (range->start > va && (!scan->has_above || range->start < scan->above)) {
		scan->has_above = true;
		scan->above = range->start;
	}
}

static bool collect_covering_range(struct symbfile_scan *scan, const struct symbfile_record *record,
                                   const struct symbfile_string_table *texts, uint64_t va)
{
	const struct symbfile_range *r = &record->range;

	scan->ranges++;
	if (!symbfile_range_holds(r->start, r->length, va)) {
		note_neighbour(scan, r, va);
		return true;
	}
	if (scan->count == SYMBFILE_SCAN_MAX) {
		scan->more++;
		return true;
	}
	if (!array_grow(&scan->found, &scan->capacity, scan->count + 1, sizeof(*scan->found)))
		return false;
	scan->found[scan->count++] = (struct symbfile_found){
		.start = r->start,
		.length = r->length,
		.offset = record->offset,
		.depth = r->depth,
		.call_line = r->call_line,
		.line = line_at(record, va - r->start),
		.function = symbfile_string_table_of(texts, &r->function),
		.file = symbfile_string_table_of(texts, &r->file),
		.call_file = symbfile_string_table_of(texts, &r->call_file),
		.has_file = r->file.kind != SYMBFILE_ABSENT,
		.has_call_file = r->call_file.kind != SYMBFILE_ABSENT,
		.has_lines = r->lines.count > 0,
	};
	return true;
}

enum cairn_status symbfile_scan(struct cairn_bytes file, uint64_t va, struct symbfile_scan *scan)
{
	struct symbfile_string_table texts = { .count = 0 };
	struct symbfile in = symbfile_open(file);
	struct symbfile_record record;
	bool good = true;

	*scan = (struct symbfile_scan){ .found = NULL };
	while (good && symbfile_next(&in, &record)) {
		if (record.kind == SYMBFILE_RANGE)
			good = collect_covering_range(scan, &record, &texts, va);
		else if (record.kind == SYMBFILE_PAD)
			scan->pads++;
		else
			good = symbfile_string_table_load(&texts, &record) == CAIRN_OK;
	}
	scan->fault = symbfile_fault(&in);
	symbfile_string_table_finish(&texts);
	if (!good) {
		symbfile_scan_finish(scan);
		return CAIRN_NO_MEMORY;
	}
	if (scan->count > 1)
		qsort(scan->found, scan->count, sizeof(*scan->found), compare_found_ranges);
	for (size_t i = 0; i < scan->count; i++)
		scan->found[i].counts = i == 0 || scan->found[i].depth != scan->found[i - 1].depth;
	return CAIRN_OK;
}

void symbfile_scan_finish(struct symbfile_scan *scan)
{
	free(scan->found);
	scan->found = NULL;
	scan->count = scan->capacity = 0;
}
