/* SPDX-License-Identifier: MIT */
/*
 * The commands where, which symbolizes one address, and bt, which shows the selected thread's
 * stack.
 */
#include "commands.h"
#include "names.h"

#include "common/session/loading.h"

#include <inttypes.h>

struct where {
	/*
	 * the location of the address itself, followed by the functions into which its code was
	 * inlined
	 */
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

enum {
	BT_DEFAULT = 1000,
	/* maximum number of frames to walk; 16 million frames of 32 bytes fill a stack of 512 MB */
	WALK_MAX = 1 << 24,
};

struct bt {
	struct trace trace;
	/* number of frames to show; a negative number (as int64_t) selects the outermost frames */
	uint64_t count;
	bool lacks_async; /* the layout of Swift's tasks is unknown, so async callers are missing */
};

static struct trace *get_trace(struct command_call *call)
{
	struct bt *bt = call->context;

	return &bt->trace;
}

static enum answer read_count(struct command_call *call)
{
	struct bt *bt = call->context;
	struct cairn_registers frame;

	if (!read_innermost_frame(call, &frame))
		return ANSWER_FAILED;
	bt->count = BT_DEFAULT;
	if (words_count_operands(call->words) == 0)
		return ANSWER_READY;
	return call->session->debugger->evaluate(call, words_operands(call->words), &bt->count,
	                                         NULL);
}

static void fill_module(struct command_call *call, struct code_location *spot)
{
	struct cairn_module module;

	if (cairn_space_module(call->session->space, spot->lookup, &module) == CAIRN_OK) {
		spot->module_low = module.low;
		spot->bias = module.bias;
	}
}

static void fill_spot(struct command_call *call, struct code_location *spot,
                      const struct cairn_registers *frame, enum cairn_frame_kind kind,
                      const struct cairn_step *step)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };

	spot->pc = frame->pc;
	spot->lookup = cairn_frame_lookup_address(&asked);
	spot->stop = step->stop;
	spot->cfa = step->cfa;
	spot->signal = step->signal;
	spot->method = step->method;
	spot->by_cfi = cairn_space_has_cfi(call->session->space, spot->lookup);
	fill_module(call, spot);
}

struct stack {
	struct trace *trace;
	size_t limit, keep; /* see walk_stack() */
	uint64_t task;      /* the task at the latest async frame */
};

static struct code_location *add_spot(struct stack *stack)
{
	if (stack->keep && stack->trace->count == TRACE_MAX)
		trace_keep_last(stack->trace, stack->keep);
	return stack->trace->level + stack->trace->count < stack->limit ? trace_add(stack->trace)
	                                                                : NULL;
}

/*
 * Add the callers of a frame in an async Swift function. Return false if there are too many frames.
 */
static bool add_async_callers(struct command_call *call, struct stack *stack,
                              const struct cairn_registers *frame, enum cairn_frame_kind kind,
                              const struct cairn_step *step)
{
	const struct cairn_frame asked = { kind, frame->pc, 1 };
	const uint64_t lookup = cairn_frame_lookup_address(&asked);
	struct cairn_space *space = call->session->space;
	struct cairn_async_callers callers;
	struct cairn_module module;
	struct bt *bt = call->context;

	if (cairn_space_wants_async(space, frame, kind, step) &&
	    cairn_space_module(space, lookup, &module) == CAIRN_OK) {
		struct cairn_files *files = cairn_files_new(true);
		if (files) {
			cairn_files_want_async(files);
			cairn_files_find(files, &module);
			cairn_space_give_files(space, lookup, files);
		}
	}
	const enum cairn_status status =
		cairn_find_async_callers(space, frame, kind, step, stack->task, &callers);
	bt->lacks_async = bt->lacks_async || status == CAIRN_UNSUPPORTED;
	if (status != CAIRN_OK)
		return true;
	stack->task = callers.task;
	for (size_t i = 0; i < callers.count; i++) {
		struct code_location *spot = add_spot(stack);
		if (!spot)
			return false;
		spot->pc = spot->lookup = callers.pc[i];
		spot->async = true;
		fill_module(call, spot);
	}
	return true;
}

/*
 * Walk the stack with all available methods. The last location contains the reason why the walk
 * ended. If `keep` is not 0, store only the last `keep` frames.
 */
static void walk_stack(struct command_call *call, struct cairn_registers frame, size_t limit,
                       size_t keep)
{
	struct cairn_space *space = call->session->space;
	enum cairn_frame_kind kind = cairn_guess_frame_kind(space, &frame);
	struct stack stack = { get_trace(call), limit, keep, 0 };
	struct trace *trace = stack.trace;
	struct code_location *spot;
	struct cairn_step step;
	bool more = true;

	trace_start(trace);
	while (more && (spot = add_spot(&stack))) {
		more = trace_find_caller(space, &frame, kind, &step);
		fill_spot(call, spot, &frame, kind, &step);
		if (more && !add_async_callers(call, &stack, &frame, kind, &step))
			break;
		frame = step.caller;
		kind = step.caller_kind;
	}
	trace->more = more;
	if (keep)
		trace_keep_last(trace, keep);
}

static const char *name_unwind_method(const struct code_location *spot)
{
	return spot->stop != CAIRN_STOP_NONE ? "end" : cairn_unwind_method_name(spot->method);
}

static void add_frame_json(struct json_writer *json, const struct trace *trace, size_t number)
{
	const struct code_location *spot = &trace->spots[number];

	json_begin_object(json, NULL);
	json_add_number(json, "level", trace->level + number);
	show_location_json(json, spot);
	if (spot->module_low)
		json_add_address(json, "va", spot->pc - spot->bias);
	if (spot->async) {
		json_add_bool(json, "async", true);
	} else {
		json_add_address(json, "cfa", spot->cfa);
		json_add_string(json, "by", name_unwind_method(spot));
		json_add_bool(json, "cfi", spot->by_cfi);
	}
	if (spot->stop != CAIRN_STOP_NONE)
		json_add_string(json, "stop", cairn_stop_name(spot->stop));
	json_end_object(json);
}

/* Return true if frames are missing although the user did not limit their number. */
static bool is_cut(struct command_call *call)
{
	const struct trace *trace = get_trace(call);
	return trace->more && (words_count_operands(call->words) == 0 ||
	                       trace->count >= TRACE_MAX || trace->outermost);
}

static void print_cut_note(struct command_call *call)
{
	const struct trace *trace = get_trace(call);

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
	const struct trace *trace = get_trace(call);
	struct json_writer json = reply_begin_json(call);

	json_begin_array(&json, "frames");
	for (size_t i = 0; i < trace->count; i++)
		add_frame_json(&json, trace, i);
	json_end_array(&json);
	if (is_cut(call))
		json_add_bool(&json, "more", true);
	reply_end_json(call, &json);
}

/* Print how to get symbols for modules without function names, once per session and module. */
static void print_lacking(struct command_call *call)
{
	const struct trace *trace = get_trace(call);
	struct lacking_modules lacking = { .count = 0 };
	struct cairn_module module;

	for (size_t i = 0; i < trace->count; i++)
		if (!*trace->spots[i].function &&
		    cairn_space_module(call->session->space, trace->spots[i].lookup, &module) ==
		            CAIRN_OK &&
		    !naming_note_build(&call->session->lacking, &module))
			lacking_add(&lacking, &module);
	if (lacking.count == 0)
		return;
	text_add(call->line, "cairn: ");
	lacking_write(&lacking, call->session->sources.directories, call->line);
	reply_line(call);
}

static void print_backtrace_text(struct command_call *call)
{
	const struct bt *bt = call->context;
	const struct trace *trace = &bt->trace;
	bool explain = command_call_option(call, "explain");

	for (size_t i = 0; i < trace->count; i++) {
		const struct code_location *spot = &trace->spots[i];
		text_print(call->line, "#%-3zu ", trace->level + i);
		show_address(call->line, spot->pc, 16);
		text_add(call->line, " in ");
		if (spot->signal)
			text_add(call->line, "<signal trampoline> ");
		show_location(call->line, spot);
		text_add(call->line, spot->async ? " [async]" : "");
		reply_line(call);
		if (spot->inlined || spot->async)
			continue;
		if (explain && spot->stop == CAIRN_STOP_NONE)
			reply_print(call, "     by %s, cfa 0x%" PRIx64, name_unwind_method(spot),
			            spot->cfa);
		else if (explain)
			reply_print(call, "     end: %s", cairn_stop_text(spot->stop));
	}
	print_cut_note(call);
	if (bt->lacks_async)
		reply_print(call, "cairn: async callers are missing, because cairn does not know "
		                  "this version of libswift_Concurrency.so");
	print_lacking(call);
}

static enum answer walk_frames(struct command_call *call)
{
	/* use half of TRACE_MAX, so that the kept frames rarely have to be moved */
	enum { KEEP_MAX = TRACE_MAX / 2 };

	struct bt *bt = call->context;
	const int64_t count = (int64_t)bt->count;
	struct cairn_registers frame;

	if (!read_innermost_frame(call, &frame))
		return ANSWER_FAILED;
	if (count >= 0) {
		walk_stack(call, frame, count < TRACE_MAX ? (size_t)count : TRACE_MAX, 0);
	} else {
		walk_stack(call, frame, WALK_MAX, count > -KEEP_MAX ? (size_t)-count : KEEP_MAX);
		bt->trace.outermost = true;
	}
	return ANSWER_READY;
}

static enum answer print_backtrace(struct command_call *call)
{
	struct trace *trace = get_trace(call);

	naming_from_files(call);
	reply_set(call, "cairn_frames", trace->count);
	if (call->json)
		print_backtrace_json(call);
	else
		print_backtrace_text(call);
	return ANSWER_READY;
}

const struct command command_bt = {
	.name = "cairn bt",
	.usage = "[-json] [-explain] [-full-path] [COUNT]",
	.help = "Print the stack of the selected thread as cairn unwinds it.\n"
		"It does so by call frame information, by SFrame, and by frame pointers; where\n"
		"nothing describes the innermost frame, by the call that led there.\n"
		"After a frame of an async Swift function it shows the function's callers.\n"
		"COUNT limits it to the innermost frames, a negative COUNT to the outermost.\n"
		"Without COUNT it shows 1000 frames, and a line at the end if there are more.\n"
		"With -explain each frame shows how its caller was found, or why not.\n"
		"Below frames without names it says, once for each module, what helps.",
	.example = "cairn bt -explain 10",
	.steps = { innermost_find_module, read_count, modules_read_registered_code, walk_frames,
	           naming_ask_names, naming_ask_modules, print_backtrace },
	.context_size = sizeof(struct bt),
	.finish = naming_finish,
};
