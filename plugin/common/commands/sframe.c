/* SPDX-License-Identifier: MIT */
/* The command sframe: the .sframe rule at an address, and the table that contains it. */
#include "commands.h"
#include "innermost.h"
#include "show.h"

#include <inttypes.h>

/* Summarize the module's tables, unless an address was given. */
static bool find_tables(struct command_call *call, uint64_t pc, struct cairn_sframe_summary *t,
                        unsigned *version)
{
	*version = 1;
	if (words_count_operands(call->words) > 0 ||
	    !cairn_space_sframe_summary(call->session->space, pc, t))
		return false;
	while (t->versions >> *version > 1 && !(t->versions >> *version & 1))
		++*version;
	return true;
}

static void print_sframe_json(struct command_call *call, uint64_t pc, const struct cairn_rule *rule,
                              uint64_t bias)
{
	struct json_writer json = reply_begin_json(call);
	struct cairn_sframe_summary t;
	unsigned version;

	show_rule_json(&json, rule, bias);
	if (find_tables(call, pc, &t, &version)) {
		json_begin_object(&json, "table");
		json_add_address(&json, "low", t.low);
		json_add_number(&json, "version", version);
		json_add_number(&json, "tables", t.count);
		json_add_number(&json, "functions", t.functions);
		json_add_number(&json, "size", t.size);
		json_end_object(&json);
	}
	reply_end_json(call, &json);
}

static void print_sframe_text(struct command_call *call, uint64_t pc, const struct cairn_rule *rule,
                              uint64_t bias)
{
	struct cairn_sframe_summary t;
	unsigned version;

	text_print(call->line, "0x%" PRIx64 "-0x%" PRIx64 "  ", rule->start + bias,
	           rule->end + bias);
	show_rule(call->line, rule);
	reply_line(call);
	if (!find_tables(call, pc, &t, &version))
		return;
	text_print(call->line, "table at 0x%" PRIx64 ": version %u, %" PRIu64 " functions, ", t.low,
	           version, t.functions);
	text_print(call->line, "%" PRIu64 " bytes", t.size);
	if (t.count > 1)
		text_print(call->line, " in %zu tables", t.count);
	reply_line(call);
}

/* Read the given address, or the pc of the innermost frame. */
static enum answer read_address(struct command_call *call, uint64_t *pc)
{
	struct cairn_registers frame;

	if (words_count_operands(call->words) > 0)
		return call->session->debugger->evaluate(call, words_operands(call->words), pc,
		                                         NULL);
	if (!read_innermost_frame(call, &frame))
		return ANSWER_FAILED;
	*pc = frame.pc;
	return ANSWER_READY;
}

static enum answer print_sframe(struct command_call *call)
{
	uint64_t pc = 0;
	struct cairn_module module;
	struct cairn_rule rule;
	struct cairn_fault fault;

	enum answer answer = read_address(call, &pc);
	if (answer != ANSWER_READY)
		return answer;
	if (cairn_space_module(call->session->space, pc, &module) != CAIRN_OK) {
		reply_error(call, "0x%" PRIx64 " is in no module", pc);
		return ANSWER_FAILED;
	}
	enum cairn_status status = cairn_space_sframe_rule(call->session->space, pc, &rule, &fault);
	if (status != CAIRN_OK) {
		reply_error(call, "no rule at 0x%" PRIx64 ": %s", pc, fault.what);
		return ANSWER_FAILED;
	}
	if (call->json)
		print_sframe_json(call, pc, &rule, module.bias);
	else
		print_sframe_text(call, pc, &rule, module.bias);
	return ANSWER_READY;
}

const struct command command_sframe = {
	.name = "cairn sframe",
	.usage = "[-json] [EXPRESSION]",
	.help = "Show the SFrame rule at an address; without an argument, at the innermost frame.",
	.example = "cairn sframe main",
	.steps = { innermost_find_module, print_sframe },
};
