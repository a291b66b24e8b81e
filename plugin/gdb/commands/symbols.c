/* SPDX-License-Identifier: MIT */
/* symbols load and unload, and what follows modules as they come. */
#include "queries/autoload.h"
#include "queries/breakpoints.h"
#include "symbols/linker_list.h"
#include "symbols/loading.h"
#include "symbols/symbol_handover.h"

#include <string.h>
#include <unistd.h>

/* The inferior whose symbols are being unloaded. */
static int unloading;

void command_symbols_load(struct call *call)
{
	const char *name = call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	call->session->glance.known = false;
	if (call->session->asked == ASKED_NOTHING) {
		survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_SURVEY) {
		const struct survey *survey = survey_take(call);
		if (!survey_check(call, survey))
			return;
		loading_begin(every, false);
		loading_modules(call, survey, every ? NULL : name);
		if (every)
			loading_leaving(call, survey);
	}
	loading_go_on(call);
}

/*
 * At a stop where something was loaded or closed, or before a start, when the user has asked to follow
 * modules: silent unless something was found.
 */
void command_follow(struct call *call)
{
	if (call->session->asked == ASKED_NOTHING) {
		if (call->session->sources.follow)
			survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_SURVEY) {
		const struct survey *survey = survey_take(call);
		loading_begin(true, true);
		loading_modules(call, survey, NULL);
		loading_leaving(call, survey);
		glance_begin(call->session, survey);
	}
	loading_go_on(call);
	if (!call->session->waiting)
		glance_end(call->session);
}

/* Can GDB be made to let go of it?  For the program's it reads the program's file again. */
static bool can_unload(struct call *call, const struct source_object *object)
{
	if (!object->program)
		return true;
	if (autoload_is_running()) {
		reply_error(call, "%s: GDB is still reading it", object->module);
		return false;
	}
	if (access(object->module, R_OK) == 0)
		return true;
	reply_error(call, "%s: it is gone, and its symbols stay", object->module);
	return false;
}

/* The objects of this inferior that are meant; how many. */
static size_t mark_unloading(struct call *call, const char *name, const struct survey *survey)
{
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		const struct cairn_module module = { .name = o->module };
		if (o->inferior != survey->inferior || (name && !survey_is_called(&module, name)) ||
		    !can_unload(call, o))
			continue;
		o->present = false;
		count++;
	}
	return count;
}

/* Have GDB let go of them. */
static void ask_to_unload(struct call *call, const struct survey *survey)
{
	const struct sources *sources = &call->session->sources;
	struct text *orders = &call->session->command, enabled = { .data = NULL };

	text_reset(orders);
	breakpoints_enabled(call->output ? call->output : "", &enabled);
	if (enabled.size)
		text_print(orders, "disable%s\n", enabled.data);
	for (size_t i = 0; i < sources->objects; i++)
		if (sources->object[i].inferior == survey->inferior && !sources->object[i].present)
			handing_remove(orders, &sources->object[i], survey->alive);
	if (enabled.size)
		text_print(orders, "enable%s\n", enabled.data);
	text_finish(&enabled);
	unloading = survey->inferior;
	if (call->asked)
		text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
	reply_collect(call, orders);
	call->session->asked = ASKED_LOADED;
}

static void drop_unloaded(struct call *call)
{
	struct sources *sources = &call->session->sources;
	size_t count = 0;

	for (size_t i = sources->objects; i-- > 0;)
		if (sources->object[i].inferior == unloading && !sources->object[i].present) {
			if (!call->json)
				reply_say(call, "%s: unloaded", sources->object[i].module);
			sources_drop(sources, i);
			count++;
		}
	if (call->json)
		reply_say(call, "{\"unloaded\":%zu}", count);
}

void command_symbols_unload(struct call *call)
{
	const char *name = call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	call->session->glance.known = false;
	if (call->session->asked == ASKED_NOTHING) {
		survey_ask_also(call, breakpoints_question);
		return;
	}
	if (call->session->asked == ASKED_LOADED) {
		drop_unloaded(call);
		return;
	}
	const struct survey *survey = survey_take(call);
	if (mark_unloading(call, every ? NULL : name, survey) > 0)
		ask_to_unload(call, survey);
	else if (call->failed)
		return;
	else if (every && !call->json)
		reply_say(call, "No symbols of cairn's are loaded.");
	else if (every)
		reply_say(call, "{\"unloaded\":0}");
	else
		reply_error(call, "no symbols of cairn's are loaded for %s", name);
}
