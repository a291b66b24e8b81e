/* SPDX-License-Identifier: MIT */
/* Reads the registers of the innermost frame, or reports why there is none. */
#include "innermost.h"

bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers)
{
	static const char *const reasons[] = {
		[FRAME_UNREADABLE] = "the innermost frame is in no module that cairn can read",
		[FRAME_RUNNING] = "no stack: the selected thread is running",
		[FRAME_NONE] = "no stack",
	};
	const enum frame_state state = call->session->debugger->read_frame(call, registers);

	if (state != FRAME_KNOWN)
		reply_error(call, "%s", reasons[state]);
	return state == FRAME_KNOWN;
}

enum answer innermost_find_module(struct command_call *call)
{
	const struct debugger *debugger = call->session->debugger;

	return debugger->find_frame_module ? debugger->find_frame_module(call) : ANSWER_READY;
}
