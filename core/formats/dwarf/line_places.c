/* SPDX-License-Identifier: MIT */
/*
 * The opcodes of which line number programs consist but for a few, with the state of the program in variables:
 * rows in batches.  Where anything else comes, or the end is near, dwarf_next_row() goes on.
 */
#include "cursor.h"
#include "line.h"
#include "line_opcodes.h"

enum { LONGEST = 4 }; /* bytes of an opcode that is read here */

/* What an opcode led to. */
enum outcome {
	MOVED,
	GIVEN, /* a row */
	LEFT,  /* it is not read here; nothing has moved */
};

/* What struct dwarf_line has of a program that runs, and how special opcodes divide. */
struct program {
	const uint8_t *at;
	uint64_t va, file;
	uint32_t line, column, reciprocal;
	uint8_t minimum, range;
	int8_t base;
	bool statement, prologue_end, discriminated, next_discriminated;
};

/* A number of up to three bytes, after the opcode; returns how many with that one, or 0: it is longer. */
static inline unsigned read_short(const uint8_t *at, uint32_t *number)
{
	*number = at[1];
	if (at[1] < 0x80)
		return 2;
	*number = (at[1] & 0x7fu) | (at[2] & 0x7fu) << 7;
	if (at[2] < 0x80)
		return 3;
	*number |= (uint32_t)at[3] << 14;
	return at[3] < 0x80 ? 4 : 0;
}

/* The highest bit of the last byte is the sign. */
static inline unsigned read_short_signed(const uint8_t *at, uint32_t *number)
{
	unsigned size = read_short(at, number);
	uint32_t sign = size > 0 ? (uint32_t)0x40 << 7 * (size - 2) : 0;

	*number = (*number ^ sign) - sign;
	return size;
}

static inline void move_line(struct program *p, uint32_t difference)
{
	p->line += difference;
	if (difference != 0)
		p->discriminated = p->next_discriminated;
}

/* An opcode below 256 divided by the range, without a division: exact for 8 bits. */
static inline uint32_t count_operations(const struct program *p, unsigned adjusted)
{
	return adjusted * p->reciprocal >> 16;
}

static inline enum outcome run_special(struct program *p, unsigned adjusted)
{
	uint32_t operations = count_operations(p, adjusted);

	p->va += (uint64_t)operations * p->minimum;
	move_line(p, (uint32_t)(p->base + (int)(adjusted - operations * p->range)));
	p->at++;
	return GIVEN;
}

static inline enum outcome move_on(struct program *p, unsigned size)
{
	p->at += size;
	return size > 0 ? MOVED : LEFT;
}

static inline enum outcome run_with_number(struct program *p, unsigned opcode)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	if (size == 0)
		return LEFT;
	if (opcode == OP_ADVANCE_PC)
		p->va += (uint64_t)number * p->minimum;
	else if (opcode == OP_SET_FILE)
		p->file = number;
	else
		p->column = number;
	return move_on(p, size);
}

static inline enum outcome run_advance_line(struct program *p)
{
	uint32_t difference;
	unsigned size = read_short_signed(p->at, &difference);

	if (size > 0)
		move_line(p, difference);
	return move_on(p, size);
}

static inline enum outcome run_discriminator(struct program *p)
{
	const uint8_t *at = p->at;

	if (at[1] != 2 || at[2] != EXTENDED_SET_DISCRIMINATOR || at[3] >= 0x80)
		return LEFT;
	p->next_discriminated = at[3] != 0;
	p->discriminated |= p->next_discriminated;
	return move_on(p, LONGEST);
}

static inline enum outcome run_usual(struct program *p, unsigned opcode, unsigned base_opcode)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_discriminator(p);
	case OP_COPY:
		p->at++;
		return GIVEN;
	case OP_ADVANCE_PC:
	case OP_SET_FILE:
	case OP_SET_COLUMN:
		return run_with_number(p, opcode);
	case OP_ADVANCE_LINE:
		return run_advance_line(p);
	case OP_NEGATE_STATEMENT:
		p->statement = !p->statement;
		return move_on(p, 1);
	case OP_CONST_ADD_PC:
		p->va += (uint64_t)count_operations(p, 255u - base_opcode) * p->minimum;
		return move_on(p, 1);
	case OP_PROLOGUE_END:
		p->prologue_end = true;
		return move_on(p, 1);
	default:
		return LEFT;
	}
}

static inline void put_row(struct program *p, struct dwarf_plain_row *row)
{
	*row = (struct dwarf_plain_row){ .va = p->va,
		                         .file = p->file,
		                         .line = p->line,
		                         .statement = p->statement,
		                         .prologue_end = p->prologue_end,
		                         .discriminated = p->discriminated };
	p->prologue_end = p->next_discriminated = false;
}

static struct program load_program(const struct dwarf_line *line)
{
	return (struct program){ .at = line->at,
		                 .va = line->va,
		                 .file = line->file,
		                 .line = line->row_line,
		                 .column = line->row_column,
		                 .reciprocal = 0xffffu / line->range + 1u,
		                 .minimum = line->minimum,
		                 .range = line->range,
		                 .base = line->base,
		                 .statement = line->statement,
		                 .prologue_end = line->prologue_end,
		                 .discriminated = line->discriminated,
		                 .next_discriminated = line->next_discriminated };
}

static void store_program(struct dwarf_line *line, const struct program *p)
{
	line->at = p->at;
	line->va = p->va;
	line->file = p->file;
	line->row_line = p->line;
	line->row_column = p->column;
	line->statement = p->statement;
	line->prologue_end = p->prologue_end;
	line->discriminated = p->discriminated;
	line->next_discriminated = p->next_discriminated;
}

size_t dwarf_plain_rows(struct dwarf_line *line, struct dwarf_plain_row *rows, size_t room)
{
	const uint8_t *end = line->end;
	unsigned base_opcode = line->base_opcode;
	size_t count = 0;

	if (line->fault.status != CAIRN_OK || line->operations != 1 || line->range == 0)
		return 0;
	struct program p = load_program(line);
	enum outcome outcome = MOVED;
	while (outcome != LEFT && count < room && end - p.at >= LONGEST) {
		unsigned opcode = *p.at;
		outcome = opcode >= base_opcode ? run_special(&p, opcode - base_opcode)
		                                : run_usual(&p, opcode, base_opcode);
		if (outcome == GIVEN)
			put_row(&p, &rows[count++]);
	}
	store_program(line, &p);
	return count;
}
