/* SPDX-License-Identifier: MIT */
/* Writes the trees of a maker as range records and as return pads. */
#include "maker.h"
#include "trees.h"

#include "base/bytes.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "base/sort.h"
#include "isa/calls.h"
#include "symbols/index_segments.h"

#include <stdlib.h>
#include <string.h>

/* String table for a window of records. Other strings are stored in the records themselves. */
struct maker_table {
	uint32_t *uses;
	uint32_t *index; /* index of each string in the table, or MAKER_NONE */
	uint32_t *order; /* strings in the window, in order of first use */
	size_t count, pool;
	uint64_t cost; /* size of a table with all strings in `order` */
};

/*
 * Maximum size of a string table. A window ends before its table exceeds the maximum size of a
 * message.
 */
enum { MAKER_TABLE_MAX = SYMBFILE_MESSAGE_MAX - (64 << 10) };

/*
 * Writes trees in windows. Each window is a string table followed by the records that use it. A
 * string that is used only once is stored in its record.
 */
enum {
	RECORD_MAX = 256, /* maximum size of a record and its framing, without strings and rows */
	ROW_MAX = 10,
	/*
	 * maximum number of records per range; a range that needs more exceeds 64 GB and must be
	 * invalid
	 */
	PARTS_MAX = 16,
};

/* Maximum length of a range, because some readers store lengths in 32 bits. */
#define LENGTH_MAX UINT32_MAX

static bool maker_reserve(struct sink *out, size_t more)
{
	return array_grow(&out->data, &out->capacity, out->size + more, 1);
}

static void maker_table_finish(struct maker_table *t)
{
	free(t->uses);
	free(t->index);
	free(t->order);
	*t = (struct maker_table){ .count = 0 };
}

static bool maker_table_init(struct maker_table *t, size_t pool)
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

static void maker_table_use(struct maker_table *t, const struct string_pool *pool, uint32_t text)
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

/* A string for the table. The table is sorted by decreasing number of uses, then by first use. */
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

/*
 * Write a table of the strings that are used at least `least` times. Call this after counting all
 * uses in the window.
 */
static enum cairn_status maker_table_put(struct maker_table *t, const struct string_pool *pool,
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

static void maker_table_clear(struct maker_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		t->uses[t->order[i]] = 0;
	t->count = 0;
	t->cost = 0;
}

struct output {
	struct symbfile_maker *m;
	struct maker_table table;
	struct symbfile_writer writer;
	struct sink *out;
	struct symbfile_row *row;
	size_t row_capacity;
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

/* Copy the rows between two addresses. The first row may begin before `start`. */
static bool cut_rows(struct output *o, const struct maker_row *rows, uint32_t count, uint64_t start,
                     uint64_t end, size_t *kept)
{
	size_t n = 0;

	if (!array_grow(&o->row, &o->row_capacity, count, sizeof(*o->row)))
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
	/* the row array is NULL in a shard without rows */
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
		return CAIRN_UNSUPPORTED; /* the record is too large, as with millions of rows */
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

/*
 * Write a window with as many pieces as the string table allows. Sets *at to the first remaining
 * piece.
 */
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

/*
 * Writes return pads: for each call in a tree's code, the chain of inlined frames at the call, with
 * the address of the call's last byte as the key. Decoding begins at the start of each piece. After
 * an invalid instruction, it continues at the next row of a line table, because an instruction
 * begins there.
 */
enum { PAD_MAX = 64, FRAME_MAX = 15 }; /* maximum size of a pad without frames, and of each frame */
struct pad {
	uint64_t address;
	size_t frame;
	uint32_t frames;
};

struct pads {
	struct symbfile_maker *m;
	const struct maker_code *code;
	struct maker_table table;
	struct symbfile_writer writer;
	struct sink *out;
	uint32_t nothing;
	struct pad *pad;
	size_t pads, pad_capacity;
	struct symbfile_frame *frame;
	size_t frames, frame_capacity;

	/* records that contain the current address, outermost first */
	uint32_t chain[MAKER_DEPTH_MAX + 1];
	unsigned depth;
	uint32_t next; /* index of the next record to consider for the chain */
};

static struct cairn_bytes code_at(const struct maker_code *code, uint64_t va)
{
	for (size_t i = 0; i < code->pieces; i++) {
		const struct maker_code_piece *p = &code->piece[i];
		if (va >= p->va && va - p->va < p->bytes.size)
			return (struct cairn_bytes){ p->bytes.data + (va - p->va),
				                     p->bytes.size - (size_t)(va - p->va) };
	}
	return (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

/* Update the chain to the records that contain `va`. Calls must be in address order. */
static void move_chain(struct pads *p, const struct maker_tree *tree, uint64_t va)
{
	const struct maker_record *record = tree_records(p->m, tree);

	for (; p->next < tree->records && record[p->next].start <= va; p->next++) {
		const struct maker_record *r = &record[p->next];
		while (p->depth > 0 && record[p->chain[p->depth - 1]].depth >= r->depth)
			p->depth--;
		if (p->depth <= MAKER_DEPTH_MAX)
			p->chain[p->depth++] = p->next;
	}
	while (p->depth > 0 && record[p->chain[p->depth - 1]].end <= va)
		p->depth--;
}

static uint32_t line_at(const struct pads *p, const struct maker_tree *tree,
                        const struct maker_record *r, uint64_t va)
{
	if (r->rows == 0) /* the shard's row array may be NULL */
		return 0;
	const struct maker_row *row = p->m->shard[tree->shard]->row + r->row;
	const size_t next = SORTED_UP_TO(row, r->rows, va, va);

	return next ? row[next - 1].line : 0;
}

/*
 * Return frame `i` of the chain, with the line of its call to the next frame or, if it is the
 * innermost frame, its own line.
 */
static struct symbfile_frame frame_of(const struct pads *p, const struct maker_tree *tree,
                                      unsigned i, uint64_t va)
{
	const struct maker_record *record = tree_records(p->m, tree);
	const struct maker_record *r = &record[p->chain[i]];
	uint32_t file = r->file, line;

	if (i + 1 < p->depth) {
		const struct maker_record *inner = &record[p->chain[i + 1]];
		file = inner->call_file;
		line = inner->call_line;
	} else {
		line = line_at(p, tree, r, va);
	}
	uint32_t path = maker_path(p->m, tree, file);
	return (struct symbfile_frame){ maker_name(p->m, tree, r->name),
		                        path == MAKER_NONE ? p->nothing : path, line };
}

static bool add_pad(struct pads *p, const struct maker_tree *tree, uint64_t call, uint64_t next)
{
	move_chain(p, tree, call);
	if (!array_grow(&p->pad, &p->pad_capacity, p->pads + 1, sizeof(*p->pad)) ||
	    !array_grow(&p->frame, &p->frame_capacity, p->frames + p->depth, sizeof(*p->frame)))
		return false;
	p->pad[p->pads++] = (struct pad){ next - 1, p->frames, p->depth };
	for (unsigned i = 0; i < p->depth; i++)
		p->frame[p->frames++] = frame_of(p, tree, i, call);
	return true;
}

/*
 * Return the address of the first row after `va` in any record of the tree, or the end of the
 * piece.
 */
static uint64_t next_row(const struct pads *p, const struct maker_piece *piece, uint64_t va)
{
	const struct maker_record *record = tree_records(p->m, piece->tree);
	const struct maker_row *rows = p->m->shard[piece->tree->shard]->row;
	uint64_t next = piece->end;

	for (uint32_t i = 0; i < piece->tree->records; i++)
		for (uint32_t r = 0; r < record[i].rows; r++) {
			uint64_t at = rows[record[i].row + r].va;
			if (at > va && at < next)
				next = at;
		}
	return next;
}

/*
 * Return true if the piece begins with runtime.goexit. Goroutines return to its first instruction,
 * although no call precedes it.
 */
static bool is_goexit(const struct pads *p, const struct maker_piece *piece)
{
	const struct maker_record *root = tree_records(p->m, piece->tree);
	struct cairn_bytes name =
		string_pool_get(&p->m->pool, maker_name(p->m, piece->tree, root->name));

	return piece->start == piece->tree->start &&
	       (bytes_are(name, "runtime.goexit") || bytes_are(name, "runtime.goexit.abi0"));
}

static bool add_goexit(struct pads *p, const struct maker_piece *piece, uint8_t length)
{
	if (!add_pad(p, piece->tree, piece->start, piece->start + length))
		return false;
	p->frame[p->frames - 1].line = 0;
	return true;
}

static bool scan_piece(struct pads *p, const struct maker_piece *piece)
{
	struct cairn_bytes code = code_at(p->code, piece->start);
	struct calls_instruction instruction;
	size_t at = 0, size = code.size;

	if (size > piece->end - piece->start)
		size = (size_t)(piece->end - piece->start);
	p->depth = p->next = 0;
	code.size = size;
	while (at < size) {
		uint64_t va = piece->start + at;
		if (!calls_next(p->code->machine, code, at, &instruction)) {
			p->m->summary.undecoded++;
			at = (size_t)(next_row(p, piece, va) - piece->start);
			continue;
		}
		if (at == 0 && is_goexit(p, piece) && !add_goexit(p, piece, instruction.length))
			return false;
		at += instruction.length;
		if (instruction.is_call && !add_pad(p, piece->tree, va, piece->start + at))
			return false;
	}
	return true;
}

static void count_pad(struct pads *p, const struct pad *pad)
{
	for (uint32_t i = 0; i < pad->frames; i++) {
		maker_table_use(&p->table, &p->m->pool, p->frame[pad->frame + i].function);
		maker_table_use(&p->table, &p->m->pool, p->frame[pad->frame + i].file);
	}
}

static enum cairn_status write_pad(struct pads *p, const struct pad *pad)
{
	struct symbfile_frame *frame = p->frame + pad->frame;
	struct symbfile_pad_frames frames = { frame, pad->frames };

	for (uint32_t i = 0; i < pad->frames; i++) {
		frame[i].function = p->table.index[frame[i].function];
		frame[i].file = p->table.index[frame[i].file];
	}
	if (!maker_reserve(p->out, PAD_MAX + (size_t)pad->frames * FRAME_MAX))
		return CAIRN_NO_MEMORY;
	if (symbfile_put_pad(&p->writer, p->out, pad->address, &frames) != SYMBFILE_VALID)
		return CAIRN_UNSUPPORTED;
	p->m->summary.pads++;
	p->m->summary.frames += pad->frames;
	return CAIRN_OK;
}

static enum cairn_status write_all_pads(struct pads *p)
{
	enum cairn_status status = CAIRN_OK;

	for (size_t at = 0, end; at < p->pads && status == CAIRN_OK; at = end) {
		maker_table_clear(&p->table);
		for (end = at; end < p->pads && (end == at || p->table.cost < MAKER_TABLE_MAX);
		     end++)
			count_pad(p, &p->pad[end]);
		status = maker_table_put(&p->table, &p->m->pool, 1, p->out);
		for (size_t i = at; i < end && status == CAIRN_OK; i++)
			status = write_pad(p, &p->pad[i]);
	}
	return status;
}

static enum cairn_status write_pad_file(struct pads *p)
{
	p->nothing = string_pool_add(&p->m->pool, (struct cairn_bytes){ (const uint8_t *)"", 0 });
	if (p->nothing == STRING_POOL_FULL || !maker_reserve(p->out, PAD_MAX))
		return CAIRN_NO_MEMORY;
	symbfile_put_start(p->out);
	for (size_t i = 0; i < p->m->pieces; i++)
		if (!scan_piece(p, &p->m->piece[i]))
			return CAIRN_NO_MEMORY;
	if (!maker_table_init(&p->table, p->m->pool.count))
		return CAIRN_NO_MEMORY;
	return write_all_pads(p);
}

enum cairn_status symbfile_maker_pads(struct symbfile_maker *m, const struct maker_code *code,
                                      struct sink *file)
{
	struct pads *p = calloc(1, sizeof(*p));
	enum cairn_status status = CAIRN_UNSUPPORTED;

	*file = sink_open(NULL, 0);
	if (!p)
		return CAIRN_NO_MEMORY;
	p->m = m;
	p->code = code;
	p->out = file;
	if (calls_supported(code->machine))
		status = write_pad_file(p);
	maker_table_finish(&p->table);
	free(p->pad);
	free(p->frame);
	free(p);
	if (status != CAIRN_OK) {
		free(file->data);
		file->data = NULL;
	}
	return status;
}
