/* SPDX-License-Identifier: MIT */
/*
 * The commands cbf, which shows one backtrace recorded by a Swift program, and find-cbf, which
 * finds all recorded backtraces in memory.
 */
#include "cbf.h"

#include "commands.h"
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool swift_object_is_meant(const struct command_call *call)
{
	return command_call_option(call, "array") || command_call_option(call, "backtrace");
}

/*
 * Find the backtrace at `address`: an array among the results of the last find-cbf or, with
 * -backtrace, a value of the Swift type Backtrace.
 */
static enum cairn_status find_object(struct command_call *call, uint64_t address,
                                     struct cairn_found_trace *found)
{
	size_t at = 0;

	if (command_call_option(call, "backtrace"))
		return cairn_found_trace_at(call->session->space, address, found);
	while (cairn_trace_search_next(call->session->space, &at, found))
		if (found->array == address)
			return CAIRN_OK;
	return CAIRN_NOT_FOUND;
}

enum cairn_status swift_object_read(struct command_call *call, uint64_t address,
                                    struct cairn_bytes *bytes, bool *has_images)
{
	struct cairn_space *space = call->session->space;
	struct cairn_found_trace found;
	size_t images;
	const enum cairn_status status = find_object(call, address, &found);

	if (status != CAIRN_OK)
		return status;
	*has_images = cairn_found_trace_images(space, &found, &images) == CAIRN_OK;
	return cairn_found_trace_bytes(space, &found, bytes);
}

void swift_object_report(struct command_call *call, enum cairn_status status)
{
	if (status == CAIRN_NOT_FOUND)
		reply_error(call, "no Swift backtrace at this address: %s",
		            command_call_option(call, "array") ? "not an array listed by find-cbf"
		                                               : "not a Backtrace value");
	else
		reply_error(call, "%s", cairn_status_text(status));
}

/* maximum number of frames or arrays to store in convenience variables */
enum { VARIABLES = 1000 };

static const char *const kinds[] = {
	[CAIRN_FRAME_PC] = "pc",
	[CAIRN_FRAME_RETURN] = "ra",
	[CAIRN_FRAME_ASYNC] = "async",
	[CAIRN_FRAME_OMITTED] = "omitted",
};

struct cbf {
	struct trace trace; /* must be first */
	struct word_range expression;
	uint64_t length; /* requested length; 0 reads to the end of the backtrace */
	struct cairn_bytes recorded;
	bool has_images;
};

static struct cbf *get_context(const struct command_call *call)
{
	return call->context;
}

struct row {
	struct cairn_frame run;
	uint64_t number;
	size_t index;
	const struct code_location *spot; /* NULL if the frame's name has not been looked up */
};

static enum cairn_status read_bytes(struct command_call *call, uint64_t address)
{
	struct cbf *cbf = call->context;

	if (swift_object_is_meant(call))
		return swift_object_read(call, address, &cbf->recorded, &cbf->has_images);
	cbf->has_images = false;
	return cairn_trace_read(call->session->space, address, cbf->length, &cbf->recorded);
}

/*
 * Add a location for each run of equal frames. Frames beyond TRACE_MAX locations are printed
 * without names.
 */
static void mark_spots(struct command_call *call)
{
	struct trace *trace = &get_context(call)->trace;
	struct cairn_trace in;
	struct cairn_frame run;

	trace_start(trace);
	cairn_trace_open(get_context(call)->recorded, &in);
	while (cairn_trace_next(&in, &run)) {
		struct code_location *spot =
			run.kind != CAIRN_FRAME_OMITTED ? trace_add(trace) : NULL;
		if (!spot)
			continue;
		spot->pc = run.value;
		spot->lookup = cairn_frame_lookup_address(&run);
	}
}

static bool find_image(const struct command_call *call, const struct row *row,
                       struct cairn_image *image)
{
	return get_context(call)->has_images && row->run.kind != CAIRN_FRAME_OMITTED &&
	       cairn_found_trace_image(call->session->space, cairn_frame_lookup_address(&row->run),
	                               image);
}

static void print_row_text(struct command_call *call, const struct row *row)
{
	const struct cairn_frame *run = &row->run;
	struct cairn_image image;

	text_print(call->line, "#%-3" PRIu64 " ", row->number);
	if (run->kind == CAIRN_FRAME_OMITTED)
		text_print(call->line, "... %" PRIu64 " frames omitted", run->value);
	else
		show_address(call->line, run->value, 16);
	if (run->kind == CAIRN_FRAME_RETURN || run->kind == CAIRN_FRAME_ASYNC)
		text_print(call->line, " [%s]", kinds[run->kind]);
	if (run->times > 1)
		text_print(call->line, " x%" PRIu64, run->times);
	if (row->spot) {
		text_add(call->line, " in ");
		show_location(call->line, row->spot);
	}
	if (find_image(call, row, &image)) {
		text_add(call->line, " (");
		text_bytes(call->line, (const char *)image.name.data, image.name.size);
		text_print(call->line, "+0x%" PRIx64 ")", run->value - image.base);
	}
	reply_line(call);
}

static void add_name_json(struct json_writer *json, const char *key, struct cairn_bytes name)
{
	char copy[256];
	size_t size = name.size < sizeof(copy) ? name.size : sizeof(copy) - 1;

	memcpy(copy, name.data, size);
	copy[size] = '\0';
	json_add_string(json, key, copy);
}

static void add_row_place_json(struct json_writer *json, const struct command_call *call,
                               const struct row *row)
{
	struct cairn_image image;

	if (row->spot) {
		json_add_address(json, "lookup", row->spot->lookup);
		show_location_json(json, row->spot);
	} else {
		json_add_address(json, "pc", row->run.value);
	}
	if (find_image(call, row, &image)) {
		add_name_json(json, "module", image.name);
		json_add_address(json, "module_offset", row->run.value - image.base);
		json_add_hex(json, "build_id", image.build_id);
	}
}

static void add_row_json(struct json_writer *json, const struct command_call *call,
                         const struct row *row)
{
	const struct cairn_frame *run = &row->run;

	json_begin_object(json, NULL);
	json_add_number(json, "number", row->number);
	json_add_string(json, "kind", kinds[run->kind]);
	json_add_number(json, "times", run->times);
	if (run->kind == CAIRN_FRAME_OMITTED)
		json_add_number(json, "count", run->value);
	else
		add_row_place_json(json, call, row);
	json_end_object(json);
}

static void set_variables(struct command_call *call, const struct row *row)
{
	static const char *const names[] = { "pc", "kind", "times" };
	const uint64_t values[] = { row->run.value, row->run.kind, row->run.times };
	char name[64];

	for (unsigned i = 0; i < 3 && row->index < VARIABLES; i++) {
		snprintf(name, sizeof(name), "cairn_%s%zu", names[i], row->index);
		reply_set(call, name, values[i]);
	}
}

static void print_end_json(struct command_call *call, struct json_writer *json,
                           const struct cairn_trace *in)
{
	json_end_array(json);
	json_add_string(json, "status", cairn_trace_end_name(in));
	json_add_number(json, "offset", in->consumed);
	json_add_number(json, "word_bits", in->word_bits);
	json_add_hex(json, "bytes", get_context(call)->recorded);
	reply_end_json(call, json);
}

static void print_end_text(struct command_call *call, const struct cairn_trace *in,
                           const struct row *row)
{
	const struct cairn_fault *fault = &in->fault;

	if (in->cut)
		reply_print(call, "#%-3" PRIu64 " ... cut here", row->number);
	if (fault->status != CAIRN_OK)
		reply_print(call, "damaged: %s at byte %" PRIu64 " (0x%" PRIx64 ")", fault->what,
		            fault->offset, fault->offset);
}

static void print_row(struct command_call *call, struct json_writer *json, const struct row *row)
{
	if (call->json)
		add_row_json(json, call, row);
	else
		print_row_text(call, row);
	set_variables(call, row);
}

static enum answer print_trace(struct command_call *call)
{
	const struct trace *trace = &get_context(call)->trace;
	struct json_writer json = json_writer_to(call->line);
	struct row row = { .number = 0 };
	struct cairn_trace in;
	size_t spots = 0;

	cairn_trace_open(get_context(call)->recorded, &in);
	if (call->json) {
		json_begin_object(&json, NULL);
		json_begin_array(&json, "frames");
	}
	while (cairn_trace_next(&in, &row.run)) {
		uint64_t count = cairn_frame_count(&row.run), most = UINT64_MAX - row.number;
		bool known = row.run.kind != CAIRN_FRAME_OMITTED && spots < trace->count;
		row.spot = known ? &trace->spots[spots++] : NULL;
		print_row(call, &json, &row);
		row.number += count < most ? count : most;
		row.index++;
	}
	reply_set(call, "cairn_frames", row.index);
	reply_set(call, "cairn_total", row.number);
	reply_set_string(call, "cairn_end", cairn_trace_end_name(&in));
	if (call->json)
		print_end_json(call, &json, &in);
	else
		print_end_text(call, &in, &row);
	return ANSWER_READY;
}

static void report_trace_error(struct command_call *call, enum cairn_status status)
{
	if (status == CAIRN_UNREADABLE)
		reply_error(call, "cannot read memory at this address");
	else if (status == CAIRN_UNSUPPORTED)
		reply_error(call, "LENGTH must be at most %d", CAIRN_TRACE_BYTES_MAX);
	else
		swift_object_report(call, status);
}

/* Split the operands into the expression and, if the last word is a number, the length. */
static enum answer check_operands(struct command_call *call)
{
	struct cbf *cbf = call->context;

	cbf->expression = words_operands(call->words);
	cbf->length = 0;
	if (words_count_operands(call->words) == 0)
		reply_error(call, "EXPRESSION is missing; usage: cairn cbf EXPRESSION [LENGTH]");
	else if (!swift_object_is_meant(call) &&
	         words_split_number(call->words, &cbf->expression, &cbf->length) &&
	         cbf->length == 0)
		reply_error(call, "LENGTH must be greater than 0");
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

static enum answer read_trace(struct command_call *call)
{
	uint64_t address = 0;
	enum answer answer = call->session->debugger->evaluate(call, get_context(call)->expression,
	                                                       &address, NULL);

	if (answer != ANSWER_READY)
		return answer;
	enum cairn_status status = read_bytes(call, address);
	if (status != CAIRN_OK) {
		report_trace_error(call, status);
		return ANSWER_FAILED;
	}
	mark_spots(call);
	return ANSWER_READY;
}

const struct command command_cbf = {
	.name = "cairn cbf",
	.usage = "[-json] [-full-path] [-backtrace] [-array] EXPRESSION [LENGTH]",
	.help = "Decode the Swift backtrace (Compact Backtrace Format) at an address.\n"
		"LENGTH is a number of bytes; without it the backtrace is read until it ends.\n"
		"With -backtrace the address is that of a Backtrace value; with -array it is\n"
		"that of an array that find-cbf listed.  Both also use the images that belong to\n"
		"it.",
	.example = "cairn cbf -backtrace &trace",
	.steps = { check_operands, read_trace, naming_ask_names, print_trace },
	.context_size = sizeof(struct cbf),
	.finish = naming_finish,
};

static const char *const found_kinds[] = {
	[CAIRN_FOUND_TRACE_VALUE] = "value",
	[CAIRN_FOUND_TRACE_DAMAGED] = "damaged",
	[CAIRN_FOUND_TRACE_ARRAY] = "array",
};

struct find_cbf {
	struct trace trace;
	struct range_list ranges;
	bool is_given;
	uint64_t searched;
};

static struct find_cbf *get_search(const struct command_call *call)
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
	/* first run of equal frames; first.times is 0 in an empty backtrace */
	struct cairn_frame first;
	uint64_t frames;
	struct cairn_trace trace;
};

/*
 * Restrict the search to readable parts of the range, so that unmapped parts take no time. If the
 * debugger does not know which memory is readable, search the whole range.
 */
static enum answer read_part(struct command_call *call, struct cairn_range range)
{
	struct find_cbf *find = get_search(call);
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

/* Get the range from the two operands. Without operands, get all writable memory. */
static enum answer read_ranges(struct command_call *call)
{
	struct range_list *ranges = &get_search(call)->ranges;
	unsigned count = words_count_operands(call->words);
	struct cairn_range range;

	if (count == 0)
		return call->session->debugger->memory_ranges(call, MEMORY_WRITABLE, ranges);
	if (count != 2 || !words_parse_number(call->words, 0, &range.low) ||
	    !words_parse_number(call->words, 1, &range.high))
		reply_error(call,
		            "START and END must be numbers (decimal, or hexadecimal with 0x)");
	else if (range.low >= range.high)
		reply_error(call, "START must be less than END");
	else
		return read_part(call, range);
	return ANSWER_FAILED;
}

typedef enum cairn_status scan(struct cairn_space *space, struct cairn_range range);

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

static bool mark_found(struct command_call *call)
{
	struct trace *trace = &get_search(call)->trace;
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
		text_print(call->line, "  (%s)", found_kinds[f->kind]);
	reply_line(call);
}

static void add_found_json(struct json_writer *json, const struct summary *summary,
                           const struct code_location *spot)
{
	const struct cairn_found_trace *f = &summary->found;

	json_begin_object(json, NULL);
	json_add_address(json, "array", f->array);
	json_add_string(json, "found", found_kinds[f->kind]);
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

static void set_found_variables(struct command_call *call, const struct cairn_found_trace *found,
                                size_t index)
{
	char name[64];

	snprintf(name, sizeof(name), "cairn_array%zu", index);
	reply_set(call, name, found->array);
	snprintf(name, sizeof(name), "cairn_size%zu", index);
	reply_set(call, name, found->size);
}

static size_t print_each_found(struct command_call *call, struct json_writer *json)
{
	const struct trace *trace = &get_search(call)->trace;
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
			set_found_variables(call, &summary.found, index);
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
	json_add_number(&json, "searched", get_search(call)->searched);
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
	            get_search(call)->searched, incomplete ? "; some are omitted" : "");
}

static void report_search_error(struct command_call *call, enum cairn_status status)
{
	if (status == CAIRN_NOT_FOUND)
		reply_error(call,
		            "this target does not list its writable memory; specify START and END");
	else if (status == CAIRN_UNSUPPORTED)
		reply_error(call, "too much of the searched memory is unreadable");
	else
		reply_error(call, "%s", cairn_status_text(status));
}

static enum answer search_and_mark(struct command_call *call)
{
	enum cairn_status status = search_memory(call);

	if (status != CAIRN_OK)
		report_search_error(call, status);
	else if (!mark_found(call))
		reply_error(
			call,
			"too many backtraces to list; specify START and END to limit the search");
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
