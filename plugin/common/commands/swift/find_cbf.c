/* SPDX-License-Identifier: MIT */
/* The command find-cbf, which finds the backtraces in the memory of a Swift program. */
#include "common/commands/commands.h"
#include "common/commands/naming.h"
#include "common/commands/show.h"

#include <inttypes.h>
#include <stdio.h>

enum { VARIABLES = 1000 }; /* arrays whose addresses are stored in convenience variables */

static const char *const kinds[] = {
	[CAIRN_FOUND_TRACE_VALUE] = "value",
	[CAIRN_FOUND_TRACE_DAMAGED] = "damaged",
	[CAIRN_FOUND_TRACE_ARRAY] = "array",
};

struct find_cbf {
	struct trace trace;
	struct range_list ranges;
	bool is_given;
	uint64_t searched; /* number of bytes searched */
};

static struct find_cbf *get_context(const struct command_call *call)
{
	return call->context;
}

static void finish_find_cbf(void *context)
{
	struct find_cbf *find = context;

	range_list_finish(&find->ranges);
	trace_finish(&find->trace);
}

struct summary {
	struct cairn_found_trace found;
	struct cairn_frame first; /* first frame; its count is 0 if there are no frames */
	uint64_t frames;
	struct cairn_trace trace;
};

/*
 * Restrict the search to the readable parts of the range, so that holes cost nothing. If the
 * debugger does not know the readable memory, the whole range is searched.
 */
static enum answer read_part(struct command_call *call, struct cairn_range range)
{
	struct find_cbf *find = get_context(call);
	enum answer answer =
		call->session->debugger->memory_ranges(call, MEMORY_READABLE, &find->ranges);

	if (answer != ANSWER_READY)
		return answer;
	find->is_given = true;
	if (find->ranges.count > 0) {
		range_list_clip(&find->ranges, range);
		return ANSWER_READY;
	}
	if (range_list_add(&find->ranges, range))
		return ANSWER_READY;
	reply_error(call, "out of memory");
	return ANSWER_FAILED;
}

/* Get the range from the two operands, or all writable memory if there are no operands. */
static enum answer read_ranges(struct command_call *call)
{
	struct range_list *ranges = &get_context(call)->ranges;
	unsigned count = words_count_operands(call->words);
	struct cairn_range range;

	if (count == 0)
		return call->session->debugger->memory_ranges(call, MEMORY_WRITABLE, ranges);
	if (count != 2 || !words_parse_number(call->words, 0, &range.low) ||
	    !words_parse_number(call->words, 1, &range.high))
		reply_error(call, "START and END are numbers, decimal or 0x and hexadecimal");
	else if (range.low >= range.high)
		reply_error(call, "START is not below END");
	else
		return read_part(call, range);
	return ANSWER_FAILED;
}

typedef enum cairn_status scan(struct cairn_space *space, struct cairn_range range);

/* Scan all ranges, and store their total size in the context. */
static enum cairn_status scan_all(struct command_call *call, scan *take)
{
	struct find_cbf *find = call->context;
	enum cairn_status status = CAIRN_OK;

	find->searched = 0;
	for (size_t i = 0; status == CAIRN_OK && i < find->ranges.count; i++) {
		find->searched += find->ranges.range[i].high - find->ranges.range[i].low;
		status = take(call->session->space, find->ranges.range[i]);
	}
	return status == CAIRN_OK && find->searched == 0 && !find->is_given ? CAIRN_NOT_FOUND
	                                                                    : status;
}

static enum cairn_status search_memory(struct command_call *call)
{
	struct cairn_space *space = call->session->space;
	enum cairn_status status = cairn_trace_search_begin(space);

	if (status == CAIRN_OK)
		status = scan_all(call, cairn_trace_search_scan);
	if (status != CAIRN_OK)
		return status;
	cairn_trace_search_resolve(space);
	if (command_call_option(call, "arrays"))
		status = scan_all(call, cairn_trace_search_scan_arrays);
	return status;
}

static void summarize_trace(struct command_call *call, struct summary *summary)
{
	struct cairn_bytes bytes;
	struct cairn_frame run;

	summary->first.times = summary->frames = 0;
	if (cairn_found_trace_bytes(call->session->space, &summary->found, &bytes) != CAIRN_OK)
		bytes.size = 0;
	cairn_trace_open(bytes, &summary->trace);
	while (cairn_trace_next(&summary->trace, &run)) {
		uint64_t more = cairn_frame_count(&run), most = UINT64_MAX - summary->frames;
		if (summary->first.times == 0 && run.kind != CAIRN_FRAME_OMITTED)
			summary->first = run;
		summary->frames += more < most ? more : most;
	}
}

static bool mark_spots(struct command_call *call)
{
	struct trace *trace = &get_context(call)->trace;
	struct summary summary;
	size_t at = 0;

	trace_start(trace);
	while (cairn_trace_search_next(call->session->space, &at, &summary.found)) {
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

/* Print each array found, as JSON if `json` is not NULL. Returns their number. */
static size_t print_each_found(struct command_call *call, struct json_writer *json)
{
	const struct trace *trace = &get_context(call)->trace;
	struct summary summary;
	size_t at = 0, index = 0;

	while (index < trace->count &&
	       cairn_trace_search_next(call->session->space, &at, &summary.found)) {
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
	struct json_writer json = reply_begin_json(call);

	json_begin_array(&json, "found");
	print_each_found(call, &json);
	json_end_array(&json);
	json_add_number(&json, "searched", get_context(call)->searched);
	json_add_bool(&json, "complete", !cairn_trace_search_is_incomplete(call->session->space));
	reply_end_json(call, &json);
}

static void print_all_found(struct command_call *call)
{
	if (call->json) {
		print_all_found_json(call);
		return;
	}
	size_t count = print_each_found(call, NULL);
	bool incomplete = cairn_trace_search_is_incomplete(call->session->space);
	reply_print(call, "%zu array%s in %" PRIu64 " bytes%s", count, count == 1 ? "" : "s",
	            get_context(call)->searched, incomplete ? "; some were left out" : "");
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

static enum answer search_and_mark(struct command_call *call)
{
	enum cairn_status status = search_memory(call);

	if (status != CAIRN_OK)
		report_search_error(call, status);
	else if (!mark_spots(call))
		reply_error(call, "too many backtraces to list: give START and END");
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

static enum answer print_found(struct command_call *call)
{
	print_all_found(call);
	return ANSWER_READY;
}

const struct command command_find_cbf = {
	.name = "cairn find-cbf",
	.usage = "[-json] [-arrays] [-full-path] [START] [END]",
	.help = "Find the Swift backtraces in the writable memory of the process or core.\n"
		"With -arrays it also finds arrays of bytes that no Backtrace refers to.",
	.example = "cairn find-cbf",
	.steps = { read_ranges, search_and_mark, naming_ask_names, print_found },
	.context_size = sizeof(struct find_cbf),
	.finish = finish_find_cbf,
};
