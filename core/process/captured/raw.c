/* SPDX-License-Identifier: MIT */
/* Reads a backtrace in the Compact Backtrace Format (docs/formats/cbf.md) as a thread of frames; it names no modules. */
#include "captured_stacks.h"

/* Frames that were omitted have no addresses: the stack goes on behind them. */
void captured_read_cbf(struct captured *c)
{
	const struct cairn_bytes none = { c->options->text.data, 0 };
	struct captured_thread thread = { .first = c->step_count, .name = none };
	struct cairn_trace trace;
	struct cairn_frame run;

	cairn_trace_open(c->options->text, &trace);
	while (cairn_trace_next(&trace, &run)) {
		const struct captured_frame frame = { .source = CAPTURED_DEBUGGER,
			                              .pc = run.kind == CAIRN_FRAME_PC
			                                            ? CAPTURED_PC_EXACT
			                                            : CAPTURED_PC_RETURN,
			                              .has_address = true,
			                              .address = run.value,
			                              .text = none,
			                              .module = none,
			                              .id = none,
			                              .function = none,
			                              .file = none };
		if (run.kind == CAIRN_FRAME_OMITTED)
			continue;
		captured_add_steps(c, &thread, &frame, run.times);
	}
	captured_add_thread(c, &thread);
}
