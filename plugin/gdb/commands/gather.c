/* SPDX-License-Identifier: MIT */
/* The command _cairn gather, which loads symbols of new modules at a stop or before a start. */
#include "commands.h"

#include "common/session/loading.h"
#include "loading/jit_code.h"
#include "loading/linker_list.h"
#include "loading/prepared_libraries.h"

/*
 * Plan all modules if the user has enabled auto-symbols. Nothing is printed unless something is
 * found.
 */
static enum answer plan_all(struct command_call *call)
{
	struct loading *loading = call->context;

	if (!call->session->sources.follow)
		return ANSWER_DONE;
	enum answer answer =
		call->session->debugger->loader->list_targets(call, &loading->list, false);
	if (answer != ANSWER_READY)
		return answer;
	prepared_libraries_search(call);
	loading_begin(call, true, true);
	loading_targets(call, NULL);
	loading_remove_stale(call);
	jit_code_plan(call, &loading->plan);
	linker_list_begin(gdb_session(call), gdb_session(call)->state);
	return ANSWER_READY;
}

/*
 * Load the planned symbols. The list of modules is recorded even if some symbols cannot be loaded.
 */
static enum answer take_all(struct command_call *call)
{
	enum answer answer = loading_take(call);

	if (answer == ANSWER_PENDING)
		return answer;
	if (answer == ANSWER_READY)
		loading_report(call);
	linker_list_end(gdb_session(call));
	return answer;
}

const struct command command_gather = {
	.name = "_cairn gather",
	.usage = "",
	.steps = { plan_all, loading_ask_own, take_all },
	.context_size = sizeof(struct loading),
	.finish = loading_finish,
};
