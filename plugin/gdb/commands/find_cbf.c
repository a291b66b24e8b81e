/* SPDX-License-Identifier: MIT */
/* The command find-cbf: the backtraces that a Swift program keeps in its memory. */
#include "commands.h"

#include "operands.h"
#include "show.h"

#include "queries/gdb_symbols.h"
#include "queries/writable_ranges.h"

#include <inttypes.h>
#include <stdio.h>

enum { VARIABLES = 1000 }; /* arrays whose places go into convenience variables */

static const char *const kinds[] = {
	[CAIRN_FOUND_TRACE_VALUE] = "value",
	[CAIRN_FOUND_TRACE_DAMAGED] = "damaged",
	[CAIRN_FOUND_TRACE_ARRAY] = "array",
};

/* What is told of one array. */
struct summary {
	struct cairn_found_trace found;
	struct cairn_frame first; /* times 0: it has none */
	uint64_t frames;
	struct cairn_trace trace;
};

/* What GDB knows of the memory; a core, and some stubs, have no mappings: that is no error. */
static void ask_ranges(struct command_call *call)
{
	reply_capture_begin(call);
	if (call->request->thread)
		reply_capture(call, "thread apply $_cairn_thread -q -s info proc mappings");
	reply_capture(call, "maint info sections");
	reply_capture_end(call);
	call->session->asked = PENDING_FILES;
}

typedef enum cairn_status scan(struct cairn_space *space, struct cairn_range range);

/* Over the range that was given, or all that can be written; *bytes: how much that is. */
static enum cairn_status scan_all(struct command_call *call, scan *take, uint64_t *bytes)
{
	static const uint8_t nothing[1];
	struct cairn_space *space = call->session->unwinder.space;
	struct cairn_bytes text = { nothing, 0 };
	enum cairn_status status = CAIRN_OK;
	struct cairn_range range;

	*bytes = 0;
	if (operands_number(call, 0, &range.low) && operands_number(call, 1, &range.high)) {
		*bytes = range.high - range.low;
		return take(space, range);
	}
	if (call->output)
		text = (struct cairn_bytes){ (const uint8_t *)call->output, call->output_size };
	struct writable_ranges ranges = writable_ranges_open(text);
	while (status == CAIRN_OK && writable_ranges_next(&ranges, &range)) {
		*bytes += range.high - range.low;
		status = take(space, range);
	}
	return status == CAIRN_OK && *bytes == 0 ? CAIRN_NOT_FOUND : status;
}

static enum cairn_status search_memory(struct command_call *call)
{
	struct session *s = call->session;
	enum cairn_status status = cairn_trace_search_begin(s->unwinder.space);

	if (status == CAIRN_OK)
		status = scan_all(call, cairn_trace_search_scan, &s->searched);
	if (status != CAIRN_OK)
		return status;
	cairn_trace_search_resolve(s->unwinder.space);
	if (command_call_option(call, "arrays"))
		status = scan_all(call, cairn_trace_search_scan_arrays, &s->searched);
	return status;
}

static void summarize_trace(struct command_call *call, struct summary *summary)
{
	struct cairn_bytes bytes;
	struct cairn_frame run;

	summary->first.times = summary->frames = 0;
	if (cairn_found_trace_bytes(call->session->unwinder.space, &summary->found, &bytes) !=
	    CAIRN_OK)
		bytes.size = 0;
	cairn_trace_open(bytes, &summary->trace);
	while (cairn_trace_next(&summary->trace, &run)) {
		uint64_t more = cairn_frame_count(&run), most = UINT64_MAX - summary->frames;
		if (summary->first.times == 0 && run.kind != CAIRN_FRAME_OMITTED)
			summary->first = run;
		summary->frames += more < most ? more : most;
	}
}

/* A spot for the first frame of each array that was found. */
static bool mark_spots(struct command_call *call)
{
	struct trace *trace = &call->session->trace;
	struct summary summary;
	size_t at = 0;

	trace_start(trace);
	while (cairn_trace_search_next(call->session->unwinder.space, &at, &summary.found)) {
		struct code_location *spot = trace_add(trace);
		if (!spot)
			return false;
		summarize_trace(call, &summary);
		spot->pc = summary.first.value;
		spot->lookup = cairn_frame_lookup_address(&summary.first);
	}
	return true;
}

static void print_found_text(struct command_call *call, const struct summary *summary,
                             const struct code_location *spot)
{
	const struct cairn_found_trace *f = &summary->found;

	text_print(call->line, "0x%" PRIx64 "  %" PRIu64 " frame%s  ", f->array, summary->frames,
	           summary->frames == 1 ? "" : "s");
	if (summary->first.times > 0)
		show_location(call->line, spot);
	if (f->kind != CAIRN_FOUND_TRACE_VALUE)
		text_print(call->line, "  (%s)", kinds[f->kind]);
	reply_line(call);
}

static void add_found_json(struct json_writer *json, const struct summary *summary,
                           const struct code_location *spot)
{
	const struct cairn_found_trace *f = &summary->found;

	json_begin_object(json, NULL);
	json_add_address(json, "array", f->array);
	json_add_string(json, "found", kinds[f->kind]);
	json_add_number(json, "bytes", f->size);
	json_add_number(json, "frames", summary->frames);
	json_add_string(json, "status", cairn_trace_end_name(&summary->trace));
	json_add_number(json, "copies", f->copies);
	json_add_address(json, "class", f->class_address);
	if (f->architecture)
		json_add_string(json, "architecture", f->architecture);
	if (summary->first.times > 0) {
		json_begin_object(json, "first");
		show_location_json(json, spot);
		json_end_object(json);
	}
	json_end_object(json);
}

static void set_variables(struct command_call *call, const struct cairn_found_trace *found,
                          size_t index)
{
	char name[64];

	snprintf(name, sizeof(name), "cairn_array%zu", index);
	reply_set(call, name, found->array);
	snprintf(name, sizeof(name), "cairn_size%zu", index);
	reply_set(call, name, found->size);
}

/* Each array that was found, in JSON if `json` is not NULL; how many. */
static size_t print_each_found(struct command_call *call, struct json_writer *json)
{
	const struct trace *trace = &call->session->trace;
	struct summary summary;
	size_t at = 0, index = 0;

	while (index < trace->count &&
	       cairn_trace_search_next(call->session->unwinder.space, &at, &summary.found)) {
		summarize_trace(call, &summary);
		if (json)
			add_found_json(json, &summary, &trace->spots[index]);
		else
			print_found_text(call, &summary, &trace->spots[index]);
		if (index < VARIABLES)
			set_variables(call, &summary.found, index);
		index++;
	}
	reply_set(call, "cairn_found", index);
	return index;
}

static void print_all_found_json(struct command_call *call)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	json_begin_array(&json, "found");
	print_each_found(call, &json);
	json_end_array(&json);
	json_add_number(&json, "searched", call->session->searched);
	json_add_bool(&json, "complete",
	              !cairn_trace_search_is_incomplete(call->session->unwinder.space));
	json_end_object(&json);
	reply_line(call);
}

static void print_all_found(struct command_call *call)
{
	if (call->json) {
		print_all_found_json(call);
		return;
	}
	size_t count = print_each_found(call, NULL);
	bool incomplete = cairn_trace_search_is_incomplete(call->session->unwinder.space);
	reply_print(call, "%zu array%s in %" PRIu64 " bytes%s", count, count == 1 ? "" : "s",
	            call->session->searched, incomplete ? "; some were left out" : "");
}

static void report_search_error(struct command_call *call, enum cairn_status status)
{
	if (status == CAIRN_NOT_FOUND)
		reply_error(call,
		            "this target does not list its writable memory: give START and END");
	else if (status == CAIRN_UNSUPPORTED)
		reply_error(call, "too much of the range cannot be read");
	else
		reply_error(call, "%s", cairn_status_text(status));
}

/* None, or a range in numbers. */
static bool check_range(struct command_call *call)
{
	unsigned count = operands_count(call);
	uint64_t low, high;

	if (count == 0)
		return true;
	if (count != 2 || !operands_number(call, 0, &low) || !operands_number(call, 1, &high))
		reply_error(call, "START and END are numbers, decimal or 0x and hexadecimal");
	else if (low >= high)
		reply_error(call, "START is not below END");
	return !call->failed;
}

static void search_and_ask(struct command_call *call)
{
	enum cairn_status status = search_memory(call);

	if (status != CAIRN_OK)
		report_search_error(call, status);
	else if (!mark_spots(call))
		reply_error(call, "too many backtraces to list: give START and END");
	else
		gdb_symbols_request(call);
}

void command_find_cbf(struct command_call *call)
{
	if (call->session->asked == PENDING_SYMBOLS) {
		gdb_symbols_read(call, command_call_option(call, "full-path"));
		print_all_found(call);
	} else if (check_range(call)) {
		if (call->session->asked == PENDING_NOTHING && operands_count(call) == 0)
			ask_ranges(call);
		else
			search_and_ask(call);
	}
}
