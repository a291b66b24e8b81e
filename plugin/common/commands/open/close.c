/* SPDX-License-Identifier: MIT */
/* The command close, which removes a capture shown by the command open, and its files. */
#include "common/commands/commands.h"

#include <inttypes.h>

struct closing {
	uint64_t view;
};

static struct closing *get_closing(const struct command_call *call)
{
	return call->context;
}

/* Choose the selected capture, or the newest if none is selected. */
static enum answer choose_selected(struct command_call *call)
{
	struct captures *captures = &call->session->captures;
	struct closing *closing = get_closing(call);
	uint64_t view = 0;
	const enum answer answer = call->session->debugger->find_view(call, &view);

	if (answer != ANSWER_READY)
		return answer;
	const struct shown_capture *shown = captures_find(captures, view);
	closing->view = shown ? view : captures->shown[captures->count - 1].view;
	return ANSWER_READY;
}

static enum answer choose_capture(struct command_call *call)
{
	struct captures *captures = &call->session->captures;
	struct closing *closing = get_closing(call);

	captures_drop_unshown(captures);
	if (captures->count == 0) {
		reply_error(call, "no capture is open");
		return ANSWER_FAILED;
	}
	if (words_count_operands(call->words) == 0)
		return choose_selected(call);
	if (words_count_operands(call->words) == 1 &&
	    words_parse_number(call->words, 0, &closing->view) &&
	    captures_find(captures, closing->view))
		return ANSWER_READY;
	reply_error(call, "that is no capture; the newest one is %" PRIu64,
	            captures->shown[captures->count - 1].view);
	return ANSWER_FAILED;
}

static enum answer hide_capture(struct command_call *call)
{
	return call->session->debugger->hide_capture(
		call, captures_find(&call->session->captures, get_closing(call)->view));
}

static enum answer drop_capture(struct command_call *call)
{
	struct captures *captures = &call->session->captures;

	captures_drop(captures, captures_find(captures, get_closing(call)->view));
	reply_set(call, "cairn_captures", captures->count);
	return ANSWER_READY;
}

const struct command command_close = {
	.name = "cairn close",
	.usage = "[NUMBER]",
	.help = "Remove a capture that \"cairn open\" has opened, and its files.\n"
		"NUMBER is that of its inferior or target; without it the selected one goes, or\n"
		"else the newest. Whatever was selected before is selected again.",
	.example = "cairn close",
	.steps = { choose_capture, hide_capture, drop_capture },
	.context_size = sizeof(struct closing),
};
