/* SPDX-License-Identifier: MIT */
/* Commands about addresses and frames: where, sframe, bt. */
#include "commands.h"
#include "show.h"
#include "symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BT_DEFAULT = 1000 };

static bool ask_address(struct call *call, uint64_t *address)
{
	const char *expression = call_expression(call);

	if (call->session->stage > 0)
		return call_value(call, address);
	if (*expression) {
		reply_capture_begin(call);
		reply_capture_value(call, expression);
		reply_capture_end(call);
	}
	return false;
}

/* The module's name and the address in it, as linked. */
static void say_place(struct call *call, uint64_t pc, struct cairn_module *module, bool found)
{
	if (!found) {
		reply_say(call, "  module   none");
		return;
	}
	text_add(call->line, "  module   ");
	show_module_name(call->line, module);
	text_print(call->line, " + %#" PRIx64, pc - module->bias);
	if (module->build_id.size) {
		text_add(call->line, "  build ID ");
		show_build_id(call->line, module);
	}
	reply_line(call);
}

static void say_rule(struct call *call, uint64_t pc, const struct cairn_module *module)
{
	struct cairn_rule rule;
	struct cairn_fault fault;
	enum cairn_status status = cairn_space_rule(call->session->space, pc, &rule, &fault);

	if (status == CAIRN_OK) {
		text_print(call->line, "  sframe   %#" PRIx64 "-%#" PRIx64 "  ",
		           rule.start + module->bias, rule.end + module->bias);
		show_rule(call->line, &rule);
		reply_line(call);
	} else if (status == CAIRN_NOT_FOUND) {
		reply_say(call, "  sframe   none");
	} else {
		reply_say(call, "  sframe   %s at byte %" PRIu64 " (%#" PRIx64 ")", fault.what,
		          fault.offset, fault.offset);
	}
}

static void where_json(struct call *call, const struct spot *spot)
{
	struct cairn_module module;
	struct cairn_rule rule;
	struct cairn_fault fault;
	struct cairn_space *space = call->session->space;
	bool found = cairn_space_module(space, spot->pc, &module) == CAIRN_OK;

	text_add(call->line, "{");
	show_spot_json(call->line, spot);
	if (found) {
		text_add(call->line, ",\"module\":");
		if (module.name)
			text_json(call->line, module.name);
		else
			text_add(call->line, "null");
		text_print(call->line, ",\"va\":\"%#" PRIx64 "\",\"build_id\":\"",
		           spot->pc - module.bias);
		show_build_id(call->line, &module);
		text_print(call->line, "\",\"cfi\":%s",
		           cairn_space_has_cfi(space, spot->pc) ? "true" : "false");
		if (cairn_space_rule(space, spot->pc, &rule, &fault) == CAIRN_OK) {
			text_add(call->line, ",\"sframe\":");
			show_rule_json(call->line, &rule, module.bias);
		}
	}
	text_add(call->line, "}");
	reply_line(call);
}

static void where_text(struct call *call, const struct spot *spot)
{
	struct cairn_module module;
	bool found = cairn_space_module(call->session->space, spot->pc, &module) == CAIRN_OK;

	text_print(call->line, "%#" PRIx64 " ", spot->pc);
	show_spot(call->line, spot);
	reply_line(call);
	say_place(call, spot->pc, &module, found);
	if (!found)
		return;
	say_rule(call, spot->pc, &module);
	reply_say(call, "  cfi      %s",
	          cairn_space_has_cfi(call->session->space, spot->pc) ? "yes" : "none");
}

void command_where(struct call *call)
{
	struct trace *trace = &call->session->trace;
	uint64_t address;

	if (call->session->stage == 0 && !*call_expression(call)) {
		reply_error(call, "an expression is missing: cairn where EXPRESSION");
		return;
	}
	if (call->session->stage < 2) {
		if (!ask_address(call, &address))
			return;
		trace->count = 0;
		struct spot *spot = trace_add(trace);
		if (!spot) {
			reply_error(call, "out of memory");
			return;
		}
		spot->pc = spot->lookup = address;
		symbols_ask(call);
		return;
	}
	if (trace->count == 0)
		return;
	symbols_take(call, false);
	reply_set(call, "cairn_pc0", trace->spots[0].pc);
	if (call->json)
		where_json(call, &trace->spots[0]);
	else
		where_text(call, &trace->spots[0]);
}

void command_sframe(struct call *call)
{
	uint64_t pc = call->frame ? call->frame->pc : 0;
	struct cairn_module module;
	struct cairn_rule rule;
	struct cairn_fault fault;
	bool given = *call_expression(call) != '\0';

	if (given && !ask_address(call, &pc))
		return;
	if (!given && !call->frame) {
		reply_error(call, "no frame: give an address");
		return;
	}
	if (cairn_space_module(call->session->space, pc, &module) != CAIRN_OK) {
		reply_error(call, "%#" PRIx64 " is in no module", pc);
		return;
	}
	enum cairn_status status = cairn_space_rule(call->session->space, pc, &rule, &fault);
	if (status != CAIRN_OK) {
		reply_error(call, "no rule at %#" PRIx64 ": %s", pc, fault.what);
		return;
	}
	if (call->json) {
		show_rule_json(call->line, &rule, module.bias);
		reply_line(call);
		return;
	}
	text_print(call->line, "%#" PRIx64 "-%#" PRIx64 "  ", rule.start + module.bias,
	           rule.end + module.bias);
	show_rule(call->line, &rule);
	reply_line(call);
}

/* Walk the stack by SFrame alone; the last spot says why it ended. */
static void walk(struct call *call, size_t limit)
{
	struct cairn_registers frame = *call->frame;
	struct cairn_space *space = call->session->space;
	enum cairn_frame_kind kind = cairn_guess_frame_kind(space, &frame);
	struct trace *trace = &call->session->trace;
	struct cairn_module module;
	struct cairn_step step;
	bool more = true;

	trace->count = 0;
	while (more && trace->count < limit) {
		struct spot *spot = trace_add(trace);
		if (!spot)
			return;
		const struct cairn_frame asked = { kind, frame.pc, 1 };
		more = cairn_unwind(space, &frame, kind, &step);
		spot->pc = frame.pc;
		spot->lookup = cairn_frame_lookup_address(&asked);
		spot->stop = step.stop;
		spot->cfa = step.cfa;
		spot->signal = step.signal;
		spot->by_cfi = cairn_space_has_cfi(space, spot->lookup);
		if (cairn_space_module(space, spot->lookup, &module) == CAIRN_OK) {
			spot->module_low = module.low;
			spot->bias = module.bias;
		}
		frame = step.caller;
		kind = step.caller_kind;
	}
}

static const char *rung(const struct spot *spot)
{
	return spot->stop != CAIRN_STOP_NONE ? "end" : spot->signal ? "signal" : "sframe";
}

static void frame_json(struct call *call, size_t number)
{
	const struct spot *spot = &call->session->trace.spots[number];

	text_print(call->line, "%s{\"level\":%zu,", number ? "," : "", number);
	show_spot_json(call->line, spot);
	if (spot->module_low)
		text_print(call->line, ",\"va\":\"%#" PRIx64 "\"", spot->pc - spot->bias);
	text_print(call->line, ",\"cfa\":\"%#" PRIx64 "\",\"by\":\"%s\",\"cfi\":%s", spot->cfa,
	           rung(spot), spot->by_cfi ? "true" : "false");
	if (spot->stop != CAIRN_STOP_NONE)
		text_print(call->line, ",\"stop\":\"%s\"", cairn_stop_name(spot->stop));
	text_add(call->line, "}");
}

static void bt_json(struct call *call)
{
	text_add(call->line, "{\"frames\":[");
	for (size_t i = 0; i < call->session->trace.count; i++)
		frame_json(call, i);
	text_add(call->line, "]}");
	reply_line(call);
}

static void bt_text(struct call *call)
{
	const struct trace *trace = &call->session->trace;
	bool explain = call_option(call, "explain");

	for (size_t i = 0; i < trace->count; i++) {
		const struct spot *spot = &trace->spots[i];
		text_print(call->line, "#%-3zu %#018" PRIx64 " in ", i, spot->pc);
		if (spot->signal)
			text_add(call->line, "<signal trampoline> ");
		show_spot(call->line, spot);
		reply_line(call);
		if (explain && spot->stop == CAIRN_STOP_NONE)
			reply_say(call, "     by %s, cfa %#" PRIx64 "%s", rung(spot), spot->cfa,
			          spot->by_cfi ? "; GDB has CFI here" : "");
		else if (explain)
			reply_say(call, "     end: %s%s", cairn_stop_text(spot->stop),
			          spot->by_cfi ? "; GDB has CFI here and goes on" : "");
	}
}

void command_bt(struct call *call)
{
	const char *count = call_expression(call);
	size_t limit = *count ? strtoul(count, NULL, 0) : BT_DEFAULT;
	struct trace *trace = &call->session->trace;

	if (call->session->stage == 0) {
		if (!call->frame) {
			reply_error(call, "no stack");
			return;
		}
		walk(call, limit && limit < TRACE_MAX ? limit : TRACE_MAX);
		symbols_ask(call);
		return;
	}
	symbols_take(call, call_option(call, "full-path"));
	reply_set(call, "cairn_frames", trace->count);
	if (call->json)
		bt_json(call);
	else
		bt_text(call);
}
