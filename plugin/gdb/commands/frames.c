/* SPDX-License-Identifier: MIT */
/* Commands about addresses and frames: where, sframe, bt. */
#include "commands.h"

#include "show.h"

#include "loading/symbolize.h"
#include "queries/gdb_symbols.h"
#include "queries/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	BT_DEFAULT = 1000,
	WALK_MAX = 1 << 24, /* frames of 32 bytes: half a gigabyte of stack */
};

static bool report_no_frame(struct command_call *call)
{
	if (call->asked)
		reply_error(call, "the innermost frame is in no module that cairn can read");
	else if (call->request->thread)
		reply_error(call, "no stack: the selected thread is running");
	else
		reply_error(call, "no stack");
	return false;
}

/* The module's name and the address in it, as linked. */
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
		show_build_id(call->line, module);
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
	struct cairn_space *space = call->session->unwinder.space;
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

static void print_where_json(struct command_call *call, const struct code_location *spot)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	show_location_json(&json, spot);
	add_inlined_json(&json, &call->session->trace);
	add_module_json(&json, call->session->unwinder.space, spot->pc);
	json_end_object(&json);
	reply_line(call);
}

static void print_where_text(struct command_call *call, const struct code_location *spot)
{
	struct cairn_module module;
	bool found =
		cairn_space_module(call->session->unwinder.space, spot->pc, &module) == CAIRN_OK;

	show_address(call->line, spot->pc, 1);
	text_add(call->line, " ");
	show_location(call->line, spot);
	reply_line(call);
	for (size_t i = 1; i < call->session->trace.count; i++) {
		text_add(call->line, "  inlined into ");
		show_location(call->line, &spot[i]);
		reply_line(call);
	}
	print_module_place(call, spot->pc, &module, found);
	if (found)
		print_rules(call, spot->pc, &module);
}

static void print_where(struct command_call *call)
{
	const struct trace *trace = &call->session->trace;

	if (call->session->asked != PENDING_GDB_STATE)
		gdb_symbols_read(call, false);
	if (!symbolize_trace(call, true, false))
		return;
	reply_set(call, "cairn_pc0", trace->spots[0].pc);
	if (call->json)
		print_where_json(call, &trace->spots[0]);
	else
		print_where_text(call, &trace->spots[0]);
}

void command_where(struct command_call *call)
{
	struct trace *trace = &call->session->trace;
	uint64_t address;
	bool named;

	if (call->session->asked == PENDING_SYMBOLS || call->session->asked == PENDING_GDB_STATE) {
		print_where(call);
		return;
	}
	if (!command_call_address(call, &address, &named))
		return;
	trace_start(trace);
	struct code_location *spot = trace_add(trace);
	if (!spot) {
		reply_error(call, "out of memory");
		return;
	}
	spot->pc = spot->lookup = address;
	if (named)
		print_where(call);
	else
		gdb_symbols_request(call);
}

/* The address that was given, or the innermost frame's; false: not yet, or an error was said. */
static bool read_address_operand(struct command_call *call, uint64_t *pc)
{
	if (*command_call_expression(call))
		return command_call_value(call, pc);
	if (!call->frame)
		return report_no_frame(call);
	*pc = call->frame->pc;
	return true;
}

/* Without an address: also what the whole table of the module is like. */
static bool find_tables(struct command_call *call, uint64_t pc, struct cairn_sframe_summary *t,
                        unsigned *version)
{
	*version = 1;
	if (*command_call_expression(call) ||
	    !cairn_space_sframe_summary(call->session->unwinder.space, pc, t))
		return false;
	while (*version < 3 && !(t->versions >> *version & 1))
		++*version;
	return true;
}

static void print_sframe_json(struct command_call *call, uint64_t pc, const struct cairn_rule *rule,
                              uint64_t bias)
{
	struct json_writer json = json_writer_to(call->line);
	struct cairn_sframe_summary t;
	unsigned version;

	json_begin_object(&json, NULL);
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
	json_end_object(&json);
	reply_line(call);
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

void command_sframe(struct command_call *call)
{
	uint64_t pc;
	struct cairn_module module;
	struct cairn_rule rule;
	struct cairn_fault fault;

	if (!read_address_operand(call, &pc))
		return;
	if (cairn_space_module(call->session->unwinder.space, pc, &module) != CAIRN_OK) {
		reply_error(call, "0x%" PRIx64 " is in no module", pc);
		return;
	}
	enum cairn_status status =
		cairn_space_sframe_rule(call->session->unwinder.space, pc, &rule, &fault);
	if (status != CAIRN_OK) {
		reply_error(call, "no rule at 0x%" PRIx64 ": %s", pc, fault.what);
		return;
	}
	if (call->json)
		print_sframe_json(call, pc, &rule, module.bias);
	else
		print_sframe_text(call, pc, &rule, module.bias);
}

static void fill_spot(struct command_call *call, struct code_location *spot,
                      const struct cairn_registers *frame, enum cairn_frame_kind kind,
                      const struct cairn_step *step)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };
	struct cairn_module module;

	spot->pc = frame->pc;
	spot->lookup = cairn_frame_lookup_address(&asked);
	spot->stop = step->stop;
	spot->cfa = step->cfa;
	spot->signal = step->signal;
	spot->rung = step->rung;
	spot->by_cfi = cairn_space_has_cfi(call->session->unwinder.space, spot->lookup);
	if (cairn_space_module(call->session->unwinder.space, spot->lookup, &module) == CAIRN_OK) {
		spot->module_low = module.low;
		spot->bias = module.bias;
	}
}

/*
 * Walk the stack by whatever leads on; the last spot says why it ended.  With `keep` the innermost
 * ones are forgotten on the way, so that the last `keep` frames remain.
 */
static void walk_stack(struct command_call *call, size_t limit, size_t keep)
{
	struct cairn_registers frame = *call->frame;
	struct cairn_space *space = call->session->unwinder.space;
	enum cairn_frame_kind kind = cairn_guess_frame_kind(space, &frame);
	struct trace *trace = &call->session->trace;
	struct cairn_step step;
	bool more = true;

	trace_start(trace);
	while (more && trace->level + trace->count < limit) {
		if (keep && trace->count == TRACE_MAX)
			trace_keep_last(trace, keep);
		struct code_location *spot = trace_add(trace);
		if (!spot)
			break;
		more = cairn_unwind_any(space, &frame, kind, &step);
		fill_spot(call, spot, &frame, kind, &step);
		frame = step.caller;
		kind = step.caller_kind;
	}
	trace->more = more;
	if (keep)
		trace_keep_last(trace, keep);
}

static const char *name_unwind_method(const struct code_location *spot)
{
	return spot->stop != CAIRN_STOP_NONE ? "end" : cairn_unwind_method_name(spot->rung);
}

static void add_frame_json(struct json_writer *json, const struct trace *trace, size_t number)
{
	const struct code_location *spot = &trace->spots[number];

	json_begin_object(json, NULL);
	json_add_number(json, "level", trace->level + number);
	show_location_json(json, spot);
	if (spot->module_low)
		json_add_address(json, "va", spot->pc - spot->bias);
	json_add_address(json, "cfa", spot->cfa);
	json_add_string(json, "by", name_unwind_method(spot));
	json_add_bool(json, "cfi", spot->by_cfi);
	if (spot->stop != CAIRN_STOP_NONE)
		json_add_string(json, "stop", cairn_stop_name(spot->stop));
	json_end_object(json);
}

/* Are there frames that the user has not been shown, and did not leave out? */
static bool is_cut(struct command_call *call)
{
	const struct trace *trace = &call->session->trace;
	return trace->more &&
	       (!*command_call_expression(call) || trace->count >= TRACE_MAX || trace->outermost);
}

/* Why there are no more, and how to see them. */
static void print_cut_note(struct command_call *call)
{
	const struct trace *trace = &call->session->trace;

	if (!is_cut(call))
		return;
	if (trace->outermost)
		reply_print(call, "(The stack continues; cairn read %u frames of it.)", WALK_MAX);
	else if (trace->count >= TRACE_MAX)
		reply_print(call,
		            "(More frames follow.  \"cairn bt -COUNT\" shows the outermost.)");
	else
		reply_print(call, "(More frames follow.  \"cairn bt COUNT\" shows up to %u.)",
		            TRACE_MAX);
}

static void print_backtrace_json(struct command_call *call)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	json_begin_array(&json, "frames");
	for (size_t i = 0; i < call->session->trace.count; i++)
		add_frame_json(&json, &call->session->trace, i);
	json_end_array(&json);
	if (is_cut(call))
		json_add_bool(&json, "more", true);
	json_end_object(&json);
	reply_line(call);
}

static void print_backtrace_text(struct command_call *call)
{
	const struct trace *trace = &call->session->trace;
	bool explain = command_call_option(call, "explain");

	for (size_t i = 0; i < trace->count; i++) {
		const struct code_location *spot = &trace->spots[i];
		text_print(call->line, "#%-3zu ", trace->level + i);
		show_address(call->line, spot->pc, 16);
		text_add(call->line, " in ");
		if (spot->signal)
			text_add(call->line, "<signal trampoline> ");
		show_location(call->line, spot);
		reply_line(call);
		if (spot->inlined)
			continue;
		if (explain && spot->stop == CAIRN_STOP_NONE)
			reply_print(call, "     by %s, cfa 0x%" PRIx64, name_unwind_method(spot),
			            spot->cfa);
		else if (explain)
			reply_print(call, "     end: %s", cairn_stop_text(spot->stop));
	}
	print_cut_note(call);
}

/* How many frames are wanted, negative: outermost ones; false: not known yet, or an error. */
static bool read_count_operand(struct command_call *call, int64_t *count)
{
	uint64_t value = BT_DEFAULT;

	if (*command_call_expression(call) && !command_call_value(call, &value))
		return false;
	*count = (int64_t)value;
	return true;
}

static void walk_chosen_frames(struct command_call *call, int64_t count)
{
	/* half of the room, so that the frames to keep are moved seldom */
	enum { KEEP_MAX = TRACE_MAX / 2 };

	if (count >= 0) {
		walk_stack(call, count < TRACE_MAX ? (size_t)count : TRACE_MAX, 0);
		return;
	}
	walk_stack(call, WALK_MAX, count > -KEEP_MAX ? (size_t)-count : KEEP_MAX);
	call->session->trace.outermost = true;
}

void command_bt(struct command_call *call)
{
	struct trace *trace = &call->session->trace;
	int64_t count;

	if (call->session->asked == PENDING_SYMBOLS || call->session->asked == PENDING_GDB_STATE) {
		if (call->session->asked == PENDING_SYMBOLS)
			gdb_symbols_read(call, command_call_option(call, "full-path"));
		if (!symbolize_trace(call, true, command_call_option(call, "full-path")))
			return;
		reply_set(call, "cairn_frames", trace->count);
		if (call->json)
			print_backtrace_json(call);
		else
			print_backtrace_text(call);
		return;
	}
	if (!call->frame) {
		report_no_frame(call);
		return;
	}
	if (!read_count_operand(call, &count))
		return;
	walk_chosen_frames(call, count);
	gdb_symbols_request(call);
}
