/* SPDX-License-Identifier: MIT */
/* The command open: a capture in a new inferior or target, next to the program being debugged. */
#include "common/base/path.h"
#include "common/commands/commands.h"
#include "open_exes.h"
#include "open_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct open {
	struct open_input input; /* must be first */
	struct open_exes exes;
	struct captures *captures; /* NULL until the capture has been added */
	size_t number;
};

static struct open *get_open(const struct command_call *call)
{
	return call->context;
}

/* Also drop the capture if it does not have a view. */
static void finish_open(void *context)
{
	struct open *open = context;

	open_input_finish(&open->input);
	open_exes_finish(&open->exes);
	if (open->captures)
		captures_drop_unshown(open->captures);
}

static enum cairn_status open_capture(struct command_call *call, struct cairn_capture **capture,
                                      struct cairn_error *error)
{
	const struct open_input *input = &get_open(call)->input;
	const struct text *text = &input->memory.text;
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS;
	const char *usual = getenv("TMPDIR");

	search.folders = call->session->sources.directories;
	options.search = &search;
	options.modules = input->modules;
	options.module_count = input->module_count;
	options.files = get_open(call)->exes.file;
	options.file_count = get_open(call)->exes.count;
	options.parent = usual && path_is_plain(usual) ? usual : "/tmp";
	if (input->path.size > 0)
		options.path = input->path.data;
	else
		options.bytes = (struct cairn_bytes){ (const uint8_t *)text->data, text->size };
	return cairn_capture_open(&options, capture, error);
}

static void report_open_error(struct command_call *call, enum cairn_status status,
                              const struct cairn_error *error)
{
	const char *path = error->path[0] ? error->path : "";

	if (status == CAIRN_NOT_FOUND)
		reply_error(call,
		            "no backtrace there has an address, or a module whose file is here");
	else
		reply_error(call, "%s%s%s", path, *path ? ": " : "", error->text);
}

static enum answer make_capture(struct command_call *call)
{
	struct open *open = get_open(call);
	struct captures *captures = &call->session->captures;
	struct cairn_capture *capture = NULL;
	struct cairn_error error;

	if (!open_exes_read(call, &open->exes))
		return ANSWER_FAILED;
	const enum cairn_status status = open_capture(call, &capture, &error);
	if (status != CAIRN_OK) {
		report_open_error(call, status, &error);
		return ANSWER_FAILED;
	}
	if (!captures_add(captures, capture)) {
		reply_error(call, "%d captures are open: \"cairn close\" removes one",
		            CAPTURES_MAX);
		return ANSWER_FAILED;
	}
	open->captures = captures;
	open->number = captures->count - 1;
	return ANSWER_READY;
}

static enum answer show_capture(struct command_call *call)
{
	struct open *open = get_open(call);

	return call->session->debugger->show_capture(call, &open->captures->shown[open->number]);
}

static void print_open_json(struct command_call *call, const struct shown_capture *shown,
                            const struct cairn_capture_summary *summary)
{
	struct json_writer json = reply_begin_json(call);
	const char *name;

	json_add_number(&json, "number", shown->view);
	json_add_string(&json, "core", summary->core);
	json_add_string(&json, "program", summary->program);
	json_add_number(&json, "modules", summary->modules);
	json_add_number(&json, "missing", summary->missing);
	json_add_number(&json, "unchecked", summary->unchecked);
	json_add_number(&json, "ended", summary->ended);
	json_add_number(&json, "lost", summary->lost);
	json_add_number(&json, "left_out", summary->left_out);
	json_add_number(&json, "ambiguous", summary->ambiguous);
	json_begin_array(&json, "threads");
	for (size_t i = 0; (name = cairn_capture_thread_name(shown->capture, i)) != NULL; i++)
		json_add_string(&json, NULL, name);
	json_end_array(&json);
	reply_end_json(call, &json);
}

static void print_lack(struct command_call *call, const char *what, uint64_t count)
{
	if (count > 0)
		reply_print(call, "%s: %" PRIu64, what, count);
}

static void print_lacks(struct command_call *call, const struct cairn_capture_summary *summary)
{
	print_lack(call, "modules without their files, for which small ones stand in",
	           summary->missing);
	print_lack(call, "files that are taken although the text does not tell their build",
	           summary->unchecked);
	print_lack(call, "stacks that end early, because no call frame information leads on",
	           summary->ended);
	print_lack(call, "frames that have no address, nor a file that tells one", summary->lost);
	print_lack(call, "frames that are left out, because there are too many", summary->left_out);
	print_lack(call, "frames behind which the way may be lost, as others have another size",
	           summary->ambiguous);
}

static enum answer report_open(struct command_call *call)
{
	const struct open *open = get_open(call);
	const struct shown_capture *shown = &open->captures->shown[open->number];
	struct cairn_capture_summary summary = { .size = sizeof(summary) };

	cairn_capture_describe(shown->capture, &summary);
	reply_set(call, "cairn_opened", shown->view);
	reply_set(call, "cairn_threads", summary.threads);
	if (call->json) {
		print_open_json(call, shown, &summary);
		return ANSWER_READY;
	}
	reply_print(call, "%s %" PRIu64 ": %" PRIu64 " thread%s, %" PRIu64 " module%s; %s",
	            call->session->debugger->view_name, shown->view, summary.threads,
	            summary.threads == 1 ? "" : "s", summary.modules,
	            summary.modules == 1 ? "" : "s",
	            summary.is_text ? "return addresses are all that is known"
	                            : "memory that was not captured cannot be read");
	print_lacks(call, &summary);
	return ANSWER_READY;
}

const struct command command_open = {
	.name = "cairn open",
	.usage = "[-json] [-exe=FILE[@BASE]] [-file] [-string] [-array] [-backtrace] "
		 "FILE|EXPRESSION [LENGTH]",
	.help = "Open a capture beside what is debugged, as a core of its own.\n"
		"A capture is a minidump, a log with backtraces or markup, a report of cairn in\n"
		"JSON, or a Swift backtrace: a file, or LENGTH bytes of memory. With -string the\n"
		"text in memory ends at a zero byte; with -array it is an array that find-cbf\n"
		"listed, with -backtrace a Backtrace value. -exe, which may be repeated, gives\n"
		"the file of a module that is elsewhere, and where its first byte was.\n"
		"\"cairn close\" removes the capture again.",
	.example = "cairn open crash.dmp",
	.steps = { open_input_read_length, open_input_read, open_input_find_modules, make_capture,
	           show_capture, report_open },
	.context_size = sizeof(struct open),
	.finish = finish_open,
};
