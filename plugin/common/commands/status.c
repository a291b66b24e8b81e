/* SPDX-License-Identifier: MIT */
/* The command status: versions, settings and modules. */
#include "color.h"
#include "commands.h"
#include "modules.h"

#include "common/loading/loader.h"

static void print_status_json(struct command_call *call)
{
	struct session *s = call->session;
	struct debugger_status debugger;
	struct json_writer json = reply_begin_json(call);

	s->debugger->describe(s, &debugger);
	json_add_string(&json, "version", cairn_version());
	json_add_number(&json, debugger.key, (uint64_t)debugger.major);
	if (debugger.unwinder)
		json_add_string(&json, "unwinder", debugger.unwinder);
	json_add_string(&json, "color", color_setting_name(s->color));
	modules_add_json(&json, s);
	reply_end_json(call, &json);
}

static enum answer show_status(struct command_call *call)
{
	const struct session *s = call->session;
	struct debugger_status debugger;

	if (call->json) {
		print_status_json(call);
		return ANSWER_READY;
	}
	s->debugger->describe(s, &debugger);
	reply_print(call, "cairn %s in %s %d", cairn_version(), debugger.name, debugger.major);
	if (debugger.unwinder)
		reply_print(call, "Unwinder: %s", debugger.unwinder);
	reply_print(call, "Modules:");
	modules_print(call);
	if (s->debugger->loader && s->debugger->loader->print_prepared)
		s->debugger->loader->print_prepared(call);
	reply_print(
		call,
		"Next: \"cairn symbols load\" gives names and lines where there are symbol files; "
		"\"help cairn\" lists all commands.");
	return ANSWER_READY;
}

const struct command command_status = {
	.name = "cairn status",
	.usage = "[-json]",
	.help = "Show cairn's version, its settings, and the modules that it knows.",
	.example = "cairn status",
	.steps = { show_status },
};
