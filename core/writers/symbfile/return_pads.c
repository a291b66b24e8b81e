/* SPDX-License-Identifier: MIT */
/*
 * Return pads: for each call in the code of a tree, the chain at the call, under the address of the
 * call's last byte.  The code is read from the beginning of each piece; where no instruction is, it
 * goes on at the next row of a line table, because one begins there.
 */
#include "trees.h"

#include "base/bisect.h"
#include "base/bytes_compare.h"
#include "isa/calls.h"
#include "symbols/index/segments.h"

#include <stdlib.h>

enum { PAD_MAX = 64, FRAME_MAX = 15 }; /* bytes of a pad, and more for each frame */

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
	uint32_t nothing; /* the empty text */
	struct pad *pad;
	size_t pads, pad_room;
	struct symbfile_frame *frame;
	size_t frames, frame_room;

	/* the chain at the present address: records that hold it, outermost first */
	uint32_t chain[MAKER_DEPTH_MAX + 1];
	unsigned depth;
	uint32_t next; /* the record that may be entered next */
};

/* The code from `va` on, as far as it is in one piece. */
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

/* Which records of the tree hold `va`; addresses are asked in ascending order. */
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
	if (r->rows == 0) /* and there may be no memory for rows */
		return 0;
	const struct maker_row *row = p->m->shard[tree->shard]->row + r->row;
	const size_t next = SORTED_UP_TO(row, r->rows, va, va);

	return next ? row[next - 1].line : 0;
}

/* Frame number i of the chain: where it calls the next one, or is itself. */
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

/* A pad for the call at `call`, which returns to `next`. */
static bool add_pad(struct pads *p, const struct maker_tree *tree, uint64_t call, uint64_t next)
{
	move_chain(p, tree, call);
	if (!array_grow(&p->pad, &p->pad_room, p->pads + 1, sizeof(*p->pad)) ||
	    !array_grow(&p->frame, &p->frame_room, p->frames + p->depth, sizeof(*p->frame)))
		return false;
	p->pad[p->pads++] = (struct pad){ next - 1, p->frames, p->depth };
	for (unsigned i = 0; i < p->depth; i++)
		p->frame[p->frames++] = frame_of(p, tree, i, call);
	return true;
}

/* The first row after `va` in any record of the tree; the end when there is none. */
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

/* A goroutine returns into the first instruction of this one, though nothing there calls. */
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
