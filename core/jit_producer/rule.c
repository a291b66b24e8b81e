/* SPDX-License-Identifier: MIT */
/* Chooses how the rule of a function is made into rows. */
#include "rule.h"

#include "machine.h"
#include "templates.h"

static bool write_all_rows(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	if (frame->row_count == 0 || frame->rows[0].offset != 0)
		return false;
	for (size_t i = 0; i < frame->row_count; i++)
		if (!cairn_jit_write_row(state, &frame->rows[i]))
			return false;
	return true;
}

CAIRN_JIT_INTERNAL bool cairn_jit_write_rule(struct cairn_jit_bytes *out,
                                             const struct cairn_jit_function *function)
{
	struct cairn_jit_rule state = { .out = out,
		                        .function = function,
		                        .cfa_register = MACHINE_SP,
		                        .cfa_offset = MACHINE_CFA_AT_ENTRY };

	if (function->frame.save_count > CAIRN_JIT_SAVED_MAX - 2)
		return false;
	switch (function->frame.kind) {
	case CAIRN_JIT_UNKNOWN_FRAME:
	case CAIRN_JIT_NO_FRAME:
		return true;
	case CAIRN_JIT_SET_UP:
		return function->frame.row_count == 1 && write_all_rows(&state);
	case CAIRN_JIT_FRAME_POINTER:
		return cairn_jit_write_frame_pointer(&state);
	case CAIRN_JIT_FIXED_FRAME:
		return cairn_jit_write_fixed_frame(&state);
	case CAIRN_JIT_ROWS:
		return write_all_rows(&state);
	}
	return false;
}
