/* SPDX-License-Identifier: MIT */
/*
 * The command add-sframe: a file with an SFrame table, for a module without call frame information.
 */
#include "commands.h"

#include "common/base/path.h"
#include "common/loading/loading.h"

#include <string.h>

struct adding_table {
	struct loading loading; /* must be first */
	struct text path;
};

static void finish_adding_table(void *context)
{
	struct adding_table *adding = context;

	loading_finish(&adding->loading);
	text_finish(&adding->path);
}

static enum answer forget_frames(struct command_call *call)
{
	const struct debugger *debugger = call->session->debugger;

	return debugger->forget_frames ? debugger->forget_frames(call) : ANSWER_READY;
}

/* Give the table to cairn's own unwinder. */
static enum answer give_table(struct command_call *call)
{
	struct adding_table *adding = call->context;
	const char *path = command_call_path(call);
	struct cairn_fault fault;
	size_t modules = 0;

	path_add_absolute(&adding->path, path, strlen(path));
	if (adding->path.cut || cairn_sframe_file_add(call->session->space, adding->path.data,
	                                              &modules, &fault) != CAIRN_OK)
		reply_error(call, "%s: %s; a file of \"cairn sframe create\" is expected", path,
		            adding->path.cut ? "out of memory" : fault.what);
	else if (!side_files_add(&call->session->side_files, adding->path.data))
		reply_error(call, "%s: there are too many such files", path);
	else if (modules > 0)
		reply_print(call, "%s: frames of %zu module%s", path, modules,
		            modules == 1 ? "" : "s");
	else
		reply_print(call, "%s: for a module that is not known yet", path);
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

/* Replace the debugger's object of the module with one that has frames. */
static void plan_frames(struct command_call *call, const struct symbol_target *target)
{
	const struct adding_table *adding = call->context;
	struct sources *sources = &call->session->sources;
	const struct source_object *old =
		sources_object(sources, adding->loading.list.inferior, &target->module);

	if (old)
		sources_drop(sources, (size_t)(old - sources->object));
	loading_target(call, target);
}

/*
 * Plan objects for a debugger that takes frames from objects. If the module is not loaded yet, wait
 * for it.
 */
static enum answer plan_objects(struct command_call *call)
{
	const struct symbol_loader *loader = call->session->debugger->loader;
	struct adding_table *adding = call->context;
	struct target_list *list = &adding->loading.list;
	struct symbol_target target;

	if (!loader || !loader->wants_frames)
		return ANSWER_DONE;
	enum answer answer = loader->list_targets(call, list, false);
	if (answer != ANSWER_READY)
		return answer;
	loading_begin(call, true, true);
	for (size_t i = 0; i < list->count; i++)
		if (loader->read_target(call, i, &target) && target.module.build_id.size > 0 &&
		    cairn_sframe_file_belongs(adding->path.data, target.module.build_id))
			plan_frames(call, &target);
	if (adding->loading.plan.modules == 0)
		loader->await_frames(call->session);
	return ANSWER_READY;
}

/* Leave the objects to the debugger, so that the end of the command does not release them. */
static enum answer leave_objects(struct command_call *call)
{
	struct adding_table *adding = call->context;

	adding->loading.plan.count = 0;
	return ANSWER_READY;
}

const struct command command_add_sframe = {
	.name = "cairn add-sframe",
	.usage = "FILE",
	.help = "Unwind a module without call frame information by the SFrame table in FILE.\n"
		"FILE is what \"cairn sframe create\" made of the complete program; it is used "
		"for\n"
		"the module with its build ID, as soon as there is one.",
	.example = "cairn add-sframe /srv/app.sframe",
	.steps = { forget_frames, give_table, plan_objects, loading_take, leave_objects },
	.context_size = sizeof(struct adding_table),
	.finish = finish_adding_table,
};
