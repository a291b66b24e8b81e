/* SPDX-License-Identifier: MIT */
/*
 * Writes the rows of frame templates: the effect of each instruction of the prologue and epilogues.
 */
#include "rows.h"

#include "jit_producer/base/machine.h"

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

/* Write the entry row again at `offset`. */
static bool write_entry(struct cairn_jit_rule *state, uint32_t offset)
{
	const struct cairn_jit_row row = { offset, MACHINE_SP, MACHINE_CFA_AT_ENTRY, NULL, 0 };

	return cairn_jit_write_row(state, &row);
}

/* Write the body row after an exit in the middle of the function. */
static bool write_body(struct cairn_jit_rule *state, struct template_row *body, uint32_t offset)
{
	return offset >= state->function->size || write_template(state, body, offset);
}

/* Write the rows of exits. An exit is a `ret`, where the frame is as at the entry. */
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

/* Return the size of `push` or `pop`: one byte, and a prefix for r8 to r15. */
static uint32_t count_push_bytes(uint16_t reg)
{
	return reg < 8 ? 1 : 2;
}

/*
 * Write the rows of pushes from *at on. `height` is the distance between the CFA and the stack
 * pointer before them.
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

CAIRN_JIT_INTERNAL bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state)
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
 * Return the size of the instruction that adds to the stack pointer: `add` or `lea` with 8 or 32
 * bits.
 */
static uint32_t count_add_bytes(const uint8_t *code)
{
	if (code[1] == 0x8d)
		return code[2] == 0x64 ? 5 : 8;
	return code[1] == 0x83 ? 4 : 7;
}

/* Write the rows of the epilogue at `at`, whose instructions reverse the prologue. */
static bool write_epilogue(struct cairn_jit_rule *state, const struct template_row *body,
                           uint32_t at)
{
	const struct cairn_jit_frame *frame = &state->function->frame;
	const uint8_t *code = state->function->code;
	struct template_row row = *body;

	if (frame->frame_size) {
		if (at >= state->function->size || state->function->size - at < 4)
			return false;
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

CAIRN_JIT_INTERNAL bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;
	uint32_t at = frame->prologue;
	struct template_row row = { .row = { .cfa_register = MACHINE_SP, .cfa_offset = 8 } };

	if (frame->frame_size > INT32_MAX / 2 || !write_pushes(state, &row, 8, &at))
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

/* Write the rows of the instructions from `at` on that save pairs above the frame record. */
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

	if (frame->frame_size > INT32_MAX / 2 || frame->frame_size < 16 + 8 * frame->save_count ||
	    frame->frame_size % 16)
		return false;
	add_saved(&row, MACHINE_FP, -size);
	add_saved(&row, MACHINE_RETURN, 8 - size);
	if (!write_template(state, &row, at + 1))
		return false;
	row.row.cfa_register = pointed ? MACHINE_FP : MACHINE_SP;
	if (pointed && !write_template(state, &row, at + 5))
		return false;
	return write_pairs(state, &row, at + (pointed ? 8 : 4)) && write_returns(state, &row);
}

CAIRN_JIT_INTERNAL bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state)
{
	return write_record(state, true);
}

CAIRN_JIT_INTERNAL bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state)
{
	return write_record(state, false);
}

#else

CAIRN_JIT_INTERNAL bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state)
{
	(void)state, (void)write_returns;
	return false;
}

CAIRN_JIT_INTERNAL bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state)
{
	(void)state;
	return false;
}

#endif
