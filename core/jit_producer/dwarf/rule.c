/* SPDX-License-Identifier: MIT */
/* Selects the conversion of a function's rule into rows. */
#include "rule.h"

#include "jit_producer/base/machine.h"

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

/*
 * Describe the return address by an expression: the CFA register plus an offset. Otherwise LLDB
 * prefers its own analysis of the code, which takes the first instruction for a function entry. Not
 * needed on machines where a call does not push the return address, because it is stored elsewhere
 * there.
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
	cairn_jit_free(expression.data, expression.room);
}

static bool write_set_up(struct cairn_jit_rule *state)
{
	const struct cairn_jit_frame *frame = &state->function->frame;

	if (frame->row_count != 1 || !write_all_rows(state))
		return false;
	write_return(state->out, frame->rows);
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
		return write_set_up(&state);
	case CAIRN_JIT_FRAME_POINTER:
		return cairn_jit_write_frame_pointer(&state);
	case CAIRN_JIT_FIXED_FRAME:
		return cairn_jit_write_fixed_frame(&state);
	case CAIRN_JIT_ROWS:
		return write_all_rows(&state);
	}
	return false;
}
