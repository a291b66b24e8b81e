/* SPDX-License-Identifier: MIT */
/*
 * The command open, which shows a capture in a new inferior or target beside the program being
 * debugged, and the command close.
 */
#include "cbf.h"
#include "commands.h"

#include "common/base/files.h"
#include "common/session/session.h"

#include "markup.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_EXES_MAX = 16 };

struct open_exes {
	struct cairn_capture_file file[OPEN_EXES_MAX];
	size_t count;
	struct text paths;
};

enum { OPEN_MODULES_MAX = 256 };

/*
 * Input of the command open:
 *
 *	FILE, -file FILE            a file
 *	EXPRESSION LENGTH, -string  memory, as for the command markup
 *	-array, -backtrace          a Swift backtrace in the program's memory, as for the command cbf
 */
struct open_input {
	struct markup_text memory;
	struct text path; /* path of the input file; empty if the input is in memory */
	bool has_images;  /* the input is a Swift backtrace with images, which the space has read */
	struct cairn_captured_module modules[OPEN_MODULES_MAX];
	size_t module_count;
	struct text names;
};

/*
 * Parse the number after the last '@' as the base, if there is one. Returns the length of the file
 * name.
 */
static size_t read_base(const char *word, struct cairn_capture_file *file)
{
	const char *at = strrchr(word, '@');
	char *end = NULL;

	*file = (struct cairn_capture_file){ .base = at ? strtoull(at + 1, &end, 0) : 0 };
	file->has_base = at && at[1] >= '0' && at[1] <= '9' && *end == '\0';
	return file->has_base ? (size_t)(at - word) : strlen(word);
}

/*
 * Parse the options -exe=FILE[@BASE]. Returns false and reports the reason if there are too many,
 * or if allocation fails.
 */
static bool open_exes_read(struct command_call *call, struct open_exes *exes)
{
	size_t places[OPEN_EXES_MAX];
	const char *word;
	unsigned at = 0;

	exes->count = 0;
	text_reset(&exes->paths);
	while ((word = words_next_value(call->words, "exe", &at)) != NULL) {
		if (exes->count == OPEN_EXES_MAX) {
			reply_error(call, "-exe accepts at most %d files", OPEN_EXES_MAX);
			return false;
		}
		const size_t size = read_base(word, &exes->file[exes->count]);
		places[exes->count++] = exes->paths.size;
		path_add_absolute(&exes->paths, word, size);
		text_bytes(&exes->paths, "", 1);
	}
	for (size_t i = 0; i < exes->count && !exes->paths.cut; i++)
		exes->file[i].path = exes->paths.data + places[i];
	if (exes->paths.cut)
		reply_error(call, "out of memory");
	return !exes->paths.cut;
}

static void open_exes_finish(struct open_exes *exes)
{
	text_finish(&exes->paths);
}

/*
 * Collects the modules that contain the addresses in a capture. Uses the images that the capture
 * has recorded, or the target's modules if there are no images.
 */

/* offsets in input->names, which are converted to pointers when input->names has stopped growing */
struct module_names {
	size_t path, path_size, id, id_size;
};

static void add_captured_module(struct open_input *input, struct module_names *names,
                                struct cairn_range pcs, uint64_t bias, struct cairn_bytes path,
                                struct cairn_bytes build_id)
{
	if (input->module_count == OPEN_MODULES_MAX || path.size == 0)
		return;
	struct module_names *name = &names[input->module_count];
	name->path_size = path.size;
	name->id_size = build_id.size;
	name->path = input->names.size;
	text_bytes(&input->names, (const char *)path.data, path.size);
	name->id = input->names.size;
	text_bytes(&input->names, (const char *)build_id.data, build_id.size);
	input->modules[input->module_count++] =
		(struct cairn_captured_module){ .pcs = pcs, .bias = bias };
}

/* Add the module as described by the debugger. Returns false if its file path is unknown. */
static bool add_known_module(struct command_call *call, struct open_input *input,
                             struct module_names *names, uint64_t low, struct cairn_bytes id)
{
	const struct source_id wanted = source_id(id);
	struct cairn_module module;

	if (cairn_space_module(call->session->space, low, &module) != CAIRN_OK ||
	    !module.has_headers || !module.name ||
	    (id.size > 0 && module.build_id.size > 0 && !source_is(&wanted, module.build_id)))
		return false;
	const struct cairn_bytes path = { (const uint8_t *)module.name, strlen(module.name) };
	add_captured_module(input, names, (struct cairn_range){ module.low, module.high },
	                    module.bias, path, module.build_id);
	return true;
}

static bool has_image(const struct open_input *input, const struct cairn_image *image)
{
	for (size_t i = 0; i < input->module_count; i++)
		if (image->base >= input->modules[i].pcs.low &&
		    image->base < input->modules[i].pcs.high)
			return true;
	return false;
}

/*
 * Add the recorded images that contain frames. If an image is still loaded, use the debugger's
 * module instead, because its description is more complete.
 */
static void take_images(struct command_call *call, struct open_input *input,
                        struct module_names *names)
{
	const struct text *text = &input->memory.text;
	struct cairn_trace trace;
	struct cairn_frame run;
	struct cairn_image image;

	cairn_trace_open((struct cairn_bytes){ (const uint8_t *)text->data, text->size }, &trace);
	while (cairn_trace_next(&trace, &run)) {
		if (run.kind == CAIRN_FRAME_OMITTED ||
		    !cairn_found_trace_image(call->session->space, cairn_frame_lookup_address(&run),
		                             &image) ||
		    has_image(input, &image) ||
		    add_known_module(call, input, names, image.base, image.build_id))
			continue;
		add_captured_module(input, names, (struct cairn_range){ image.base, image.end },
		                    image.base, image.path.size > 0 ? image.path : image.name,
		                    image.build_id);
	}
}

/*
 * Add the target's modules. Collect their addresses first, because reading a module's headers may
 * change the list of modules.
 */
static void take_modules(struct command_call *call, struct open_input *input,
                         struct module_names *names)
{
	struct cairn_space *space = call->session->space;
	uint64_t lows[OPEN_MODULES_MAX];
	struct cairn_module module;
	size_t at = 0, count = 0;

	while (count < OPEN_MODULES_MAX && cairn_space_next_module(space, &at, &module))
		lows[count++] = module.low;
	for (size_t i = 0; i < count; i++)
		(void)add_known_module(call, input, names, lows[i],
		                       (struct cairn_bytes){ (const uint8_t *)"", 0 });
}

static bool point_to_names(struct open_input *input, const struct module_names *names)
{
	const uint8_t *all = (const uint8_t *)input->names.data;

	for (size_t i = 0; i < input->module_count && !input->names.cut; i++) {
		input->modules[i].path =
			(struct cairn_bytes){ all + names[i].path, names[i].path_size };
		input->modules[i].build_id =
			(struct cairn_bytes){ all + names[i].id, names[i].id_size };
	}
	return !input->names.cut;
}

static enum answer open_input_find_modules(struct command_call *call)
{
	struct open_input *input = call->context;
	struct module_names names[OPEN_MODULES_MAX];

	if (input->path.size > 0)
		return ANSWER_READY;
	const enum answer answer = call->session->debugger->name_modules(call);
	if (answer != ANSWER_READY)
		return answer;
	input->module_count = 0;
	text_reset(&input->names);
	if (input->has_images)
		take_images(call, input, names);
	else
		take_modules(call, input, names);
	if (point_to_names(input, names))
		return ANSWER_READY;
	reply_error(call, "out of memory");
	return ANSWER_FAILED;
}

static void open_input_finish(struct open_input *input)
{
	text_finish(&input->memory.text);
	text_finish(&input->path);
	text_finish(&input->names);
}

/*
 * Return true if the input is a file. A single word is a file name, because input from memory
 * requires a length.
 */
static bool names_file(const struct command_call *call)
{
	if (command_call_option(call, "file"))
		return true;
	return !command_call_option(call, "string") && !swift_object_is_meant(call) &&
	       words_count_operands(call->words) == 1;
}

/*
 * Command steps, each of which evaluates one expression. The command's context must begin with a
 * struct open_input.
 */
static enum answer open_input_read_length(struct command_call *call)
{
	struct open_input *input = call->context;

	if (words_count_operands(call->words) == 0) {
		reply_error(
			call,
			"FILE is missing; usage: cairn open FILE, or cairn open EXPRESSION LENGTH");
		return ANSWER_FAILED;
	}
	if (names_file(call)) {
		const char *path = command_call_path(call);
		text_reset(&input->path);
		path_add_absolute(&input->path, path, strlen(path));
		return ANSWER_READY;
	}
	if (swift_object_is_meant(call)) {
		input->memory.expression = words_operands(call->words);
		return ANSWER_READY;
	}
	return markup_read_length(call, &input->memory);
}

static enum answer read_swift_object(struct command_call *call, struct open_input *input)
{
	struct cairn_bytes bytes;
	uint64_t address = 0;
	const enum answer answer =
		call->session->debugger->evaluate(call, input->memory.expression, &address, NULL);

	if (answer != ANSWER_READY)
		return answer;
	const enum cairn_status status =
		swift_object_read(call, address, &bytes, &input->has_images);
	if (status != CAIRN_OK) {
		swift_object_report(call, status);
		return ANSWER_FAILED;
	}
	text_reset(&input->memory.text);
	text_bytes(&input->memory.text, (const char *)bytes.data, bytes.size);
	return ANSWER_READY;
}

static enum answer open_input_read(struct command_call *call)
{
	struct open_input *input = call->context;

	if (input->path.size > 0)
		return ANSWER_READY;
	if (swift_object_is_meant(call))
		return read_swift_object(call, input);
	const enum answer answer = markup_read_text(call, &input->memory);
	if (answer == ANSWER_READY && input->memory.text.size == 0) {
		reply_error(call, "the text is empty");
		return ANSWER_FAILED;
	}
	return answer;
}

struct open {
	struct open_input input; /* must be first */
	struct open_exes exes;
	struct captures *captures;
	size_t number;
};

static struct open *get_open(const struct command_call *call)
{
	return call->context;
}

/* Free the context, and remove the capture unless it is shown. */
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

	search.directories = call->session->sources.directories;
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
		reply_error(call, "no frame has an address, and the module files needed to compute "
		                  "the addresses were not found");
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
		reply_error(call, "%d captures are already open; close one with \"cairn close\"",
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
	print_lack(call, "modules without their files, replaced by small placeholders",
	           summary->missing);
	print_lack(call, "files that are used although the text does not record their build",
	           summary->unchecked);
	print_lack(call, "stacks that end early, because call frame information is missing",
	           summary->ended);
	print_lack(call, "frames that have no address, and no file to find it in", summary->lost);
	print_lack(call, "frames omitted because there are too many", summary->left_out);
	print_lack(call, "frames that may fail to unwind, as others there differ in size",
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
	            summary.is_text ? "only return addresses are known"
	                            : "memory that was not captured cannot be read");
	print_lacks(call, &summary);
	return ANSWER_READY;
}

const struct command command_open = {
	.name = "cairn open",
	.usage = "[-json] [-exe=FILE[@BASE]] [-file] [-string] [-array] [-backtrace] "
		 "FILE|EXPRESSION [LENGTH]",
	.help = "Open a capture beside the debugged program, as a separate core.\n"
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

struct closing {
	uint64_t view;
};

static struct closing *get_closing(const struct command_call *call)
{
	return call->context;
}

/* Choose the selected capture, or the newest one if no capture is selected. */
static enum answer choose_selected(struct command_call *call)
{
	struct captures *captures = &call->session->captures;
	struct closing *closing = get_closing(call);
	uint64_t view = 0;
	const enum answer answer = call->session->debugger->find_view(call, &view);

	if (answer != ANSWER_READY)
		return answer;
	const struct shown_capture *shown = captures_find(captures, view);
	closing->view = shown ? view : captures->shown[captures->count - 1].view;
	return ANSWER_READY;
}

static enum answer choose_capture(struct command_call *call)
{
	struct captures *captures = &call->session->captures;
	struct closing *closing = get_closing(call);

	captures_drop_unshown(captures);
	if (captures->count == 0) {
		reply_error(call, "no capture is open");
		return ANSWER_FAILED;
	}
	if (words_count_operands(call->words) == 0)
		return choose_selected(call);
	if (words_count_operands(call->words) == 1 &&
	    words_parse_number(call->words, 0, &closing->view) &&
	    captures_find(captures, closing->view))
		return ANSWER_READY;
	reply_error(call, "no such capture; the newest capture is %" PRIu64,
	            captures->shown[captures->count - 1].view);
	return ANSWER_FAILED;
}

static enum answer hide_capture(struct command_call *call)
{
	return call->session->debugger->hide_capture(
		call, captures_find(&call->session->captures, get_closing(call)->view));
}

static enum answer drop_capture(struct command_call *call)
{
	struct captures *captures = &call->session->captures;

	captures_drop(captures, captures_find(captures, get_closing(call)->view));
	reply_set(call, "cairn_captures", captures->count);
	return ANSWER_READY;
}

const struct command command_close = {
	.name = "cairn close",
	.usage = "[NUMBER]",
	.help = "Remove a capture that \"cairn open\" has opened, and its files.\n"
		"NUMBER is its inferior or target; without it remove the selected capture, or\n"
		"else the newest. Then restore the previous selection.",
	.example = "cairn close",
	.steps = { choose_capture, hide_capture, drop_capture },
	.context_size = sizeof(struct closing),
};
