/* SPDX-License-Identifier: MIT */
/* symbols load and unload, and what follows modules as they come. */
#include "commands.h"

#include "common/base/json_writer.h"
#include "loading/linker_list.h"
#include "loading/loading.h"
#include "loading/symbol_handover.h"
#include "queries/autoload.h"
#include "queries/breakpoints.h"

#include <string.h>
#include <unistd.h>

/* What symbols unload keeps while GDB lets go of objects. */
struct unloading {
	int inferior;
};

static enum answer load_symbols(struct command_call *call)
{
	const char *name = command_call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	gdb_session(call)->glance.known = false;
	if (gdb_call(call)->exchange->asked == PENDING_NOTHING) {
		gdb_state_request(call);
		return gdb_answer(call);
	}
	if (gdb_call(call)->exchange->asked == PENDING_GDB_STATE) {
		struct gdb_state *survey = gdb_state_read(call);
		if (!survey || !gdb_state_check(call, survey))
			return ANSWER_FAILED;
		loading_begin(call, every, false);
		loading_modules(call, survey, every ? NULL : name);
		if (every)
			loading_remove_stale(call, survey);
	}
	loading_continue(call);
	return gdb_answer(call);
}

/*
 * At a stop where something was loaded or closed, or before a start, when the user has asked to follow
 * modules: silent unless something was found.
 */
static enum answer follow_modules(struct command_call *call)
{
	if (gdb_call(call)->exchange->asked == PENDING_NOTHING) {
		if (call->session->sources.follow)
			gdb_state_request(call);
		return gdb_answer(call);
	}
	if (gdb_call(call)->exchange->asked == PENDING_GDB_STATE) {
		struct gdb_state *survey = gdb_state_read(call);
		if (!survey)
			return ANSWER_FAILED;
		loading_begin(call, true, true);
		loading_modules(call, survey, NULL);
		loading_remove_stale(call, survey);
		linker_list_begin(gdb_session(call), survey);
	}
	loading_continue(call);
	if (!gdb_call(call)->exchange->waiting)
		linker_list_end(gdb_session(call));
	return gdb_answer(call);
}

/* Can GDB be made to let go of it?  For the program's it reads the program's file again. */
static bool can_unload(struct command_call *call, const struct source_object *object)
{
	if (!object->program)
		return true;
	if (autoload_is_running()) {
		reply_error(call, "%s: GDB is still reading it", object->module);
		return false;
	}
	if (access(object->module, R_OK) == 0)
		return true;
	reply_error(call, "%s: the module is gone, but GDB keeps its symbols", object->module);
	return false;
}

/* The objects of this inferior that are meant; how many. */
static size_t mark_unloading(struct command_call *call, const char *name,
                             const struct gdb_state *survey)
{
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		const struct cairn_module module = { .name = o->module };
		if (o->inferior != survey->inferior ||
		    (name && !gdb_state_module_matches(&module, name)) || !can_unload(call, o))
			continue;
		o->present = false;
		count++;
	}
	return count;
}

/* Have GDB let go of them. */
static void ask_to_unload(struct command_call *call, const struct gdb_state *survey)
{
	const struct sources *sources = &call->session->sources;
	struct text *orders = &gdb_call(call)->exchange->command, enabled = { .data = NULL };

	text_reset(orders);
	breakpoints_enabled(gdb_call(call)->output ? gdb_call(call)->output : "", &enabled);
	if (enabled.size)
		text_print(orders, "disable%s\n", enabled.data);
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].inferior == survey->inferior && !sources->object[i].present)
			symbol_handover_remove(orders, &sources->object[i], survey->alive);
	if (enabled.size)
		text_print(orders, "enable%s\n", enabled.data);
	text_finish(&enabled);
	struct unloading *unloading = call->context;
	unloading->inferior = survey->inferior;
	if (gdb_call(call)->asked)
		text_add(gdb_call(call)->reply, "select-frame 0\n"); /* see gdb_select_innermost */
	gdb_collect(call, orders);
	gdb_call(call)->exchange->asked = PENDING_LOADED;
}

static void print_unloaded_json(struct command_call *call, size_t count)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	json_add_number(&json, "unloaded", count);
	json_end_object(&json);
	reply_line(call);
}

static void drop_unloaded(struct command_call *call)
{
	const struct unloading *unloading = call->context;
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = sources->objects; i-- > 0;)
		if (sources->object[i].inferior == unloading->inferior &&
		    !sources->object[i].present) {
			if (!call->json)
				reply_print(call, "%s: unloaded", sources->object[i].module);
			sources_drop(sources, i);
			count++;
		}
	if (call->json)
		print_unloaded_json(call, count);
}

static enum answer unload_symbols(struct command_call *call)
{
	const char *name = command_call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	gdb_session(call)->glance.known = false;
	if (gdb_call(call)->exchange->asked == PENDING_NOTHING) {
		gdb_state_request_with(call, breakpoints_question);
		return gdb_answer(call);
	}
	if (gdb_call(call)->exchange->asked == PENDING_LOADED) {
		drop_unloaded(call);
		return gdb_answer(call);
	}
	const struct gdb_state *survey = gdb_state_read(call);
	if (!survey)
		return ANSWER_FAILED;
	if (mark_unloading(call, every ? NULL : name, survey) > 0)
		ask_to_unload(call, survey);
	else if (call->failed)
		return gdb_answer(call);
	else if (every && !call->json)
		reply_print(call, "cairn has loaded no symbols.");
	else if (every)
		print_unloaded_json(call, 0);
	else
		reply_error(call, "cairn has loaded no symbols for %s", name);
	return gdb_answer(call);
}

const struct command command_symbols_load = {
	.name = "cairn symbols load",
	.usage = "[-json] [MODULE|all]",
	.help = "Load the symbols of modules into GDB.\n"
		"The symbols come from files given with \"cairn add-gsym\", \"add-symbfile\" or\n"
		"\"add-breakpad\", or found by build ID or FileID: beside the binary, in\n"
		"\"set cairn gsym-directory\", in /usr/lib/debug and in the cache.\n"
		"Without MODULE, or with \"all\", it skips modules that GDB already has lines for.",
	.example = "cairn symbols load",
	.steps = { load_symbols },
	.context_size = sizeof(struct loading),
	.finish = loading_finish,
};

const struct command command_symbols_unload = {
	.name = "cairn symbols unload",
	.usage = "[-json] [MODULE|all]",
	.help = "Remove the symbols that cairn loaded into GDB.",
	.example = "cairn symbols unload all",
	.steps = { unload_symbols },
	.context_size = sizeof(struct unloading),
};

const struct command command_gather = {
	.name = "cairn-gather",
	.usage = "",
	.steps = { follow_modules },
	.context_size = sizeof(struct loading),
	.finish = loading_finish,
};
