/* SPDX-License-Identifier: MIT */
/*
 * A fast interpreter for the most frequent opcodes of line number programs. It keeps the state in
 * local variables and produces only locations, one per address. dwarf_next_row() runs the remaining
 * opcodes.
 */
#include "line.h"
#include "line_opcodes.h"

/* Inline always, so that each constant value of `columns` gets its own loop. */
#define FOR_EACH_VALUE static inline __attribute__((always_inline))

enum { LONGEST = 4 }; /* maximum size of an opcode with operands that is run here */

/*
 * Registers and header fields of the running program, the reciprocal for dividing special opcodes,
 * and the rows so far.
 */
struct program {
	const uint8_t *at;
	uint64_t va, files;
	uint32_t line, file, column, file_number, first_file, reciprocal;
	uint8_t minimum, range;
	int8_t base;
	struct function_row *begin, *end;
};

/*
 * Read the operand of an opcode, a ULEB128 of up to three bytes. Return its size plus 1 for the
 * opcode, or 0 if it is longer.
 */
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

/* Read a signed operand. Its sign is bit 6 of the last byte. */
static inline unsigned read_short_signed(const uint8_t *at, uint32_t *number)
{
	unsigned size = read_short(at, number);
	uint32_t sign = size > 0 ? (uint32_t)0x40 << 7 * (size - 2) : 0;

	*number = (*number ^ sign) - sign;
	return size;
}

static inline unsigned skip_short(const uint8_t *at)
{
	uint32_t number;

	return read_short(at, &number);
}

static inline uint32_t number_file(const struct program *p, uint64_t file)
{
	return file < p->files ? (uint32_t)file + p->first_file : 0;
}

/* Divide a special opcode by the range with a multiplication, which is exact for 8-bit values. */
static inline uint32_t count_operations(const struct program *p, unsigned adjusted)
{
	return adjusted * p->reciprocal >> 16;
}

/* Advance the address. Return false without a change if it would wrap. */
static inline bool move_address(struct program *p, uint64_t operations)
{
	uint64_t va = p->va + operations * p->minimum;

	if (va < p->va)
		return false;
	p->va = va;
	return true;
}

/*
 * Add a row. The last row at an address replaces earlier ones, and a row that repeats the previous
 * location is omitted.
 */
FOR_EACH_VALUE void put_place(struct program *p, const bool columns)
{
	struct function_row *end = p->end;
	const uint32_t column = columns ? p->column : 0;

	if (end > p->begin && end[-1].va == p->va)
		end--;
	if (end == p->begin || end[-1].line != p->line || end[-1].file != p->file ||
	    (columns && end[-1].column != column))
		*end++ = (struct function_row){
			.va = p->va, .file = p->file, .line = p->line, .column = column
		};
	p->end = end;
}

/*
 * The run_ functions return the size of the opcode with its operands, or 0 without a change if it
 * cannot be run here.
 */
FOR_EACH_VALUE unsigned run_special(struct program *p, unsigned adjusted, const bool columns)
{
	uint32_t operations = count_operations(p, adjusted);

	if (!move_address(p, operations))
		return 0;
	p->line += (uint32_t)(p->base + (int)(adjusted - operations * p->range));
	put_place(p, columns);
	return 1;
}

static inline unsigned run_advance_line(struct program *p)
{
	uint32_t difference;
	unsigned size = read_short_signed(p->at, &difference);

	p->line += size > 0 ? difference : 0;
	return size;
}

static inline unsigned run_advance_pc(struct program *p)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	return size > 0 && move_address(p, number) ? size : 0;
}

static inline unsigned run_set_file(struct program *p)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	if (size == 0)
		return 0;
	p->file_number = number;
	p->file = number_file(p, number);
	return size;
}

static inline unsigned run_set_column(struct program *p)
{
	uint32_t number;
	unsigned size = read_short(p->at, &number);

	p->column = size > 0 ? number : p->column;
	return size;
}

static inline unsigned run_discriminator(const uint8_t *at)
{
	return at[1] == 2 && at[2] == EXTENDED_SET_DISCRIMINATOR && at[3] < 0x80 ? LONGEST : 0;
}

/* Run an opcode if it advances the address; otherwise only return its size. */
static inline unsigned pass_usual(struct program *p, unsigned opcode, unsigned base_opcode)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_discriminator(p->at);
	case OP_ADVANCE_PC:
		return run_advance_pc(p);
	case OP_ADVANCE_LINE:
	case OP_SET_FILE:
	case OP_SET_COLUMN:
		return skip_short(p->at);
	case OP_COPY:
	case OP_NEGATE_STATEMENT:
	case OP_PROLOGUE_END:
		return 1;
	case OP_CONST_ADD_PC:
		return move_address(p, count_operations(p, 255u - base_opcode));
	default:
		return 0;
	}
}

FOR_EACH_VALUE unsigned run_usual(struct program *p, unsigned opcode, unsigned base_opcode,
                                  const bool columns)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_discriminator(p->at);
	case OP_COPY:
		put_place(p, columns);
		return 1;
	case OP_ADVANCE_PC:
		return run_advance_pc(p);
	case OP_ADVANCE_LINE:
		return run_advance_line(p);
	case OP_SET_FILE:
		return run_set_file(p);
	case OP_SET_COLUMN:
		return columns ? run_set_column(p) : skip_short(p->at);
	case OP_NEGATE_STATEMENT:
	case OP_PROLOGUE_END:
		return 1;
	case OP_CONST_ADD_PC:
		return move_address(p, count_operations(p, 255u - base_opcode));
	default:
		return 0;
	}
}

static struct program load_program(const struct dwarf_line *line, const struct dwarf_places *places)
{
	struct program p = { .at = line->at,
		             .va = line->va,
		             .files = places->files,
		             .line = line->row_line,
		             .column = line->row_column,
		             .file_number = (uint32_t)line->file,
		             .first_file = places->first_file,
		             .reciprocal = 0xffffu / line->range + 1u,
		             .minimum = line->minimum,
		             .range = line->range,
		             .base = line->base,
		             .begin = places->row,
		             .end = places->row + places->count };

	p.file = number_file(&p, line->file);
	return p;
}

static bool is_usual(const struct dwarf_line *line)
{
	return line->fault.status == CAIRN_OK && line->operations == 1 && line->range > 0;
}

static bool can_go_on(const struct dwarf_line *line, const struct dwarf_places *places)
{
	return is_usual(line) && line->file <= UINT32_MAX &&
	       (places->count == 0 || line->va >= places->row[places->count - 1].va);
}

FOR_EACH_VALUE void append_places(struct dwarf_line *line, struct dwarf_places *places,
                                  const bool columns)
{
	const struct function_row *full = places->row + places->room;
	unsigned base_opcode = line->base_opcode, size = 1;
	struct program p = load_program(line, places);
	const uint8_t *end = line->end;

	while (size > 0 && p.end < full && end - p.at >= LONGEST) {
		unsigned opcode = *p.at;
		size = opcode >= base_opcode ? run_special(&p, opcode - base_opcode, columns)
		                             : run_usual(&p, opcode, base_opcode, columns);
		p.at += size;
	}
	line->at = p.at;
	line->va = p.va;
	line->file = p.file_number;
	line->row_line = p.line;
	line->row_column = columns ? p.column : line->row_column;
	places->count = (size_t)(p.end - p.begin);
}

void dwarf_append_places(struct dwarf_line *line, struct dwarf_places *places)
{
	if (!can_go_on(line, places))
		return;
	if (places->columns)
		append_places(line, places, true);
	else
		append_places(line, places, false);
}

void dwarf_pass_places(struct dwarf_line *line)
{
	struct program p = { .at = line->at, .va = line->va, .minimum = line->minimum };
	unsigned base_opcode = line->base_opcode, size = 1;

	if (!is_usual(line))
		return;
	p.reciprocal = 0xffffu / line->range + 1u;
	const uint8_t *end = line->end;
	while (size > 0 && end - p.at >= LONGEST) {
		unsigned opcode = *p.at;
		if (opcode >= base_opcode)
			size = move_address(&p, count_operations(&p, opcode - base_opcode));
		else
			size = pass_usual(&p, opcode, base_opcode);
		p.at += size;
	}
	line->at = p.at;
	line->va = p.va;
}
