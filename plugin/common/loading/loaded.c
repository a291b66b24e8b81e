/* SPDX-License-Identifier: MIT */
/* Prints which symbols were loaded, as text and as JSON. */
#include "loaded.h"

#include <inttypes.h>
#include <string.h>

static void add_loaded_json(struct json_writer *json, const struct plan_item *item)
{
	const struct source_object *o = &item->object;

	json_begin_object(json, NULL);
	json_add_string(json, "module", o->module);
	json_add_string(json, "file", o->path);
	json_add_number(json, "functions", o->functions);
	json_add_address(json, "bias", o->bias);
	json_add_fault(json, "damage", &item->flaw); /* which costs a part of the file */
	json_end_object(json);
}

static void print_loaded_text(struct command_call *call, const struct plan_item *item)
{
	const struct source_object *o = &item->object;
	const struct cairn_fault *flaw = &item->flaw;

	if (o->functions == 0 && strcmp(o->path, o->module) == 0)
		reply_print(call, "%s: frames from %s", o->module,
		            o->made ? "a table that was made for it" : "its .sframe");
	else
		reply_print(call, "%s: %" PRIu64 " functions from %s", o->module, o->functions,
		            o->path);
	if (flaw->status != CAIRN_OK)
		reply_print(call, "  it is damaged: %s at byte %" PRIu64 " (0x%" PRIx64 ")",
		            flaw->what, flaw->offset, flaw->offset);
}

/* What the debugger has taken; how many that are. */
static size_t print_all_loaded_text(struct command_call *call, const struct plan *plan)
{
	size_t loaded = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].object.fd >= 0) {
			if (!plan->quiet || !plan->item[i].renewed)
				print_loaded_text(call, &plan->item[i]);
			loaded++;
		}
	return loaded;
}

static size_t print_all_loaded_json(struct command_call *call, const struct plan *plan)
{
	struct json_writer json = reply_begin_json(call);
	size_t loaded = 0;

	json_begin_array(&json, "loaded");
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].object.fd >= 0) {
			add_loaded_json(&json, &plan->item[i]);
			loaded++;
		}
	json_end_array(&json);
	json_add_number(&json, "modules", plan->modules);
	json_add_number(&json, "already", plan->kept + plan->own);
	json_add_number(&json, "without", plan->without);
	reply_end_json(call, &json);
	return loaded;
}

static void print_lacking(struct command_call *call, const struct plan *plan)
{
	reply_print(call, "No symbols found for %zu module%s.", plan->modules,
	            plan->modules == 1 ? "" : "s");
	if (plan->lacking.count == 0)
		return;
	text_add(call->line, "cairn: ");
	lacking_write(&plan->lacking, call->session->sources.directories, call->line);
	reply_line(call);
}

static void print_nothing_loaded(struct command_call *call, const struct plan *plan)
{
	if (call->failed || plan->quiet)
		return;
	if (plan->kept > 0 || plan->own > 0)
		reply_print(call, "Nothing to load: %s has the symbols of %zu of %zu modules.",
		            debugger_name(call), plan->kept + plan->own, plan->modules);
	else
		print_lacking(call, plan);
}

size_t print_loaded(struct command_call *call, const struct plan *plan)
{
	if (call->json)
		return print_all_loaded_json(call, plan);
	size_t loaded = print_all_loaded_text(call, plan);
	if (loaded == 0)
		print_nothing_loaded(call, plan);
	return loaded;
}
