/* SPDX-License-Identifier: MIT */
/* The command cbf: the frames of one recorded backtrace. */
#include "common/commands/commands.h"
#include "common/commands/naming.h"
#include "common/commands/show.h"
#include "swift_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VARIABLES = 1000 }; /* frames whose values are stored in convenience variables */

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
	const struct code_location *spot; /* NULL if no names were looked up */
};

static enum cairn_status read_bytes(struct command_call *call, uint64_t address)
{
	struct cbf *cbf = call->context;

	if (swift_object_is_meant(call))
		return swift_object_read(call, address, &cbf->recorded, &cbf->has_images);
	cbf->has_images = false;
	return cairn_trace_read(call->session->space, address, cbf->length, &cbf->recorded);
}

/* Create a spot for each run of frames. Runs beyond TRACE_MAX are printed without names. */
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

/* Add a path from the target, which is not NUL-terminated. */
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
		reply_error(call, "the memory there cannot be read");
	else if (status == CAIRN_UNSUPPORTED)
		reply_error(call, "LENGTH is at most %d", CAIRN_TRACE_BYTES_MAX);
	else
		swift_object_report(call, status);
}

/* Split the operands: the last word may be the length, and the others are the expression. */
static enum answer check_operands(struct command_call *call)
{
	struct cbf *cbf = call->context;

	cbf->expression = words_operands(call->words);
	cbf->length = 0;
	if (words_count_operands(call->words) == 0)
		reply_error(call, "EXPRESSION is missing: cairn cbf EXPRESSION [LENGTH]");
	else if (!swift_object_is_meant(call) &&
	         words_split_number(call->words, &cbf->expression, &cbf->length) &&
	         cbf->length == 0)
		reply_error(call, "LENGTH is 0");
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
