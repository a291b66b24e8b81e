/* SPDX-License-Identifier: MIT */
/*
 * Reads the input of `cairn cbf`, which is raw, hexadecimal, base64 or JSON, as a whole or line by
 * line.
 */
#include "cbf.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const encoding_names[] = {
	[CBF_ENCODING_AUTO] = "auto", [CBF_ENCODING_RAW] = "raw",
	[CBF_ENCODING_HEX] = "hex",   [CBF_ENCODING_BASE64] = "base64",
	[CBF_ENCODING_JSON] = "json", [CBF_ENCODING_REPORT] = "report",
};

static bool cbf_parse_encoding(const char *name, enum cbf_encoding *encoding)
{
	for (size_t i = 0; i < COUNT(encoding_names); i++)
		if (strcmp(name, encoding_names[i]) == 0) {
			*encoding = (enum cbf_encoding)i;
			return true;
		}
	return false;
}

static bool contains_word(struct cairn_bytes text, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; size <= text.size && i <= text.size - size; i++)
		if (text.data[i] == (uint8_t)word[0] && memcmp(text.data + i, word, size) == 0)
			return true;
	return false;
}

/*
 * Guess the encoding from the first character. A backtrace in version 0 of the format starts with a
 * byte below 3: a control character in the raw encoding, '0' in hexadecimal, and 'A' in base64.
 */
static enum cbf_encoding cbf_guess_encoding(struct cairn_bytes text)
{
	static const char blanks[] = " \t\r\n", *const report[] = {
		"Program crashed: ", "Swift runtime failure: ", "Current stack trace:",
		") started at:", "\"crashReport\""
	};
	size_t at = 0;

	while (at < text.size && text.data[at] && strchr(blanks, text.data[at]))
		at++;
	if (cbf_may_begin(text))
		return CBF_ENCODING_RAW;
	for (size_t i = 0; i < COUNT(report); i++)
		if (contains_word(text, report[i]))
			return CBF_ENCODING_REPORT;
	if (at == text.size || text.data[at] < ' ' || text.data[at] > '~')
		return CBF_ENCODING_RAW;
	uint8_t first = text.data[at];
	if (first == '{' || first == '[' || contains_word(text, "\"backtrace\""))
		return CBF_ENCODING_JSON;
	return first == 'A' ? CBF_ENCODING_BASE64 : CBF_ENCODING_HEX;
}

const char *cbf_part(const struct cbf_decoded *d, char part[CBF_PART_MAX])
{
	if (d->number > 0)
		snprintf(part, CBF_PART_MAX, "%s %zu", d->what, d->number);
	else
		snprintf(part, CBF_PART_MAX, "%s", d->what);
	return part;
}

void cbf_print_problem(const struct cbf_decoded *d, const char *what)
{
	char part[CBF_PART_MAX];

	print_diagnostic(d->path, "%s: %s", cbf_part(d, part), what);
}

static void complain_at(const struct cbf_decoded *d, const char *what, size_t at)
{
	struct cairn_fault fault = { CAIRN_MALFORMED, at, what };
	char part[CBF_PART_MAX];

	print_fault_diagnostic(d->path, cbf_part(d, part), &fault, NULL);
}

static bool allocate_bytes(struct cbf_decoded *d, size_t size)
{
	d->owned = malloc(size);
	if (!d->owned)
		cbf_print_problem(d, "out of memory");
	return d->owned != NULL;
}

static bool decode_base64(struct cbf_decoded *d, struct cairn_bytes text)
{
	if (!allocate_bytes(d, base64_capacity(text)))
		return false;
	struct base64_result result = base64_decode(text, d->owned);
	if (result.problems & BASE64_DAMAGED) {
		complain_at(d, "invalid base64", result.offset);
		d->problems |= CBF_PROBLEM_BASE64;
	}
	if (result.problems & BASE64_WHITESPACE) {
		cbf_print_problem(d, "base64 contains blanks");
		d->problems |= CBF_PROBLEM_WHITESPACE;
	}
	d->bytes = (struct cairn_bytes){ d->owned, result.size };
	return true;
}

/* Remove white space around base64. Only white space within it deserves a warning. */
static struct cairn_bytes trim_blanks(struct cairn_bytes text)
{
	while (text.size > 0 && text.data[text.size - 1] <= ' ')
		text.size--;
	while (text.size > 0 && text.data[0] <= ' ') {
		text.data++;
		text.size--;
	}
	return text;
}

bool cbf_decode_bytes(struct cbf_decoded *d, struct cairn_bytes text, enum cbf_encoding encoding)
{
	size_t size = 0, at = 0;

	switch (encoding == CBF_ENCODING_AUTO ? cbf_guess_encoding(text) : encoding) {
	case CBF_ENCODING_HEX:
		if (!allocate_bytes(d, text.size / 2 + 1))
			return false;
		if (!hex_decode(text, d->owned, &size, &at)) {
			complain_at(d, "not a hexadecimal digit", at);
			free(d->owned);
			d->owned = NULL;
			return false;
		}
		d->bytes = (struct cairn_bytes){ d->owned, size };
		return true;
	case CBF_ENCODING_BASE64:
		return decode_base64(d, trim_blanks(text));
	case CBF_ENCODING_AUTO:
	case CBF_ENCODING_RAW:
		d->bytes = text;
		return true;
	case CBF_ENCODING_JSON:
	case CBF_ENCODING_REPORT:
		cbf_print_problem(d, "JSON and reports cannot be used here");
		return false;
	}
	return false;
}

bool cbf_input_open(struct cbf_input *input, const char *path, const struct cbf_source *source,
                    const struct command *command)
{
	*input = (struct cbf_input){ .path = path, .source = *source };
	if (source->encoding && !cbf_parse_encoding(source->encoding, &input->encoding)) {
		input->status = usage_error(
			command, "--from must be auto, raw, hex, base64, json or report");
		return false;
	}
	if (source->text) {
		input->path = "text";
		input->rest = borrow_string(source->text);
	} else if (input_open(path, &input->file)) {
		input->rest = input->file.bytes;
	} else {
		input->status = EXIT_BROKEN;
		return false;
	}
	if (strcmp(input->path, "-") == 0)
		input->path = "standard input";
	if (input->encoding == CBF_ENCODING_AUTO && !source->each)
		input->encoding = cbf_guess_encoding(input->rest);
	return true;
}

void cbf_input_close(struct cbf_input *input)
{
	free(input->json);
	if (input->report)
		captured_close(input->report);
	free(input->report);
	os_file_close(&input->file);
}

void cbf_record_close(struct cbf_record *record)
{
	if (!record->images_lent)
		loaded_images_finish(&record->images);
	free(record->trace.owned);
	free(record->map.owned);
	*record = (struct cbf_record){ 0 };
}

bool cbf_read_images(struct cbf_decoded *map, struct loaded_images *images)
{
	struct loaded_images_end end;
	enum cairn_status status = loaded_images_read(images, map->bytes, &end);

	if (status == CAIRN_NO_MEMORY) {
		cbf_print_problem(map, "out of memory");
		return false;
	}
	if (status != CAIRN_OK) {
		cbf_print_problem(map, "more images or longer paths than the format allows");
		map->problems |= CBF_PROBLEM_IMAGE_MAP;
	} else if (imagemap_is_error(end.outcome)) {
		char part[CBF_PART_MAX];
		print_fault_diagnostic(map->path, cbf_part(map, part), &end.fault, NULL);
		map->problems |= CBF_PROBLEM_IMAGE_MAP;
	}
	loaded_images_sort(images);
	return true;
}

static bool read_object(struct cbf_input *input, const struct codable_object *object,
                        struct cbf_record *record)
{
	record->from_json = true;
	record->architecture = object->architecture.text;
	if (!object->architecture.there)
		record->trace.problems |= CBF_PROBLEM_ARCHITECTURE;
	if (!object->backtrace.there)
		return refuse_with(input->path,
		                   "the JSON object at byte %zu (0x%zx) has no backtrace member",
		                   object->offset, object->offset);
	record->has_images = object->image_map.there;
	if (!cbf_decode_bytes(&record->trace, object->backtrace.text, CBF_ENCODING_BASE64))
		return false;
	return !record->has_images ||
	       (cbf_decode_bytes(&record->map, object->image_map.text, CBF_ENCODING_BASE64) &&
	        cbf_read_images(&record->map, &record->images));
}

static bool open_json(struct cbf_input *input)
{
	if (input->json)
		return true;
	input->json = malloc(sizeof(*input->json));
	if (!input->json) {
		input->status = fail_with(input->path, "out of memory");
		return false;
	}
	codable_open(input->json, input->rest);
	return true;
}

static void begin_record(struct cbf_input *input, struct cbf_record *record)
{
	record->number = ++input->number;
	record->trace.path = record->map.path = input->path;
	record->trace.number = record->map.number = record->number;
	record->trace.what = "backtrace";
	record->map.what = "image map";
}

static bool encode_thread(struct cbf_decoded *d, const struct captured *c,
                          const struct captured_thread *thread)
{
	static const enum cairn_frame_kind kinds[] = {
		[CAPTURED_PC_EXACT] = CAIRN_FRAME_PC,
		[CAPTURED_PC_RETURN] = CAIRN_FRAME_RETURN,
		[CAPTURED_PC_CALL] = CAIRN_FRAME_PC,
		[CAPTURED_PC_RESUME] = CAIRN_FRAME_ASYNC,
	};
	const size_t capacity = 1 + 2 * (thread->count + 1) * CBF_INSTRUCTION_MAX;
	uint64_t number = 0;

	if (!allocate_bytes(d, capacity))
		return false;
	struct cbf_encoder out = cbf_encoder(d->owned, capacity, 8, CBF_PROFILE_SPECIFICATION);
	for (size_t i = thread->first; i < thread->first + thread->count; i++) {
		const struct captured_frame *frame = &c->steps[i].frame;
		const struct cairn_frame run = { kinds[frame->pc], frame->address, 1 };
		const struct cairn_frame gap = { CAIRN_FRAME_OMITTED, frame->number - number, 1 };
		if (i > thread->first && frame->numbered && frame->number > number)
			cbf_put(&out, &gap);
		number = frame->number + 1;
		if (frame->has_address)
			cbf_put(&out, &run);
	}
	return cbf_finish(&out, &d->bytes.size) == CAIRN_OK && (d->bytes.data = d->owned);
}

static bool read_thread(struct cbf_input *input, struct cbf_record *record)
{
	const struct captured *c = input->report;
	const struct captured_thread *thread = &c->threads[input->thread++];
	enum cairn_status status = CAIRN_OK;

	record->from_json = true;
	for (size_t i = 0; i < c->image_count && status == CAIRN_OK; i++) {
		const struct captured_image *from = &c->images[i];
		struct imagemap_image image = { from->base, from->end, from->id, from->path };
		uint8_t id[SWIFT_SCAN_BUILD_ID_MAX];
		size_t bad;
		if (from->report != thread->report)
			continue;
		image.build_id.data = id;
		if (from->id.size > 2 * sizeof(id) ||
		    !hex_decode(from->id, id, &image.build_id.size, &bad))
			image.build_id.size = 0;
		status = loaded_images_add(&record->images, &image);
	}
	loaded_images_sort(&record->images);
	record->has_images = record->images.count > 0;
	if (status == CAIRN_OK && encode_thread(&record->trace, c, thread))
		return true;
	return refuse_with(input->path, "%s", cairn_status_text(CAIRN_NO_MEMORY));
}

/* Read the next thread that has addresses from a report, and encode its backtrace. */
static bool next_thread(struct cbf_input *input, struct cbf_record *record)
{
	if (!input->report) {
		input->report = calloc(1, sizeof(*input->report));
		input->report_options = (struct cairn_captured_options)CAIRN_CAPTURED_OPTIONS;
		input->report_options.text = input->rest;
		if (input->report)
			captured_read(input->report, &input->report_options);
		if (!input->report || input->report->scarce)
			input->status = fail_with(input->path, "out of memory");
		else if (input->report->thread_count == 0)
			input->status = fail_with(input->path, "contains no frame with an address");
	}
	if (!input->report || input->report->scarce || input->thread == input->report->thread_count)
		return false;
	begin_record(input, record);
	if (read_thread(input, record))
		return true;
	input->status = EXIT_BROKEN;
	cbf_record_close(record);
	return false;
}

static bool next_text(struct cbf_input *input, struct cairn_bytes *text)
{
	if (input->rest.size == 0 && (input->source.each || input->number > 0))
		return false;
	if (input->source.each) {
		*text = bytes_take_part(&input->rest, '\n');
	} else {
		*text = input->rest;
		input->rest.size = 0;
	}
	return true;
}

bool cbf_input_next(struct cbf_input *input, struct cbf_record *record)
{
	struct cairn_bytes text;

	*record = (struct cbf_record){ 0 };
	if (input->encoding == CBF_ENCODING_REPORT)
		return next_thread(input, record);
	if (input->encoding == CBF_ENCODING_JSON) {
		struct codable_object object;
		if (!open_json(input))
			return false;
		while (codable_next(input->json, &object)) {
			begin_record(input, record);
			if (read_object(input, &object, record))
				return true;
			input->status = EXIT_BROKEN;
			cbf_record_close(record);
		}
		if (input->json->fault.status != CAIRN_OK) {
			print_fault_diagnostic(input->path, NULL, &input->json->fault, NULL);
			input->status = EXIT_BROKEN;
		} else if (input->number == 0) {
			input->status =
				fail_with(input->path, "contains no JSON object with a backtrace");
		}
		return false;
	}
	while (next_text(input, &text)) {
		begin_record(input, record);
		if (cbf_decode_bytes(&record->trace, text, input->encoding))
			return true;
		input->status = EXIT_BROKEN;
	}
	return false;
}
