/* SPDX-License-Identifier: MIT */
/*
 * Runs a line number program row by row (DWARF 5, section 6.2.5). An opcode of base_opcode or above
 * advances both address and line and emits a row. A standard opcode below it changes one register.
 * 0 is followed by a length and an extended opcode.
 */
#include "cursor.h"
#include "line.h"
#include "line_opcodes.h"

enum outcome {
	NOTHING,
	GIVEN,
	BROKEN,
};

static void advance_operations(struct dwarf_line *line, uint64_t operations)
{
	if (line->operations == 1) {
		line->va += operations * line->minimum;
		return;
	}
	uint64_t sum = line->index + operations;
	line->va += sum / line->operations * line->minimum;
	line->index = sum % line->operations;
}

static enum outcome emit_line_row(struct dwarf_line *line, enum dwarf_row_kind kind,
                                  struct dwarf_row *row)
{
	row->kind = kind;
	row->va = line->va;
	row->file = line->file;
	row->line = line->row_line;
	row->column = line->row_column;
	row->statement = line->statement;
	row->prologue_end = line->prologue_end;
	line->prologue_end = false;
	row->discriminated = line->discriminated;
	line->next_discriminated = false;
	row->sequence = (uint64_t)(line->sequence - line->sections->line.data);
	return GIVEN;
}

static void advance_line(struct dwarf_line *line, uint32_t difference)
{
	line->row_line += difference;
	if (difference != 0)
		line->discriminated = line->next_discriminated;
}

static enum outcome run_special_opcode(struct dwarf_line *line, unsigned opcode,
                                       struct dwarf_row *row)
{
	unsigned adjusted = opcode - line->base_opcode;

	if (line->range == 0)
		return BROKEN;
	advance_operations(line, adjusted / line->range);
	advance_line(line, (uint32_t)(line->base + (int)(adjusted % line->range)));
	return emit_line_row(line, DWARF_ROW, row);
}

static enum outcome run_set_address(struct dwarf_line *line, struct dwarf_cursor *c)
{
	size_t size = cursor_left(c);

	if (size != 4 && size != 8)
		return BROKEN;
	line->va = cursor_number(c, (unsigned)size);
	line->index = 0;
	return NOTHING;
}

/* Set the discriminator. A truncated one counts as 0, because debuggers do not need it. */
static enum outcome set_discriminator(struct dwarf_line *line, struct dwarf_cursor *c)
{
	uint64_t discriminator = cursor_uleb(c);

	line->next_discriminated = !c->bad && discriminator != 0;
	line->discriminated |= line->next_discriminated;
	return NOTHING;
}

static enum outcome define_file(struct dwarf_line *line, struct dwarf_cursor *c,
                                struct dwarf_row *row)
{
	emit_line_row(line, DWARF_ROW_FILE, row);
	row->added.path = (struct dwarf_attribute){ .class = DWARF_STRING };
	row->added.path.text = cursor_string(c);
	row->added.directory = cursor_uleb(c);
	return c->bad ? BROKEN : GIVEN;
}

static enum outcome run_extended_opcode(struct dwarf_line *line, struct dwarf_cursor *c,
                                        struct dwarf_row *row)
{
	uint64_t length = cursor_uleb(c);
	const uint8_t *operands = cursor_take(c, length);

	if (!operands || length == 0)
		return c->bad ? BROKEN : NOTHING;
	struct dwarf_cursor inside = { operands + 1, operands + length, c->big, false };
	switch (*operands) {
	case EXTENDED_END_SEQUENCE:
		emit_line_row(line, DWARF_ROW_END, row);
		dwarf_begin_sequence(line, c->at);
		return GIVEN;
	case EXTENDED_SET_ADDRESS:
		return run_set_address(line, &inside);
	case EXTENDED_DEFINE_FILE:
		return line->unit.version < 5 ? define_file(line, &inside, row) : NOTHING;
	case EXTENDED_SET_DISCRIMINATOR:
		return set_discriminator(line, &inside);
	default: /* skipped by its length */
		return NOTHING;
	}
}

static enum outcome run_standard_opcode(struct dwarf_line *line, struct dwarf_cursor *c,
                                        unsigned opcode, struct dwarf_row *row)
{
	switch (opcode) {
	case OP_EXTENDED:
		return run_extended_opcode(line, c, row);
	case OP_COPY:
		return emit_line_row(line, DWARF_ROW, row);
	case OP_ADVANCE_PC:
		advance_operations(line, cursor_uleb(c));
		return NOTHING;
	case OP_ADVANCE_LINE:
		advance_line(line, (uint32_t)cursor_sleb(c));
		return NOTHING;
	case OP_SET_FILE:
		line->file = cursor_uleb(c);
		return NOTHING;
	case OP_SET_COLUMN:
		line->row_column = (uint32_t)cursor_uleb(c);
		return NOTHING;
	case OP_NEGATE_STATEMENT:
		line->statement = !line->statement;
		return NOTHING;
	case OP_PROLOGUE_END: /* since version 3; reserved without operands before */
		line->prologue_end = true;
		return NOTHING;
	case OP_CONST_ADD_PC:
		if (line->range == 0)
			return BROKEN;
		advance_operations(line, (255u - line->base_opcode) / line->range);
		return NOTHING;
	case OP_FIXED_ADVANCE_PC:
		line->va += cursor_number(c, 2);
		line->index = 0;
		return NOTHING;
	/* other flags and opcodes of later versions; the header gives the number of operands */
	default:
		for (unsigned i = line->lengths[opcode - 1]; i > 0; i--)
			cursor_uleb(c);
		return NOTHING;
	}
}

bool dwarf_next_row(struct dwarf_line *line, struct dwarf_row *row)
{
	struct dwarf_cursor c = { line->at, line->end, line->sections->big, false };
	enum outcome outcome = NOTHING;

	if (line->fault.status != CAIRN_OK)
		return false;
	while (outcome == NOTHING && c.at < c.end) {
		line->at = c.at;
		unsigned opcode = *c.at++;
		outcome = opcode >= line->base_opcode ? run_special_opcode(line, opcode, row)
		                                      : run_standard_opcode(line, &c, opcode, row);
		if (c.bad)
			outcome = BROKEN;
	}
	if (outcome == BROKEN)
		line->fault =
			(struct cairn_fault){ CAIRN_MALFORMED,
			                      (uint64_t)(line->at - line->sections->line.data),
			                      "a line number program is damaged" };
	else
		line->at = c.at;
	return outcome == GIVEN;
}
