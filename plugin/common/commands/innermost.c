/* SPDX-License-Identifier: MIT */
/* Reads the registers of the innermost frame, or reports why there is no frame. */
#include "innermost.h"

bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers)
{
	switch (call->session->debugger->read_frame(call, registers)) {
	case FRAME_KNOWN:
		return true;
	case FRAME_UNREADABLE:
		reply_error(call, "the innermost frame is in no module that cairn can read");
		break;
	case FRAME_RUNNING:
		reply_error(call, "no stack: the selected thread is running");
		break;
	case FRAME_NONE:
		reply_error(call, "no stack");
		break;
	}
	return false;
}

enum answer innermost_find_module(struct command_call *call)
{
	const struct debugger *debugger = call->session->debugger;

	return debugger->find_frame_module ? debugger->find_frame_module(call) : ANSWER_READY;
}
