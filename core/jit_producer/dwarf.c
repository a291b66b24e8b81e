/* SPDX-License-Identifier: MIT */
/* Validates a function, and encodes its frame and line table as DWARF. */
#include "dwarf.h"

#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* State while the unwind rows of one function are encoded as CFA instructions. */
struct cairn_jit_rule {
	struct cairn_jit_bytes *out;
	const struct cairn_jit_function *function;
	uint32_t at;
	uint16_t cfa_register;
	int32_t cfa_offset;
	struct cairn_jit_saved saved[CAIRN_JIT_SAVED_MAX];
	size_t count;
	bool started;
	const char *problem; /* rule of cairn_jit.h that the function breaks, or NULL */
};

static bool refuse(struct cairn_jit_rule *state, const char *problem)
{
	state->problem = problem;
	return false;
}

enum {
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_restore_extended = 0x06,
	REGISTER_MAX = 127,
};

static void advance_location(struct cairn_jit_rule *state, uint32_t offset)
{
	uint32_t delta = offset - state->at;

	state->at = offset;
	if (delta == 0)
		return;
	if (delta < 0x40) {
		cairn_jit_put_number(state->out, DW_CFA_advance_loc | delta, 1);
		return;
	}
	unsigned size = delta < 0x100 ? 1 : delta < 0x10000 ? 2 : 4;

	cairn_jit_put_number(state->out,
	                     size == 1   ? DW_CFA_advance_loc1
	                     : size == 2 ? DW_CFA_advance_loc2
	                                 : DW_CFA_advance_loc4,
	                     1);
	cairn_jit_put_number(state->out, delta, size);
}

static void write_cfa(struct cairn_jit_bytes *out, uint16_t reg, int32_t offset)
{
	cairn_jit_put_number(out, offset < 0 ? DW_CFA_def_cfa_sf : DW_CFA_def_cfa, 1);
	cairn_jit_put_uleb(out, reg);
	if (offset < 0)
		cairn_jit_put_sleb(out, offset / MACHINE_DATA_ALIGN);
	else
		cairn_jit_put_uleb(out, (uint64_t)offset);
}

static void write_saved(struct cairn_jit_bytes *out, struct cairn_jit_saved saved)
{
	int64_t factored = saved.offset / MACHINE_DATA_ALIGN;

	if (factored >= 0 && saved.reg < 64) {
		cairn_jit_put_number(out, DW_CFA_offset | saved.reg, 1);
		cairn_jit_put_uleb(out, (uint64_t)factored);
		return;
	}
	cairn_jit_put_number(out, DW_CFA_offset_extended_sf, 1);
	cairn_jit_put_uleb(out, saved.reg);
	cairn_jit_put_sleb(out, factored);
}

static void write_restored(struct cairn_jit_bytes *out, uint16_t reg)
{
	if (reg < 64) {
		cairn_jit_put_number(out, DW_CFA_restore | reg, 1);
		return;
	}
	cairn_jit_put_number(out, DW_CFA_restore_extended, 1);
	cairn_jit_put_uleb(out, reg);
}

static const struct cairn_jit_saved *find_saved(const struct cairn_jit_saved *saved, size_t count,
                                                uint16_t reg)
{
	for (size_t i = 0; i < count; i++)
		if (saved[i].reg == reg)
			return &saved[i];
	return NULL;
}

/* Return the rule that a row breaks, or NULL. The rows of templates come from other members. */
static const char *check_row(const struct cairn_jit_rule *state, const struct cairn_jit_row *row)
{
	const enum cairn_jit_frame_kind kind = state->function->frame.kind;
	const bool given = kind == CAIRN_JIT_ROWS || kind == CAIRN_JIT_SET_UP;

	if (row->offset >= state->function->size)
		return given ? "the offset of a row is outside the code"
		             : "the prologue or an exit extends beyond the code";
	if (state->started && row->offset <= state->at)
		return given ? "the offsets of the rows do not ascend"
		             : "the exits do not ascend, or one overlaps another or the prologue";
	if (row->saved_count > CAIRN_JIT_SAVED_MAX)
		return "a row saves more than CAIRN_JIT_SAVED_MAX registers";
	if (!row->saved && row->saved_count > 0)
		return "`saved` of a row is NULL, but its count is not 0";
	if (row->cfa_register > REGISTER_MAX)
		return "the DWARF number of a register is larger than 127";
	if (row->cfa_offset < 0 && row->cfa_offset % MACHINE_DATA_ALIGN)
		return "a negative CFA offset is not a multiple of 8";
	for (size_t i = 0; i < row->saved_count; i++) {
		if (row->saved[i].reg > REGISTER_MAX)
			return "the DWARF number of a register is larger than 127";
		if (row->saved[i].offset % MACHINE_DATA_ALIGN)
			return "the offset of a saved register is not a multiple of 8";
		if (find_saved(row->saved, i, row->saved[i].reg))
			return "a register is saved twice";
	}
	return NULL;
}

static void write_places(struct cairn_jit_rule *state, const struct cairn_jit_row *row)
{
	for (size_t i = 0; i < state->count; i++)
		if (!find_saved(row->saved, row->saved_count, state->saved[i].reg))
			write_restored(state->out, state->saved[i].reg);
	for (size_t i = 0; i < row->saved_count; i++) {
		const struct cairn_jit_saved *before =
			find_saved(state->saved, state->count, row->saved[i].reg);

		if (!before || before->offset != row->saved[i].offset)
			write_saved(state->out, row->saved[i]);
	}
}

/*
 * Append the instructions for the next row. Returns false if the row violates the rules of
 * cairn_jit.h.
 */
static bool cairn_jit_write_row(struct cairn_jit_rule *state, const struct cairn_jit_row *row)
{
	const char *problem = check_row(state, row);

	if (problem)
		return refuse(state, problem);
	advance_location(state, row->offset);
	if (row->cfa_register != state->cfa_register || row->cfa_offset != state->cfa_offset)
		write_cfa(state->out, row->cfa_register, row->cfa_offset);
	write_places(state, row);
	state->cfa_register = row->cfa_register;
	state->cfa_offset = row->cfa_offset;
	if (row->saved_count)
		memcpy(state->saved, row->saved, row->saved_count * sizeof(*row->saved));
	state->count = row->saved_count;
	state->started = true;
	return true;
}

CAIRN_JIT_INTERNAL void cairn_jit_write_cie(struct cairn_jit_bytes *out, enum cairn_jit_cie kind)
{
	const size_t begin = out->size;
	const bool eh = kind != CIE_DEBUG_FRAME;

	cairn_jit_put_number(out, CIE_BYTES - 4, 4);
	cairn_jit_put_number(out, eh ? 0 : UINT32_MAX, 4);
	cairn_jit_put(out, eh ? "\1" : "\3", 1);
	cairn_jit_put(out, eh ? "zR" : "", eh ? 3 : 1);
	cairn_jit_put_uleb(out, 1);
	cairn_jit_put_sleb(out, MACHINE_DATA_ALIGN);
	cairn_jit_put_uleb(out, MACHINE_RETURN);
	if (eh)
		cairn_jit_put(out, kind == CIE_RELATIVE ? "\1\x1b" : "\1\0",
		              2); /* size of the augmentation data, and the DW_EH_PE_ encoding */
	write_cfa(out, MACHINE_SP, MACHINE_CFA_AT_ENTRY);
	if (MACHINE_RETURN_SAVED)
		write_saved(out, (struct cairn_jit_saved){ MACHINE_RETURN, -8 });
	while (out->size - begin < CIE_BYTES && !out->failed)
		cairn_jit_put_number(out, 0, 1);
}

/*
 * Generates the rows of frame templates: one row after each instruction in the prologue and the
 * epilogues.
 */

struct template_row {
	struct cairn_jit_row row;
	struct cairn_jit_saved saved[CAIRN_JIT_SAVED_MAX];
};

static void add_saved(struct template_row *row, uint16_t reg, int32_t offset)
{
	row->saved[row->row.saved_count++] = (struct cairn_jit_saved){ reg, offset };
}

static bool write_template(struct cairn_jit_rule *state, struct template_row *row, uint32_t offset)
{
	row->row.offset = offset;
	row->row.saved = row->saved;
	return cairn_jit_write_row(state, &row->row);
}

static bool write_entry(struct cairn_jit_rule *state, uint32_t offset)
{
	const struct cairn_jit_row row = { offset, MACHINE_SP, MACHINE_CFA_AT_ENTRY, NULL, 0 };

	return cairn_jit_write_row(state, &row);
}

/* Restore the row for the function body after an exit in the middle of the function. */
static bool write_body(struct cairn_jit_rule *state, struct template_row *body, uint32_t offset)
{
	return offset >= state->function->size || write_template(state, body, offset);
}

/*
 * Write the rows around exits that are a bare `ret`, where the CFA is the same as at function
 * entry.
 */
static bool write_returns(struct cairn_jit_rule *state, struct template_row *body)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	for (size_t i = 0; i < frame->exit_count; i++)
		if (!write_entry(state, frame->exits[i]) ||
		    !write_body(state, body, frame->exits[i] + 1))
			return false;
	return true;
}

#if defined(__x86_64__)

/* Return the size of a `push` or `pop` instruction: one byte, plus a REX prefix for r8 to r15. */
static uint32_t count_push_bytes(uint16_t reg)
{
	return reg < 8 ? 1 : 2;
}

/*
 * Write a row for each push, starting at offset *at. `height` is the distance from the stack
 * pointer to the CFA before the first push.
 */
static bool write_pushes(struct cairn_jit_rule *state, struct template_row *row, int32_t height,
                         uint32_t *at)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	for (size_t i = 0; i < frame->save_count; i++) {
		height += 8;
		add_saved(row, frame->saves[i], -height);
		if (row->row.cfa_register == MACHINE_SP)
			row->row.cfa_offset = height;
		if (!write_template(state, row, *at + 1))
			return false;
		*at += count_push_bytes(frame->saves[i]);
	}
	return true;
}

/*
 * Append the rows of a function with a frame pointer. Returns false if a row violates the rules of
 * cairn_jit.h, or if the machine has no frame templates.
 */
static bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state)
{
	enum { PUSH_BYTES = 1, MOVE_BYTES = 3 };
	uint32_t at = state->function->frame.prologue;
	struct template_row row = { .row = { .cfa_register = MACHINE_SP, .cfa_offset = 16 } };

	add_saved(&row, MACHINE_FP, -16);
	if (!write_template(state, &row, at + PUSH_BYTES))
		return false;
	row.row.cfa_register = MACHINE_FP;
	if (!write_template(state, &row, at + PUSH_BYTES + 1))
		return false;
	at += PUSH_BYTES + MOVE_BYTES;
	return write_pushes(state, &row, 16, &at) && write_returns(state, &row);
}

/*
 * Return the size of the instruction that adjusts the stack pointer: `add` or `lea` with an 8-bit
 * or 32-bit immediate.
 */
static uint32_t count_add_bytes(const uint8_t *code)
{
	if (code[1] == 0x8d)
		return code[2] == 0x64 ? 5 : 8;
	return code[1] == 0x83 ? 4 : 7;
}

static bool write_epilogue(struct cairn_jit_rule *state, const struct template_row *body,
                           uint32_t at)
{
	const struct cairn_jit_frame *frame = &state->function->frame;
	const uint8_t *code = state->function->code;
	struct template_row row = *body;

	if (frame->frame_size) {
		if (at >= state->function->size || state->function->size - at < 4)
			return refuse(state, "the prologue or an exit extends beyond the code");
		row.row.cfa_offset -= (int32_t)frame->frame_size;
		if (!write_template(state, &row, at + 1))
			return false;
		at += count_add_bytes(code + at);
	}
	for (size_t i = frame->save_count; i-- > 0;) {
		row.row.saved_count--;
		row.row.cfa_offset -= 8;
		if (!write_template(state, &row, at + 1))
			return false;
		at += count_push_bytes(frame->saves[i]);
	}
	row = *body;
	return write_body(state, &row, at + 1);
}

static bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;
	uint32_t at = frame->prologue;
	struct template_row row = { .row = { .cfa_register = MACHINE_SP, .cfa_offset = 8 } };

	if (frame->frame_size > INT32_MAX / 2)
		return refuse(state, "frame_size is larger than 1 GiB");
	if (!write_pushes(state, &row, 8, &at))
		return false;
	row.row.cfa_offset += (int32_t)frame->frame_size;
	if (frame->frame_size && !write_template(state, &row, at + 1))
		return false;
	for (size_t i = 0; i < frame->exit_count; i++)
		if (!write_epilogue(state, &row, frame->exits[i]))
			return false;
	return true;
}

#elif defined(__aarch64__)

/*
 * Write the rows for the instructions that save register pairs above the frame record. The first of
 * these instructions is at offset `at`.
 */
static bool write_pairs(struct cairn_jit_rule *state, struct template_row *row, uint32_t at)
{
	const struct cairn_jit_frame *frame = &state->function->frame;
	int32_t place = 16 - (int32_t)frame->frame_size;

	for (size_t i = 0; i < frame->save_count; i++, place += 8) {
		add_saved(row, frame->saves[i], place);
		if (i % 2 == 0 && i + 1 < frame->save_count)
			continue;
		if (!write_template(state, row, at + 1))
			return false;
		at += 4;
	}
	return true;
}

static bool write_record(struct cairn_jit_rule *state, bool pointed)
{
	const struct cairn_jit_frame *frame = &state->function->frame;
	int32_t size = (int32_t)frame->frame_size;
	uint32_t at = frame->prologue;
	struct template_row row = { .row = { .cfa_register = MACHINE_SP, .cfa_offset = size } };

	if (frame->frame_size > INT32_MAX / 2)
		return refuse(state, "frame_size is larger than 1 GiB");
	if (frame->frame_size < 16 + 8 * frame->save_count || frame->frame_size % 16)
		return refuse(state, "frame_size is not a multiple of 16, or less than the saved "
		                     "registers take");
	add_saved(&row, MACHINE_FP, -size);
	add_saved(&row, MACHINE_RETURN, 8 - size);
	if (!write_template(state, &row, at + 1))
		return false;
	row.row.cfa_register = pointed ? MACHINE_FP : MACHINE_SP;
	if (pointed && !write_template(state, &row, at + 5))
		return false;
	return write_pairs(state, &row, at + (pointed ? 8 : 4)) && write_returns(state, &row);
}

static bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state)
{
	return write_record(state, true);
}

static bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state)
{
	return write_record(state, false);
}

#else

static bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state)
{
	(void)write_returns;
	return refuse(state, "this machine has no such frame template; use CAIRN_JIT_ROWS");
}

static bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state)
{
	return cairn_jit_write_frame_pointer(state);
}

#endif

static bool write_all_rows(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	if (frame->row_count == 0 || !frame->rows)
		return refuse(state, "there are no rows");
	if (frame->rows[0].offset != 0)
		return refuse(state, "the first row is not for offset 0");
	for (size_t i = 0; i < frame->row_count; i++)
		if (!cairn_jit_write_row(state, &frame->rows[i]))
			return false;
	return true;
}

/*
 * Describe the return address with an expression: the CFA register plus an offset. Without an
 * expression LLDB prefers its own analysis of the code, which mistakes the first instruction for a
 * function entry. Machines that pass the return address in a register do not need this.
 */
static void write_return(struct cairn_jit_bytes *out, const struct cairn_jit_row *row)
{
	enum { DW_CFA_expression = 0x10, DW_OP_breg0 = 0x70, OPERATORS = 32 };
	struct cairn_jit_bytes expression = { .data = NULL };

	for (size_t i = 0; i < row->saved_count; i++)
		if (row->saved[i].reg == MACHINE_RETURN)
			return;
	if (!MACHINE_RETURN_SAVED || row->cfa_register >= OPERATORS)
		return;
	cairn_jit_put_number(&expression, DW_OP_breg0 + (unsigned)row->cfa_register, 1);
	cairn_jit_put_sleb(&expression, (int64_t)row->cfa_offset - 8);
	cairn_jit_put_number(out, DW_CFA_expression, 1);
	cairn_jit_put_uleb(out, MACHINE_RETURN);
	cairn_jit_put_uleb(out, expression.size);
	cairn_jit_put(out, expression.data, expression.size);
	out->failed = out->failed || expression.failed;
	cairn_jit_free(expression.data, expression.capacity);
}

static bool write_set_up(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	if (frame->row_count != 1)
		return refuse(state, "CAIRN_JIT_SET_UP needs exactly one row");
	if (!write_all_rows(state))
		return false;
	write_return(state->out, frame->rows);
	return true;
}

static bool write_frame(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	if (frame->save_count > CAIRN_JIT_SAVED_MAX - 2)
		return refuse(state, "save_count is larger than CAIRN_JIT_SAVED_MAX - 2");
	if ((!frame->saves && frame->save_count > 0) || (!frame->exits && frame->exit_count > 0))
		return refuse(state, "`saves` or `exits` is NULL, but its count is not 0");
	switch (frame->kind) {
	case CAIRN_JIT_UNKNOWN_FRAME:
	case CAIRN_JIT_NO_FRAME:
		return true;
	case CAIRN_JIT_SET_UP:
		return write_set_up(state);
	case CAIRN_JIT_FRAME_POINTER:
		return cairn_jit_write_frame_pointer(state);
	case CAIRN_JIT_FIXED_FRAME:
		return cairn_jit_write_fixed_frame(state);
	case CAIRN_JIT_ROWS:
		return write_all_rows(state);
	}
	return refuse(state, "frame.kind is not a value of enum cairn_jit_frame_kind");
}

/*
 * Append the CFA instructions of an FDE. The CIE describes the frame at function entry. Returns the
 * rule of cairn_jit.h that the frame breaks, or NULL.
 */
static const char *cairn_jit_write_rule(struct cairn_jit_bytes *out,
                                        const struct cairn_jit_function *function)
{
	struct cairn_jit_rule state = { .out = out,
		                        .function = function,
		                        .cfa_register = MACHINE_SP,
		                        .cfa_offset = MACHINE_CFA_AT_ENTRY };

	return write_frame(&state) ? NULL : state.problem;
}

/*
 * Encodes lines as DWARF special opcodes where possible, and decodes them when existing functions
 * are written to a jitdump later.
 */

enum {
	DW_LNS_copy = 1,
	DW_LNS_advance_pc = 2,
	DW_LNS_advance_line = 3,
};

static void write_line(struct cairn_jit_bytes *out, uint32_t advance, int64_t lines)
{
	int64_t place = lines - LINES_BASE;
	int64_t special = place + (int64_t)LINES_RANGE * advance + LINES_OPCODE_BASE;

	if (place >= 0 && place < LINES_RANGE && special <= UINT8_MAX) {
		cairn_jit_put_number(out, (uint64_t)special, 1);
		return;
	}
	if (lines) {
		cairn_jit_put_number(out, DW_LNS_advance_line, 1);
		cairn_jit_put_sleb(out, lines);
	}
	if (advance) {
		cairn_jit_put_number(out, DW_LNS_advance_pc, 1);
		cairn_jit_put_uleb(out, advance);
	}
	cairn_jit_put_number(out, DW_LNS_copy, 1);
}

/*
 * Append a function's line program, but not DW_LNE_end_sequence. Returns the rule of cairn_jit.h
 * that the lines break, or NULL.
 */
static const char *cairn_jit_write_lines(struct cairn_jit_bytes *out,
                                         const struct cairn_jit_function *function)
{
	struct cairn_jit_line before = { .line = 1 };

	if (!function->file || function->line_count == 0)
		return NULL;
	for (size_t i = 0; i < function->line_count; i++) {
		const struct cairn_jit_line *line = &function->lines[i];

		if (line->offset >= function->size)
			return "the offset of a line is outside the code";
		if (line->offset < before.offset)
			return "the lines are not sorted by offset";
		write_line(out, line->offset - before.offset, (int64_t)line->line - before.line);
		before = *line;
	}
	cairn_jit_put_number(out, DW_LNS_advance_pc, 1);
	cairn_jit_put_uleb(out, function->size - before.offset);
	return NULL;
}

static int64_t take_leb(const uint8_t **at, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* Does not validate the line program, because this library has written it. */
CAIRN_JIT_INTERNAL bool cairn_jit_next_line(const uint8_t **ops, const uint8_t *end,
                                            struct cairn_jit_line *line)
{
	while (*ops < end) {
		uint8_t op = *(*ops)++;

		if (op == DW_LNS_copy)
			return true;
		if (op == DW_LNS_advance_pc)
			line->offset += (uint32_t)take_leb(ops, false);
		else if (op == DW_LNS_advance_line)
			line->line += (uint32_t)take_leb(ops, true);
		else {
			line->offset += (uint32_t)(op - LINES_OPCODE_BASE) / LINES_RANGE;
			line->line +=
				(uint32_t)(LINES_BASE + (op - LINES_OPCODE_BASE) % LINES_RANGE);
			return true;
		}
	}
	return false;
}

static const char *check_description(const struct cairn_jit_function *function)
{
	const uint64_t start = (uint64_t)(uintptr_t)function->code;

	if (start == 0)
		return "`code` is NULL";
	if (function->size == 0 || function->size > UINT32_MAX)
		return "the size of the code is 0 or larger than UINT32_MAX";
	if (start + function->size <= start)
		return "the code extends beyond the last address";
	if (!function->lines && function->line_count > 0)
		return "`lines` is NULL, but its count is not 0";
	return NULL;
}

static const char *choose_name(struct cairn_jit_scratch *scratch,
                               const struct cairn_jit_function *function)
{
	if (function->name && *function->name)
		return function->name;
	snprintf(scratch->name, sizeof(scratch->name), "jit_%" PRIxPTR, (uintptr_t)function->code);
	return scratch->name;
}

CAIRN_JIT_INTERNAL bool cairn_jit_make_facts(struct cairn_jit_scratch *scratch,
                                             const struct cairn_jit_function *function,
                                             struct cairn_jit_facts *facts)
{
	scratch->frame.size = scratch->lines.size = 0;
	scratch->frame.failed = scratch->lines.failed = false;
	scratch->problem = check_description(function);
	if (!scratch->problem)
		scratch->problem = cairn_jit_write_rule(&scratch->frame, function);
	if (!scratch->problem)
		scratch->problem = cairn_jit_write_lines(&scratch->lines, function);
	if (scratch->problem || scratch->frame.failed || scratch->lines.failed)
		return false;
	*facts = (struct cairn_jit_facts){
		.start = (uint64_t)(uintptr_t)function->code,
		.size = (uint32_t)function->size,
		.first_line = function->line_count ? function->lines[0].line : 0,
		.name = choose_name(scratch, function),
		.frame = scratch->frame.data,
		.frame_size = (uint32_t)scratch->frame.size,
		.lines = scratch->lines.data,
		.lines_size = (uint32_t)scratch->lines.size,
		.framed = function->frame.kind != CAIRN_JIT_UNKNOWN_FRAME,
	};
	const size_t name_size = strlen(facts->name) + 1;
	const size_t file_size = function->file && *function->file ? strlen(function->file) + 1 : 0;
	facts->name_size = (uint32_t)name_size;
	facts->file = function->file;
	facts->file_size = (uint32_t)file_size;
	if (name_size >= INT32_MAX || file_size >= INT32_MAX)
		scratch->problem = "the name or the path of the source file is longer than 2 GiB";
	return !scratch->problem;
}
