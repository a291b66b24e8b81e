/* SPDX-License-Identifier: MIT */
/* The commands symbols load and symbols unload. */
#include "commands.h"

#include "common/base/path.h"
#include "common/loading/loading.h"
#include "common/loading/missing_builds.h"

#include <string.h>
#include <unistd.h>

/* Context of symbols load. It begins with the struct that the common loading steps need. */
struct symbols_loading {
	struct loading loading;
	struct missing_builds missing;
};

struct unloading {
	struct target_list list;
};

static const char *read_module_name(struct command_call *call)
{
	const char *name = command_call_path(call);

	return !*name || strcmp(name, "all") == 0 ? NULL : name;
}

static enum answer find_missing(struct command_call *call)
{
	struct symbols_loading *symbols = call->context;
	const struct symbol_loader *loader = call->session->debugger->loader;

	if (!command_call_option(call, "debuginfod"))
		return ANSWER_READY;
	enum answer answer = loader->list_targets(call, &symbols->loading.list, false);
	if (answer != ANSWER_READY)
		return answer;
	if (!loader->check_targets(call))
		return ANSWER_FAILED;
	missing_builds_find(call, read_module_name(call), &symbols->missing);
	return ANSWER_READY;
}

static enum answer fetch_missing(struct command_call *call)
{
	struct symbols_loading *symbols = call->context;

	return missing_builds_fetch(call, &symbols->missing);
}

static enum answer plan_loading(struct command_call *call)
{
	const struct symbol_loader *loader = call->session->debugger->loader;
	const char *name = read_module_name(call);
	struct loading *loading = call->context;
	enum answer answer = loader->list_targets(call, &loading->list, false);

	if (answer != ANSWER_READY)
		return answer;
	if (!loader->check_targets(call))
		return ANSWER_FAILED;
	loading_begin(call, !name, false);
	loading_targets(call, name);
	if (!name)
		loading_remove_stale(call);
	if (!name && loader->plan_code)
		loader->plan_code(call, &loading->plan);
	return ANSWER_READY;
}

/*
 * Return true if the debugger can release the object. To release the program's object, it has to
 * reread the program's file.
 */
static bool can_unload(struct command_call *call, const struct source_object *object)
{
	if (!object->program)
		return true;
	if (call->session->debugger->loader->is_reading()) {
		reply_error(call, "%s: %s is still reading it", object->module,
		            debugger_name(call));
		return false;
	}
	if (access(object->module, R_OK) == 0)
		return true;
	reply_error(call, "%s: the module is gone, but %s keeps its symbols", object->module,
	            debugger_name(call));
	return false;
}

static size_t mark_unloading(struct command_call *call, const char *name)
{
	const struct unloading *unloading = call->context;
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		if (o->inferior != unloading->list.inferior ||
		    (name && !path_is_called(o->module, name)) || !can_unload(call, o))
			continue;
		o->present = false;
		count++;
	}
	return count;
}

static void print_unloaded_json(struct command_call *call, size_t count)
{
	struct json_writer json = reply_begin_json(call);

	json_add_number(&json, "unloaded", count);
	reply_end_json(call, &json);
}

static enum answer mark_objects(struct command_call *call)
{
	struct unloading *unloading = call->context;
	const char *name = read_module_name(call);
	enum answer answer =
		call->session->debugger->loader->list_targets(call, &unloading->list, true);

	if (answer != ANSWER_READY || mark_unloading(call, name) > 0)
		return answer;
	if (call->failed)
		return ANSWER_FAILED;
	if (name) {
		reply_error(call, "cairn has loaded no symbols for %s", name);
		return ANSWER_FAILED;
	}
	if (call->json)
		print_unloaded_json(call, 0);
	else
		reply_print(call, "cairn has loaded no symbols.");
	return ANSWER_DONE;
}

static enum answer release_objects(struct command_call *call)
{
	struct unloading *unloading = call->context;

	return call->session->debugger->loader->release_objects(call, &unloading->list);
}

static enum answer report_unloaded(struct command_call *call)
{
	const struct unloading *unloading = call->context;
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = sources->objects; i-- > 0;)
		if (sources->object[i].inferior == unloading->list.inferior &&
		    !sources->object[i].present) {
			if (!call->json)
				reply_print(call, "%s: unloaded", sources->object[i].module);
			sources_drop(sources, i);
			count++;
		}
	if (call->json)
		print_unloaded_json(call, count);
	return ANSWER_READY;
}

const struct command command_symbols_load = {
	.name = "cairn symbols load",
	.usage = "[-json] [-debuginfod] [MODULE|all]",
	.help = "Load the symbols of modules into the debugger.\n"
		"The symbols come from files given with \"cairn add-gsym\", \"add-symbfile\" or\n"
		"\"add-breakpad\", or found by build ID or FileID: beside the binary, in\n"
		"\"set cairn directory\", in /usr/lib/debug and in the cache.\n"
		"Without MODULE, or with \"all\", it skips modules that the debugger already has\n"
		"lines for, and in GDB it also loads what the process records of code that it\n"
		"makes (JIT: a perf map or jitdump).\n"
		"-debuginfod also asks the servers in DEBUGINFOD_URLS, by the program cairn.",
	.example = "cairn symbols load",
	.steps = { find_missing, fetch_missing, plan_loading, loading_ask_own, loading_take,
	           loading_report },
	.context_size = sizeof(struct symbols_loading),
	.finish = loading_finish,
};

const struct command command_symbols_unload = {
	.name = "cairn symbols unload",
	.usage = "[-json] [MODULE|all]",
	.help = "Remove the symbols that cairn loaded into the debugger.",
	.example = "cairn symbols unload all",
	.steps = { mark_objects, release_objects, report_unloaded },
	.context_size = sizeof(struct unloading),
};
