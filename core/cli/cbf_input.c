/* SPDX-License-Identifier: MIT */
#include "cbf.h"

#include "base/hex.h"

#include <stdlib.h>
#include <string.h>

static const char *const encoding_names[] = { "auto", "raw", "hex", "base64", "json" };

static bool parse_encoding(const char *name, enum cbf_encoding *encoding)
{
	for (size_t i = 0; i < COUNT(encoding_names); i++)
		if (strcmp(name, encoding_names[i]) == 0) {
			*encoding = (enum cbf_encoding)i;
			return true;
		}
	return false;
}

static bool contains(struct cairn_bytes text, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; size <= text.size && i <= text.size - size; i++)
		if (text.data[i] == (uint8_t)word[0] && memcmp(text.data + i, word, size) == 0)
			return true;
	return false;
}

/*
 * Version 0 begins with a byte below 3: a control character, the digit 0 in hexadecimal, the
 * letter A in base64.
 */
static enum cbf_encoding guess(struct cairn_bytes text)
{
	static const char blanks[] = " \t\r\n";
	size_t at = 0;

	while (at < text.size && text.data[at] && strchr(blanks, text.data[at]))
		at++;
	if (at == text.size || text.data[at] < ' ' || text.data[at] > '~')
		return CBF_ENCODING_RAW;
	uint8_t first = text.data[at];
	if (first == '{' || first == '[' || contains(text, "\"backtrace\""))
		return CBF_ENCODING_JSON;
	return first == 'A' ? CBF_ENCODING_BASE64 : CBF_ENCODING_HEX;
}

bool cbf_input_open(struct cbf_input *input, const char *path, const struct cbf_source *source,
                    const struct command *command)
{
	*input = (struct cbf_input){ .path = source->text ? "text" : path, .source = *source };
	if (source->encoding && !parse_encoding(source->encoding, &input->encoding)) {
		input->status = usage_error(command, "--from takes auto, raw, hex, base64 or json");
		return false;
	}
	if (source->text) {
		input->rest =
			(struct cairn_bytes){ (const uint8_t *)source->text, strlen(source->text) };
	} else if (input_open(path, &input->file)) {
		input->rest = input->file.bytes;
	} else {
		input->status = EXIT_BROKEN;
		return false;
	}
	if (input->encoding == CBF_ENCODING_AUTO && !source->each)
		input->encoding = guess(input->rest);
	return true;
}

void cbf_input_close(struct cbf_input *input)
{
	free(input->json);
	os_file_close(&input->file);
}

void cbf_record_close(struct cbf_record *record)
{
	images_finish(&record->images);
	free(record->owned[0]);
	free(record->owned[1]);
	*record = (struct cbf_record){ 0 };
}

/* Base64 with all that may be wrong with it said. */
static bool decode_base64(const char *path, struct cairn_bytes text, struct cairn_bytes *bytes,
                          uint8_t **owned, unsigned *problems)
{
	uint8_t *data = malloc(codable_base64_room(text));
	if (!data) {
		complain(path, "out of memory");
		return false;
	}
	struct codable_result result = codable_base64(text, data);
	if (result.problems & CODABLE_PROBLEM_BASE64) {
		complain(path, "base64 ends at character %zu (0x%zx)", result.offset,
		         result.offset);
		*problems |= CBF_PROBLEM_BASE64;
	}
	if (result.problems & CODABLE_PROBLEM_WHITESPACE)
		*problems |= CBF_PROBLEM_WHITESPACE;
	*owned = data;
	*bytes = (struct cairn_bytes){ data, result.size };
	return true;
}

static bool decode_hex(const char *path, struct cairn_bytes text, struct cairn_bytes *bytes,
                       uint8_t **owned)
{
	size_t size = 0, at = 0;
	uint8_t *data = malloc(text.size / 2 + 1);

	if (!data) {
		complain(path, "out of memory");
		return false;
	}
	if (!hex_decode(text, data, &size, &at)) {
		complain(path, "no hexadecimal digit at byte %zu (0x%zx)", at, at);
		free(data);
		return false;
	}
	*owned = data;
	*bytes = (struct cairn_bytes){ data, size };
	return true;
}

/* Blanks and line ends around base64 are nobody's fault. */
static struct cairn_bytes trim(struct cairn_bytes text)
{
	while (text.size > 0 && text.data[text.size - 1] <= ' ')
		text.size--;
	while (text.size > 0 && text.data[0] <= ' ') {
		text.data++;
		text.size--;
	}
	return text;
}

bool cbf_decode_bytes(const char *path, struct cairn_bytes text, enum cbf_encoding encoding,
                      struct cairn_bytes *bytes, uint8_t **owned, unsigned *problems)
{
	switch (encoding == CBF_ENCODING_AUTO ? guess(text) : encoding) {
	case CBF_ENCODING_HEX:
		return decode_hex(path, text, bytes, owned);
	case CBF_ENCODING_BASE64:
		return decode_base64(path, trim(text), bytes, owned, problems);
	case CBF_ENCODING_AUTO:
	case CBF_ENCODING_RAW:
	case CBF_ENCODING_JSON:
		*bytes = text;
		return true;
	}
	return false;
}

bool cbf_read_images(const char *path, struct cairn_bytes map, struct images *images,
                     unsigned *problems)
{
	struct images_end end;
	enum cairn_status status = images_read(images, map, &end);

	if (status == CAIRN_NO_MEMORY) {
		complain(path, "out of memory");
		return false;
	}
	if (status != CAIRN_OK) {
		complain(path, "image map: more images or longer paths than can be");
		*problems |= CBF_PROBLEM_IMAGE_MAP;
	} else if (imagemap_is_error(end.outcome)) {
		complain_fault(path, "image map", &end.fault, NULL);
		*problems |= CBF_PROBLEM_IMAGE_MAP;
	}
	images_sort(images);
	return true;
}

static bool read_object(struct cbf_input *input, const struct codable_object *object,
                        struct cbf_record *record)
{
	record->from_json = true;
	record->architecture = object->architecture.text;
	if (!object->architecture.there)
		record->problems |= CBF_PROBLEM_ARCHITECTURE;
	if (!object->backtrace.there) {
		complain(input->path, "JSON object at byte %zu (0x%zx): no backtrace",
		         object->offset, object->offset);
		return false;
	}
	if (!decode_base64(input->path, object->backtrace.text, &record->bytes, &record->owned[0],
	                   &record->problems))
		return false;
	struct cairn_bytes map;
	if (!object->image_map.there)
		return true;
	record->has_images = true;
	return decode_base64(input->path, object->image_map.text, &map, &record->owned[1],
	                     &record->problems) &&
	       cbf_read_images(input->path, map, &record->images, &record->problems);
}

static bool open_json(struct cbf_input *input)
{
	if (input->json)
		return true;
	input->json = malloc(sizeof(*input->json));
	if (!input->json) {
		complain(input->path, "out of memory");
		input->status = EXIT_BROKEN;
		return false;
	}
	codable_open(input->json, input->rest);
	return true;
}

static bool next_object(struct cbf_input *input, struct cbf_record *record)
{
	struct codable_object object;

	if (!open_json(input))
		return false;
	while (codable_next(input->json, &object)) {
		record->number = ++input->number;
		if (read_object(input, &object, record))
			return true;
		input->status = EXIT_BROKEN;
		cbf_record_close(record);
	}
	if (input->json->fault.status != CAIRN_OK) {
		complain_fault(input->path, NULL, &input->json->fault, NULL);
		input->status = EXIT_BROKEN;
	} else if (input->number == 0) {
		complain(input->path, "no object with a backtrace in this JSON");
		input->status = EXIT_BROKEN;
	}
	return false;
}

/* What comes next: a line, or all of it. */
static bool next_text(struct cbf_input *input, struct cairn_bytes *text)
{
	const uint8_t *end = NULL;

	if (input->rest.size == 0 && (input->source.each || input->number > 0))
		return false;
	if (input->source.each)
		end = memchr(input->rest.data, '\n', input->rest.size);
	*text = input->rest;
	if (end)
		text->size = (size_t)(end - text->data);
	size_t used = text->size + (end ? 1 : 0);
	input->rest.data += used;
	input->rest.size -= used;
	return true;
}

bool cbf_input_next(struct cbf_input *input, struct cbf_record *record)
{
	struct cairn_bytes text;

	*record = (struct cbf_record){ 0 };
	if (input->encoding == CBF_ENCODING_JSON)
		return next_object(input, record);
	while (next_text(input, &text)) {
		record->number = ++input->number;
		if (cbf_decode_bytes(input->path, text, input->encoding, &record->bytes,
		                     &record->owned[0], &record->problems))
			return true;
		input->status = EXIT_BROKEN;
	}
	return false;
}
