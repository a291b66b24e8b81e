/* SPDX-License-Identifier: MIT */
/*
 * Prints the stacks in JSON reports as text: reports of `cairn crash` and `cairn bt --json`, and
 * Swift's crash reports.
 */
#include "bt.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/memory.h"
#include "base/sort.h"
#include "locate/captured_files.h"
#include "output/escape.h"
#include "output/location.h"
#include "output/record_print.h"
#include "output/recorded.h"
#include "process/capture/backtraces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CAPACITY = 1 << 16, WORD_CAPACITY = 256, SWIFT_ID_MAX = 64 };

/* Decode the JSON escapes in a string. The string is truncated if it does not fit. */
static void make_plain(struct cairn_bytes *text, char *buffer, size_t capacity)
{
	if (text->data)
		*text = record_text(*text, buffer, capacity);
}

/*
 * Print the heading of a report: the process and its crash. `thread` is the first printed thread,
 * which is the crashed one unless the options select another.
 */
static void print_report_head(const struct record_thread *thread)
{
	static char program[PATH_CAPACITY], command_line[PATH_CAPACITY];
	char signal[WORD_CAPACITY], code[WORD_CAPACITY], fault[WORD_CAPACITY],
		message[CAIRN_ABORT_MESSAGE + 1];
	struct record_thread plain = *thread;
	const uint64_t number = plain.signal_number.value;

	make_plain(&plain.program, program, sizeof(program));
	make_plain(&plain.command_line, command_line, sizeof(command_line));
	make_plain(&plain.signal, signal, sizeof(signal));
	make_plain(&plain.signal_code_name, code, sizeof(code));
	make_plain(&plain.fault, fault, sizeof(fault));
	make_plain(&plain.abort_message, message, sizeof(message));
	record_print_process(stdout, &plain, bytes_begin_with(plain.core, "process "));
	record_print_crash(stdout, &plain,
	                   number > 0 && number < 64 ? strsignal((int)number) : "?");
}

/* Print one stack of a report. Return true if the stack is complete or was truncated by --count. */
static bool print_report_stack(const struct bt *bt, struct record_thread *thread, size_t number)
{
	char name[WORD_CAPACITY], why[WORD_CAPACITY], missing[WORD_CAPACITY];
	bool is_inlined_into = false, is_cut = bytes_are(thread->end, "limit");
	struct record_frame frame;
	uint64_t count = 0;

	make_plain(&thread->name, name, sizeof(name));
	make_plain(&thread->why, why, sizeof(why));
	make_plain(&thread->missing, missing, sizeof(missing));
	record_print_thread(stdout, thread, number);
	for (size_t at = 0; record_next_frame(thread, &at, &frame);) {
		count += !is_inlined_into;
		if (bt->options.count > 0 && count > bt->options.count) {
			is_cut = true;
			break;
		}
		static char function[CAIRN_DEMANGLE_MAX + 1], file[PATH_CAPACITY],
			module[PATH_CAPACITY];
		char found[WORD_CAPACITY];
		make_plain(&frame.function, function, sizeof(function));
		make_plain(&frame.file, file, sizeof(file));
		make_plain(&frame.module, module, sizeof(module));
		make_plain(&frame.found, found, sizeof(found));
		record_print_frame(stdout, &frame, is_inlined_into, bt->color);
		is_inlined_into = frame.inlined == RECORD_YES;
	}
	record_print_end(stdout, thread, is_cut, NULL);
	return is_cut || thread->complete == RECORD_YES;
}

/*
 * Return the name of the first option in use that needs memory or modules, which reports do not
 * contain. Return NULL if no such option is used.
 */
static const char *find_refused_option(const struct bt_options *options)
{
	return options->list_modules ? "--list-modules"
	       : options->dedup      ? "--dedup"
	       : options->folded     ? "--folded"
	       : options->markup     ? "--markup"
	       : options->explain    ? "--explain"
	       : options->registers  ? "--registers"
	       : options->tasks      ? "--tasks"
	                             : NULL;
}

struct swift_report {
	struct bt *bt;
	struct json *json;
	struct recorded_image *images;
	size_t count, capacity;
	bool tried; /* true once the images' files have been searched for */
	/* members of the whole report: the message and the fault address, if present */
	struct json_reader_value description, fault_address;
};

/* Read the images, sorted by address. Return false if allocation fails. */
static bool read_swift_images(struct swift_report *r, const struct json_reader_value *document)
{
	struct json_reader_value list, object;
	struct recorded_image image;

	r->count = 0;
	if (!json_reader_member(document, "images", &list))
		return true;
	for (size_t at = 0; json_reader_element(&list, &at, &object);)
		if (recorded_image_read(&object, &image) &&
		    !ARRAY_APPEND(r->images, r->count, r->capacity, image))
			return false;
	if (r->count > 0)
		SORT_BY_FIRST(r->images, r->count, base);
	return true;
}

/*
 * Open the images' files as modules of a program, so that bt_find_names() can look up the addresses
 * in the report.
 */
static void open_swift_files(struct swift_report *r)
{
	static char directories[PATH_CAPACITY];
	struct bt_options *options = &r->bt->options;
	struct captured_files *files = captured_files_new(options->directories, options->sysroot);
	struct cairn_captured_options captured = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary summary = { .size = sizeof(summary) };
	struct cairn_stacks_options stacks = CAIRN_STACKS_OPTIONS;
	struct snapshot snapshot;
	struct cairn_error error;

	captured.text = r->bt->file.bytes;
	captured.find = captured_files_find;
	captured.context = files;
	stacks.path = r->bt->path;
	/*
	 * Search for debug files below the sysroot, but then clear it, because the paths of the
	 * files found for modules already include it.
	 */
	if (options->sysroot) {
		snprintf(directories, sizeof(directories), "%s/usr/lib/debug%s%s", options->sysroot,
		         options->directories ? ":" : "",
		         options->directories ? options->directories : "");
		options->directories = directories;
		options->sysroot = NULL;
	}
	if (files && captured_snapshot_open(&captured, &snapshot, &summary, &error) == CAIRN_OK)
		(void)bt_open_stacks(r->bt, &stacks, &snapshot, r->bt->file.bytes.size);
	captured_files_free(files);
}

static void print_swift_record(const struct swift_report *r, const struct record_frame *frame,
                               bool is_outer)
{
	if (r->json)
		record_json_frame(r->json, frame);
	else
		record_print_frame(stdout, frame, is_outer, r->bt->color);
}

/* Print a frame with the names found in the image's file, or without a name. */
static void print_swift_names(struct swift_report *r, struct record_frame *frame, uint64_t lookup,
                              uint64_t *level)
{
	const struct cairn_location *locations = NULL;
	struct bt *bt = r->bt;
	size_t count = 0;

	if (!r->tried)
		open_swift_files(r);
	r->tried = true;
	if (bt->opened)
		locations = bt_find_names(bt, lookup, &count);
	for (size_t i = 0; i < count; i++) {
		const struct cairn_bytes name =
			bt_printed(bt, demangled_name(locations[i].function));
		static struct location_path path;
		location_path(&path, &locations[i]);
		frame->level = record_number((*level)++);
		frame->function = name;
		frame->file = bt_printed(bt, path.text);
		frame->line = record_count(locations[i].line);
		frame->column = record_count(locations[i].column);
		frame->inlined = record_flag(i + 1 < count);
		print_swift_record(r, frame, i > 0);
	}
	frame->level = record_number(*level);
	if (count == 0) {
		print_swift_record(r, frame, false);
		++*level;
	}
}

/* Print the frames of a thread. Return false if Swift omitted the outermost frames. */
static bool print_swift_frames(struct swift_report *r, const struct record_thread *thread)
{
	static char name[CAIRN_DEMANGLE_MAX + 1], short_name[CAIRN_DEMANGLE_MAX];
	static char file[PATH_CAPACITY], module[PATH_CAPACITY];
	bool is_whole = true, is_inlined_into = false;
	struct json_reader_value object;
	struct recorded_frame from;
	uint64_t level = 0;

	for (size_t at = 0; json_reader_element(&thread->frames, &at, &object);) {
		uint8_t id[SWIFT_ID_MAX];
		size_t id_size, bad;
		recorded_frame_read(&object, &from);
		is_whole = from.kind != RECORDED_TRUNCATED;
		if (from.kind == RECORDED_OMITTED && !r->json)
			printf("(%" PRIu64 " frames omitted)\n", from.times);
		if (!from.has_address)
			continue;
		if (r->bt->options.count > 0 && level >= r->bt->options.count)
			return false;
		const uint64_t lookup = from.address - (from.kind == RECORDED_RETURN);
		struct record_frame frame = { .level = record_number(level),
			                      .pc = record_number(from.address),
			                      .exact = from.kind == RECORDED_ASYNC
			                                       ? RECORD_YES
			                                       : RECORD_UNSAID };
		const size_t next = SORTED_UP_TO(r->images, r->count, base, lookup);
		const struct recorded_image *image = next > 0 ? &r->images[next - 1] : NULL;
		if (image && lookup >= image->end)
			image = NULL;
		if (image)
			frame.module = record_text(image->path, module, sizeof(module));
		else if (json_reader_text(&from.image, module, sizeof(module)))
			frame.module = borrow_string(module);
		if (image)
			frame.module_offset = record_number(from.address - image->base);
		if (image && r->json && image->id.size <= 2 * sizeof(id) &&
		    hex_decode(image->id, id, &id_size, &bad))
			frame.build_id = (struct cairn_bytes){ id, id_size };
		const size_t size = recorded_frame_name(&from, name, sizeof(name));
		if (size == 0) {
			print_swift_names(r, &frame, lookup, &level);
			is_inlined_into = false;
			continue;
		}
		frame.function = (struct cairn_bytes){ (const uint8_t *)name, size };
		const size_t short_size = cairn_demangle_as(frame.function, CAIRN_NAME_SHORT,
		                                            short_name, sizeof(short_name));
		if (short_size > 0)
			frame.function =
				(struct cairn_bytes){ (const uint8_t *)short_name, short_size };
		frame.line = record_count(from.line);
		if (frame.line.known && json_reader_text(&from.file, file, sizeof(file)))
			frame.file = borrow_string(file);
		frame.column = record_count(from.column);
		frame.inlined = record_flag(from.inlined);
		print_swift_record(r, &frame, is_inlined_into);
		is_inlined_into = from.inlined;
		level++;
	}
	return is_whole;
}

/*
 * Print one thread of a Swift report. The report describes the crash beside its threads.
 */
static void print_swift_thread(struct swift_report *r, struct record_thread *thread, size_t number)
{
	static const struct record_thread end = { .complete = RECORD_YES };
	char name[WORD_CAPACITY], reason[CAIRN_ABORT_MESSAGE + 1], address[WORD_CAPACITY];
	struct record_thread plain = { .name = thread->name, .crashed = thread->crashed };

	make_plain(&plain.name, name, sizeof(name));
	if (thread->crashed == RECORD_YES &&
	    json_reader_text(&r->description, reason, sizeof(reason)))
		plain.abort_message = borrow_string(reason);
	if (r->json) {
		record_json_begin(r->json, &plain, NULL);
		const bool is_whole = print_swift_frames(r, thread);
		plain.complete = record_flag(is_whole);
		record_json_end(r->json, &plain);
		return;
	}
	if (plain.abort_message.data) {
		print_text_between(stdout, "Program crashed: ", plain.abort_message, "");
		if (json_reader_text(&r->fault_address, address, sizeof(address)))
			print_string_between(stdout, " at ", address, "");
		fputs("\n", stdout);
	}
	record_print_thread(stdout, &plain, number);
	const bool is_whole = print_swift_frames(r, thread);
	record_print_end(stdout, &end, !is_whole, NULL);
}

/* Print the threads of a Swift report, the crashed one first. Return the number of threads. */
static size_t print_swift_report(struct swift_report *r, const struct record_thread *document,
                                 size_t *number)
{
	const struct bt_options *options = &r->bt->options;
	static const char *const names[] = { "description", "faultAddress" };
	struct json_reader_value value[sizeof(names) / sizeof(*names)];
	struct record_thread thread;
	size_t shown = 0;

	json_reader_members(&document->object, names, sizeof(names) / sizeof(*names), value);
	r->description = value[0];
	r->fault_address = value[1];
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t at = 0; record_next_thread(document, &at, &thread);) {
			if (!thread.frames.text.data || (thread.crashed == RECORD_YES) == pass)
				continue;
			++*number;
			if (options->thread ? *number != options->thread
			                    : options->crashed_only && *number > 1)
				continue;
			print_swift_thread(r, &thread, *number);
			shown++;
		}
	return shown;
}

int bt_print_report(struct bt *bt)
{
	static const char expected[] =
		"expected a report of 'cairn crash', 'cairn bt --json' or Swift";
	const char *refused = find_refused_option(&bt->options);
	const uint64_t chosen = bt->options.thread;
	struct record_input input = record_input_of(bt->file.bytes);
	struct record_thread document, thread;
	struct json json = json_to(stdout);
	struct swift_report swift = { .bt = bt,
		                      .json = bt->options.form == FORM_JSON ? &json : NULL };
	struct json_reader_value kind;
	size_t number = 0, shown = 0;
	struct cairn_fault fault;
	bool is_complete = true;

	if (refused) {
		print_diagnostic(bt->path,
		                 "%s is not supported for JSON reports; use the core instead",
		                 refused);
		return EXIT_USAGE;
	}
	while (record_next_document(&input, &document, &fault)) {
		if (fault.status != CAIRN_OK) {
			print_fault_diagnostic(bt->path, NULL, &fault, expected);
			free(swift.images);
			return EXIT_BROKEN;
		}
		if (json_reader_member(&document.object, "kind", &kind) &&
		    bytes_are(json_reader_string(&kind), "crashReport")) {
			if (!read_swift_images(&swift, &document.object)) {
				free(swift.images);
				return fail_with(bt->path, "out of memory");
			}
			shown += print_swift_report(&swift, &document, &number);
			continue;
		}
		for (size_t at = 0; record_next_thread(&document, &at, &thread);) {
			if (!thread.frames.text.data)
				continue;
			number++;
			if (chosen ? number != chosen && thread.tid.value != chosen
			           : bt->options.crashed_only && number > 1)
				continue;
			if (bt->options.form == FORM_JSON) {
				fwrite(thread.object.text.data, 1, thread.object.text.size, stdout);
				fputc('\n', stdout);
			} else {
				if (shown == 0)
					print_report_head(&thread);
				is_complete =
					print_report_stack(bt, &thread, number) && is_complete;
			}
			shown++;
		}
	}
	free(swift.images);
	if (number == 0)
		return fail_with(bt->path, "contains no stacks; %s", expected);
	if (shown == 0) {
		bt_report_no_thread(bt, number);
		return EXIT_MISSING;
	}
	return is_complete ? EXIT_CLEAN : EXIT_MISSING;
}
