/* SPDX-License-Identifier: MIT */
/* Reads a backtrace in the Compact Backtrace Format (docs/formats/cbf.md) as a thread of frames; it names no modules. */
#include "captured_stacks.h"

/* A text may leave frames out, which have no addresses then; the frames after them are kept. */
bool captured_take_cbf(struct captured *c, struct cairn_bytes bytes, struct captured_thread *thread)
{
	struct captured_frame frame = captured_bare_frame(c->options->text.data);
	struct cairn_trace trace;
	struct cairn_frame run;

	*thread = (struct captured_thread){ .first = c->step_count, .name = frame.text };
	cairn_trace_open(bytes, &trace);
	while (cairn_trace_next(&trace, &run)) {
		frame.pc = run.kind == CAIRN_FRAME_PC ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
		frame.address = run.value;
		if (run.kind != CAIRN_FRAME_OMITTED)
			captured_add_steps(c, thread, &frame, run.times);
	}
	return thread->count > 0;
}
