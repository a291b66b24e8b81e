/* SPDX-License-Identifier: MIT */
/* Reads the frames and images of recorded backtraces in JSON. */
#include "recorded.h"

#include "base/bytes.h"
#include "base/encoding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void recorded_frame_read(const struct json_reader_value *object, struct recorded_frame *frame)
{
	static const struct {
		const char *name;
		enum recorded_kind kind;
	} kinds[] = {
		{ "pc", RECORDED_PC },
		{ "programCounter", RECORDED_PC },
		{ "async", RECORDED_ASYNC },
		{ "asyncResumePoint", RECORDED_ASYNC },
		{ "omittedFrames", RECORDED_OMITTED },
		{ "truncated", RECORDED_TRUNCATED },
	};
	enum {
		KIND,
		ADDRESS,
		TIMES,
		FRAMES,
		INLINED,
		SYMBOL,
		OFFSET,
		DESCRIPTION,
		IMAGE,
		PLACE,
		NAMES
	};
	static const char *const names[NAMES] = { "kind",          "address",     "times",
		                                  "count",         "inlined",     "symbol",
		                                  "offset",        "description", "image",
		                                  "sourceLocation" };
	static const char *const parts[] = { "file", "line", "column" };
	struct json_reader_value value[NAMES], part[COUNT(parts)];

	json_reader_members(object, names, NAMES, value);
	json_reader_members(&value[PLACE], parts, COUNT(parts), part);
	*frame = (struct recorded_frame){ .times = 1,
		                          .inlined = value[INLINED].kind == JSON_READER_TRUE,
		                          .image = value[IMAGE],
		                          .file = part[0],
		                          .description = value[DESCRIPTION],
		                          .symbol = value[SYMBOL] };
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (bytes_are(json_reader_string(&value[KIND]), kinds[i].name))
			frame->kind = kinds[i].kind;
	frame->has_address = hex_read_address(json_reader_string(&value[ADDRESS]), &frame->address);
	if (frame->kind == RECORDED_OMITTED)
		frame->times = 0;
	(void)json_reader_whole(&value[frame->has_address ? TIMES : FRAMES], &frame->times);
	(void)json_reader_whole(&value[OFFSET], &frame->offset);
	(void)json_reader_whole(&part[1], &frame->line);
	(void)json_reader_whole(&part[2], &frame->column);
}

size_t recorded_frame_name(const struct recorded_frame *frame, char *name, size_t capacity)
{
	static const char unknown[] = "<unknown>";
	char plus[32];

	if (!json_reader_text(&frame->description, name, capacity))
		json_reader_text(&frame->symbol, name, capacity);
	size_t size = strlen(name);
	const int tail = snprintf(plus, sizeof(plus), " + %" PRIu64, frame->offset);
	if (tail > 0 && size > (size_t)tail && strcmp(name + size - tail, plus) == 0)
		size -= (size_t)tail;
	name[size] = 0;
	return strcmp(name, unknown) == 0 ? 0 : size;
}

/* Return the string member with one of two names, or an empty string. */
static struct cairn_bytes find_string(const struct json_reader_value *name,
                                      const struct json_reader_value *other)
{
	return json_reader_string(name->text.data ? name : other);
}

bool recorded_image_read(const struct json_reader_value *object, struct recorded_image *image)
{
	static const char *const names[] = { "path", "name",        "id",  "buildId",
		                             "base", "baseAddress", "end", "endOfText" };
	struct json_reader_value value[COUNT(names)];

	json_reader_members(object, names, COUNT(names), value);
	image->path = find_string(&value[0], &value[1]);
	image->id = find_string(&value[2], &value[3]);
	if (image->id.size % 2 != 0)
		image->id.size = 0;
	for (size_t i = 0; i < image->id.size; i++)
		if (hex_digit(image->id.data[i]) == HEX_NO_DIGIT)
			image->id.size = 0;
	return hex_read_address(find_string(&value[4], &value[5]), &image->base) &&
	       hex_read_address(find_string(&value[6], &value[7]), &image->end) &&
	       image->path.size > 0 && image->base < image->end;
}
