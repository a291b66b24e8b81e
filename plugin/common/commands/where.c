/* SPDX-License-Identifier: MIT */
/* The command where, which describes an address. */
#include "commands.h"
#include "naming.h"
#include "show.h"

#include <inttypes.h>

struct where {
	/* the first spot is the address; further spots are the functions that it is inlined into */
	struct trace trace;
};

static void print_module_place(struct command_call *call, uint64_t pc, struct cairn_module *module,
                               bool found)
{
	if (!found) {
		reply_print(call, "  module   none");
		return;
	}
	text_add(call->line, "  module   ");
	show_module_name(call->line, module);
	if (module->has_headers)
		text_print(call->line, " + 0x%" PRIx64, pc - module->bias);
	if (module->build_id.size) {
		text_add(call->line, "  build ID ");
		text_add_hex(call->line, module->build_id);
	}
	reply_line(call);
}

static void print_rule(struct command_call *call, const char *table, const struct cairn_rule *rule,
                       uint64_t bias)
{
	text_print(call->line, "  %-8s 0x%" PRIx64 "-0x%" PRIx64 "  ", table, rule->start + bias,
	           rule->end + bias);
	show_rule(call->line, rule);
	reply_line(call);
}

static void print_rule_fault(struct command_call *call, const char *table,
                             const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_NOT_FOUND)
		reply_print(call, "  %-8s none", table);
	else
		reply_print(call, "  %-8s %s at byte %" PRIu64 " (0x%" PRIx64 ")", table,
		            fault->what, fault->offset, fault->offset);
}

static void print_rules(struct command_call *call, uint64_t pc, const struct cairn_module *module)
{
	struct cairn_space *space = call->session->space;
	struct cairn_rule rule;
	struct cairn_fault fault;

	if (cairn_space_sframe_rule(space, pc, &rule, &fault) == CAIRN_OK)
		print_rule(call, "sframe", &rule, module->bias);
	else
		print_rule_fault(call, "sframe", &fault);
	if (cairn_space_cfi_rule(space, pc, &rule, &fault) == CAIRN_OK)
		print_rule(call, "cfi", &rule, module->bias);
	else if (fault.status == CAIRN_UNSUPPORTED && cairn_space_has_cfi(space, pc))
		reply_print(call, "  cfi      yes");
	else
		print_rule_fault(call, "cfi", &fault);
}

static void add_inlined_json(struct json_writer *json, const struct trace *trace)
{
	if (trace->count < 2)
		return;
	json_begin_array(json, "inlined_into");
	for (size_t i = 1; i < trace->count; i++) {
		json_begin_object(json, NULL);
		show_location_json(json, &trace->spots[i]);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_rules_json(struct json_writer *json, struct cairn_space *space, uint64_t pc,
                           uint64_t bias)
{
	struct cairn_rule rule;
	struct cairn_fault fault;

	if (cairn_space_sframe_rule(space, pc, &rule, &fault) == CAIRN_OK) {
		json_begin_object(json, "sframe");
		show_rule_json(json, &rule, bias);
		json_end_object(json);
	}
	if (cairn_space_cfi_rule(space, pc, &rule, &fault) == CAIRN_OK) {
		json_begin_object(json, "cfi_rule");
		show_rule_json(json, &rule, bias);
		json_end_object(json);
	}
}

static void add_module_json(struct json_writer *json, struct cairn_space *space, uint64_t pc)
{
	struct cairn_module module;

	if (cairn_space_module(space, pc, &module) != CAIRN_OK)
		return;
	if (module.name)
		json_add_string(json, "module", module.name);
	else
		json_add_null(json, "module");
	if (module.has_headers)
		json_add_address(json, "va", pc - module.bias);
	json_add_hex(json, "build_id", module.build_id);
	json_add_bool(json, "cfi", cairn_space_has_cfi(space, pc));
	add_rules_json(json, space, pc, module.bias);
}

static void print_where_json(struct command_call *call)
{
	const struct where *w = call->context;
	const struct code_location *spot = &w->trace.spots[0];
	struct json_writer json = reply_begin_json(call);

	show_location_json(&json, spot);
	add_inlined_json(&json, &w->trace);
	add_module_json(&json, call->session->space, spot->pc);
	reply_end_json(call, &json);
}

static void print_where_text(struct command_call *call)
{
	const struct where *w = call->context;
	const struct code_location *spot = &w->trace.spots[0];
	struct cairn_module module;
	bool found = cairn_space_module(call->session->space, spot->pc, &module) == CAIRN_OK;

	show_address(call->line, spot->pc, 1);
	text_add(call->line, " ");
	show_location(call->line, spot);
	reply_line(call);
	for (size_t i = 1; i < w->trace.count; i++) {
		text_add(call->line, "  inlined into ");
		show_location(call->line, &spot[i]);
		reply_line(call);
	}
	print_module_place(call, spot->pc, &module, found);
	if (found)
		print_rules(call, spot->pc, &module);
}

static enum answer read_address(struct command_call *call)
{
	struct where *w = call->context;
	uint64_t address = 0;

	trace_start(&w->trace);
	struct code_location *spot = trace_add(&w->trace);
	if (!spot) {
		reply_error(call, "out of memory");
		return ANSWER_FAILED;
	}
	enum answer answer = call->session->debugger->evaluate(call, words_operands(call->words),
	                                                       &address, spot);
	spot->pc = spot->lookup = address;
	return answer;
}

static enum answer print_where(struct command_call *call)
{
	struct where *w = call->context;

	naming_from_files(call);
	reply_set(call, "cairn_pc0", w->trace.spots[0].pc);
	if (call->json)
		print_where_json(call);
	else
		print_where_text(call);
	return ANSWER_READY;
}

const struct command command_where = {
	.name = "cairn where",
	.usage = "[-json] EXPRESSION",
	.help = "Show the module, function, line and unwind rule of an address.\n"
		"The expression is in the current language of the program.",
	.example = "cairn where $pc",
	.steps = { read_address, naming_ask_names, naming_ask_modules, print_where },
	.context_size = sizeof(struct where),
	.finish = naming_finish,
};
