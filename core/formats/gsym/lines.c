/* SPDX-License-Identifier: MIT */
/*
 * Runs the line table of one function, which is a small program:
 *
 *	table   = low:sleb high:sleb first_line:uleb opcode*
 *	opcode  = 0                       end of table
 *	        | 1 file:uleb             set file (initially 1)
 *	        | 2 advance:uleb          address += advance, then emit a row
 *	        | 3 delta:sleb            line += delta
 *	        | special:1               advance both, then emit a row
 * For a special opcode, divide (special - 4) by (high - low + 1): the quotient is the address
 * advance, and the remainder plus `low` is the line step. Lines wrap at 32 bits, addresses at 64.
 * The division is a multiplication by the inverse, which is exact for all special opcodes (the unit
 * test tries each).
 *
 * On request, cairn's writer adds flags for debuggers. They are encoded as marks: line steps of 0,
 * which have no effect on other readers. A table that starts with two marks uses them; other
 * writers never emit two in a row. From then on, the number of marks before a row is a bit mask.
 * Bit 0 toggles whether this and later rows start a statement (initially true), bit 1 marks the end
 * of the function's prologue, and bit 2 means that the line starts again in another variable scope.
 */
#include "gsym.h"

#include "leb.h"

#include <string.h>

enum {
	OPCODE_END = 0,
	OPCODE_FILE = 1,
	OPCODE_ADVANCE = 2,
	OPCODE_LINE = 3,
	OPCODE_SPECIAL = 4,
	SPECIALS = 252,
	INVERSE_BITS = 16,
};

/* The two marks at the start of a table that uses marks. */
static const uint8_t marks[] = { OPCODE_LINE, 0, OPCODE_LINE, 0 };

static void stop_line_rows(struct gsym_rows *rows, struct cairn_fault fault)
{
	rows->done = true;
	rows->fault = fault;
}

static void stop_at(struct gsym_rows *rows, const uint8_t *p, enum cairn_status status,
                    const char *what)
{
	uint64_t left = (uint64_t)(rows->end - p);
	stop_line_rows(rows, (struct cairn_fault){ status, rows->data_at + rows->table_size - left,
	                                           what });
}

static void set_window(struct gsym_rows *rows, int64_t low, int64_t high)
{
	rows->low = low;
	rows->backward = high < low;
	rows->span = (uint64_t)high - (uint64_t)low;
	if (rows->span < SPECIALS)
		rows->inverse = (uint32_t)(((1u << INVERSE_BITS) + rows->span) / (rows->span + 1));
}

struct gsym_rows gsym_rows(const struct gsym_block *lines, uint64_t start)
{
	struct reader in = reader_open(lines->data, false);
	int64_t low = reader_sleb(&in), high = reader_sleb(&in);
	uint64_t first = reader_uleb(&in);
	struct gsym_rows rows = { .next = lines->data.data + in.at,
		                  .end = lines->data.data + lines->data.size,
		                  .va = start,
		                  .file = 1,
		                  .line = (uint32_t)first,
		                  .data_at = lines->at + 8,
		                  .table_size = lines->data.size };

	set_window(&rows, low, high);
	if (!reader_ok(&in)) {
		in.fault.offset += rows.data_at;
		stop_line_rows(&rows, in.fault);
	} else if (in.at + sizeof(marks) <= lines->data.size &&
	           memcmp(rows.next, marks, sizeof(marks)) == 0) {
		rows.next += sizeof(marks);
		rows.marked = rows.statement = true;
	}
	return rows;
}

LEB_INLINE void special(struct gsym_rows *rows, uint32_t opcode)
{
	uint32_t step = opcode - OPCODE_SPECIAL;
	uint32_t quotient = step * rows->inverse >> INVERSE_BITS;

	rows->va += quotient;
	rows->line += (uint32_t)rows->low + step - quotient * (uint32_t)(rows->span + 1);
}

/*
 * Execute opcode 1, 2 or 3, whose operand is at `p`. Return a pointer past the operand, or NULL if
 * it is invalid.
 */
LEB_INLINE const uint8_t *operand(struct gsym_rows *rows, uint32_t opcode, const uint8_t *p)
{
	uint64_t number = 0;
	int64_t delta = 0;
	const uint8_t *next = opcode == OPCODE_LINE ? leb_signed(p, rows->end, &delta)
	                                            : leb_unsigned(p, rows->end, &number);

	if (!next)
		return NULL;
	if (opcode == OPCODE_FILE) {
		/* replace large indices with one that is invalid in every file table */
		rows->file = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	} else if (opcode == OPCODE_ADVANCE) {
		rows->va += number;
	} else {
		rows->line += (uint32_t)(uint64_t)delta;
		rows->marks += (uint32_t)(uint64_t)delta == 0;
	}
	return next;
}

/*
 * Run opcodes up to the next row. Return false at the end of the table or after damage, and set
 * rows->done.
 */
LEB_INLINE bool advance(struct gsym_rows *rows)
{
	const uint8_t *p = rows->next;

	while (p < rows->end) {
		uint32_t opcode = *p++;
		if (opcode >= OPCODE_SPECIAL && !rows->backward) {
			special(rows, opcode);
			rows->next = p;
			return true;
		}
		if (opcode == OPCODE_END) {
			rows->done = true;
			return false;
		}
		if (opcode >= OPCODE_SPECIAL) {
			stop_at(rows, p - 1, CAIRN_MALFORMED, "a line step outside its window");
			return false;
		}
		const uint8_t *next = operand(rows, opcode, p);
		if (!next) {
			struct cairn_fault fault = leb_fault(p, rows->end, opcode == OPCODE_LINE);
			stop_at(rows, p, fault.status, fault.what);
			return false;
		}
		p = next;
		if (opcode == OPCODE_ADVANCE) {
			rows->next = p;
			return true;
		}
	}
	stop_at(rows, rows->end, CAIRN_TRUNCATED, "a line table has no end");
	return false;
}

bool gsym_next_row(struct gsym_rows *rows, struct gsym_row *row)
{
	rows->marks = 0;
	if (rows->done || !advance(rows))
		return false;
	if (rows->marked) {
		rows->statement ^= rows->marks & 1;
		rows->prologue_end = rows->marks & 2;
		rows->apart = rows->marks & 4;
	}
	*row = (struct gsym_row){ rows->va, rows->file, rows->line };
	return true;
}

bool gsym_find_row(struct gsym_rows *rows, uint64_t va, struct gsym_row *row)
{
	struct gsym_rows r = *rows;
	struct gsym_row last = { 0, 0, 0 };
	bool found = false;

	while (!r.done && advance(&r) && r.va <= va) {
		last = (struct gsym_row){ r.va, r.file, r.line };
		found = true;
	}
	*rows = r;
	if (found)
		*row = last;
	return found;
}
