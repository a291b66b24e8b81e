/* SPDX-License-Identifier: MIT */
/*
 * Manages the pieces of a function for the data flow: their instructions, and the targets of jumps
 * and tables.
 */
#include "flow_state.h"

#include <string.h>

enum { DISTANCE = 4 }; /* size of a table entry that is a distance from the table */

void flow_begin(struct flow *f, bool catches)
{
	f->catches = catches;
	f->code_size = f->instructions = f->rows = f->states = f->facts = 0;
	f->pieces = f->tables = f->targets = f->refusals = f->steps = 0;
	f->broken = 0;
	f->wild = f->failed = false;
	f->want = FLOW_DONE;
}

bool flow_has_piece(const struct flow *f, uint64_t va)
{
	for (uint32_t p = 0; p < f->pieces; p++)
		if (va - f->piece[p].va < f->piece[p].size)
			return true;
	return false;
}

uint8_t *flow_piece(struct flow *f, uint64_t va, uint32_t size)
{
	if (f->pieces == FLOW_PIECES || size == 0 || size > FLOW_CODE - f->code_size ||
	    flow_has_piece(f, va))
		return NULL;
	f->piece[f->pieces] = (struct flow_piece){ .va = va,
		                                   .size = size,
		                                   .at = f->code_size,
		                                   .first = f->instructions,
		                                   .first_row = f->rows };
	return f->code + f->code_size;
}

/* Count rows that do not fit, so that flow_close_piece() fails. */
void flow_row(struct flow *f, struct flow_row row)
{
	struct flow_piece *piece = &f->piece[f->pieces];

	if (f->rows < FLOW_ROWS)
		f->row[f->rows++] = row;
	piece->rows++;
}

static void add_instruction(struct flow *f, const struct amd64_instruction *is, uint32_t at,
                            uint32_t row)
{
	f->instruction[f->instructions++] = (struct flow_instruction){ .is = *is,
		                                                       .at = at,
		                                                       .target = FLOW_NOTHING,
		                                                       .state = FLOW_NOTHING,
		                                                       .table = FLOW_NOTHING,
		                                                       .row = (uint16_t)row };
}

/* Decode the instructions of a piece, each with the row in force. */
static bool decode_piece(struct flow *f, const struct flow_piece *piece)
{
	const uint32_t end = piece->at + piece->size, last_row = f->rows - 1;
	uint32_t row = piece->first_row;
	struct amd64_instruction is;

	for (uint32_t at = piece->at; at < end; at += is.length) {
		if (f->instructions == FLOW_INSTRUCTIONS ||
		    !amd64_decode(f->code + at, end - at, &is))
			return false;
		while (row < last_row && f->row[row + 1].start <= at - piece->at)
			row++;
		add_instruction(f, &is, at, row);
	}
	return true;
}

bool flow_close_piece(struct flow *f)
{
	struct flow_piece *piece = &f->piece[f->pieces];

	if (piece->rows == 0 || f->rows - piece->first_row != piece->rows ||
	    !decode_piece(f, piece)) {
		f->instructions = piece->first;
		f->rows = piece->first_row;
		return false;
	}
	piece->count = f->instructions - piece->first;
	f->code_size += piece->size;
	f->pieces++;
	return true;
}

static uint32_t find_instruction(const struct flow *f, uint64_t va)
{
	const struct flow_piece *piece = f->piece, *end = f->piece + f->pieces;

	while (piece < end && va - piece->va >= piece->size)
		piece++;
	if (piece == end)
		return FLOW_NOTHING;
	uint32_t at = piece->at + (uint32_t)(va - piece->va), base = piece->first;
	for (uint32_t left = piece->count; left > 1;) {
		uint32_t half = left / 2;
		if (f->instruction[base + half].at <= at)
			base += half;
		left -= half;
	}
	return f->instruction[base].at == at ? base : FLOW_NOTHING;
}

uint64_t flow_va_after(const struct flow_piece *piece, const struct flow_instruction *i)
{
	return piece->va + (i->at - piece->at) + i->is.length;
}

enum flow_status flow_request(struct flow *f, enum flow_status what, struct flow_need wanted)
{
	f->wanted = wanted;
	return f->want = what;
}

static bool was_refused(const struct flow *f, uint64_t va)
{
	for (uint32_t i = 0; i < f->refusals; i++)
		if (f->refused[i] == va)
			return true;
	return f->refusals == FLOW_REJECTED_MAX;
}

/*
 * Resolve the target of a jump. Request the piece of a target outside the pieces unless that was
 * rejected before.
 */
static void link_jump(struct flow *f, const struct flow_piece *piece, struct flow_instruction *i)
{
	uint64_t to = flow_va_after(piece, i) + (uint64_t)(int64_t)i->is.displacement;

	i->target = find_instruction(f, to);
	if (i->target != FLOW_NOTHING)
		f->instruction[i->target].landing = true;
	else if (flow_has_piece(f, to))
		f->failed = true; /* a jump into the middle of an instruction */
	else if (f->want == FLOW_DONE && f->pieces < FLOW_PIECES && !was_refused(f, to))
		flow_request(f, FLOW_NEEDS_PIECE, (struct flow_need){ .va = to });
}

void flow_link_jumps(struct flow *f)
{
	for (uint32_t p = 0; p < f->pieces && f->want == FLOW_DONE; p++) {
		const struct flow_piece *piece = &f->piece[p];
		for (uint32_t n = 0; n < piece->count; n++) {
			struct flow_instruction *i = &f->instruction[piece->first + n];
			if (i->is.kind == AMD64_JUMP || i->is.kind == AMD64_BRANCH)
				link_jump(f, piece, i);
		}
	}
}

bool flow_link(struct flow *f)
{
	f->want = FLOW_DONE;
	flow_link_jumps(f);
	return f->want != FLOW_DONE;
}

struct flow_table *flow_find_table(struct flow *f, uint64_t va)
{
	for (uint32_t t = 0; t < f->tables; t++)
		if (f->table[t].va == va)
			return &f->table[t];
	return NULL;
}

/*
 * If two tables hold distances from their own start, end the first one where the second one begins:
 * the entries that follow belong to the second table.
 */
static void cut_table(struct flow_table *table, const struct flow_table *next)
{
	uint64_t apart = next->va - table->va;

	if (table->size == DISTANCE && next->size == DISTANCE && next->va > table->va &&
	    apart / DISTANCE < table->count)
		table->count = (uint32_t)(apart / DISTANCE);
}

/* Return the wanted table. Create it at its first entry, or without entries if it is rejected. */
static struct flow_table *wanted_table(struct flow *f)
{
	struct flow_table *table = flow_find_table(f, f->wanted.va);

	if (!table) {
		table = &f->table[f->tables++];
		*table = (struct flow_table){ f->wanted.va, f->targets, 0, f->wanted.size };
		for (uint32_t t = 0; t + 1 < f->tables; t++)
			cut_table(&f->table[t], table);
	}
	return table;
}

/* Return true if another table begins at the end of this one. */
static bool is_full(const struct flow *f, const struct flow_table *table)
{
	struct flow_table grown = *table;

	grown.count++;
	for (uint32_t t = 0; t < f->tables; t++)
		cut_table(&grown, &f->table[t]);
	return grown.count == table->count;
}

bool flow_target(struct flow *f, uint64_t va)
{
	uint32_t target = find_instruction(f, va);

	if (target == FLOW_NOTHING || f->targets == FLOW_TARGETS)
		return false;
	struct flow_table *table = wanted_table(f);
	if (is_full(f, table))
		return false;
	table->count++;
	f->target[f->targets++] = target;
	return true;
}

void flow_reject(struct flow *f)
{
	if (f->want == FLOW_NEEDS_TABLE)
		wanted_table(f);
	else if (f->want == FLOW_NEEDS_PIECE && f->refusals < FLOW_REJECTED_MAX)
		f->refused[f->refusals++] = f->wanted.va;
}
