/* SPDX-License-Identifier: MIT */
/* symbols load and unload, and what follows modules as they come. */
#include "loading.h"

#include <string.h>

/* The inferior whose symbols are being unloaded. */
static int unloading;

void command_symbols_load(struct call *call)
{
	const char *name = call_path(call);
	bool every = !*name || strcmp(name, "all") == 0;

	if (call->session->asked == ASKED_NOTHING) {
		if (loading_can_read(call))
			survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_SURVEY) {
		const struct survey *survey = survey_take(call);
		loading_begin(every, false);
		loading_modules(call, survey, every ? NULL : name);
		if (every)
			loading_leaving(call, survey);
	}
	loading_go_on(call);
}

/* At a stop, when the user has asked to follow modules: silent unless something was found. */
void command_follow(struct call *call)
{
	if (call->session->asked == ASKED_NOTHING) {
		if (call->session->sources.follow && call->request->thread &&
		    call->session->target_read)
			survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_SURVEY) {
		const struct survey *survey = survey_take(call);
		loading_begin(true, true);
		loading_modules(call, survey, NULL);
		loading_leaving(call, survey);
	}
	loading_go_on(call);
}

/* The objects of this inferior that are meant, and the commands that take them away. */
static size_t ask_to_unload(struct call *call, const char *name, int inferior)
{
	struct sources *sources = &call->session->sources;
	struct text *orders = &call->session->command;
	size_t count = 0;

	text_reset(orders);
	for (size_t i = 0; i < sources->objects; i++) {
		struct source_object *o = &sources->object[i];
		const struct cairn_module module = { .name = o->module };
		if (o->inferior != inferior || (name && !survey_is_called(&module, name)))
			continue;
		text_print(orders, "remove-symbol-file /proc/self/fd/%d\n", o->fd);
		o->present = false;
		count++;
	}
	if (count == 0)
		return 0;
	unloading = inferior;
	if (call->asked)
		text_add(call->reply, "select-frame 0\n"); /* see reply_select_innermost */
	reply_collect(call, orders);
	call->session->asked = ASKED_LOADED;
	return count;
}

static void take_unloaded(struct call *call)
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

	if (call->session->asked == ASKED_NOTHING) {
		survey_ask(call);
		return;
	}
	if (call->session->asked == ASKED_LOADED) {
		take_unloaded(call);
		return;
	}
	const struct survey *survey = survey_take(call);
	if (ask_to_unload(call, every ? NULL : name, survey->inferior) > 0)
		return;
	if (every && !call->json)
		reply_say(call, "No symbols of cairn's are loaded.");
	else if (every)
		reply_say(call, "{\"unloaded\":0}");
	else
		reply_error(call, "no symbols of cairn's are loaded for %s", name);
}
