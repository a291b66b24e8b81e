/* SPDX-License-Identifier: MIT */
/*
 * Reads the frames of recorded backtraces in JSON, as `cairn cbf decode --json` and Swift's own backtracer write them:
 *
 *	frame = { "kind": "pc" | "ra" | "async", "address": "0x...", "times": n }, or Swift's words for these
 *	image = { "base": "0x...", "end": "0x...", "id": digits, "path": text }, or Swift's
 */
#include "captured_stacks.h"

#include "base/bytes_compare.h"
#include "base/hex.h"
#include "base/json/json_reader.h"

struct cairn_bytes captured_read_text_member(const struct json_reader_value *object,
                                             const char *name, const char *other)
{
	struct json_reader_value value;

	if ((json_reader_member(object, name, &value) ||
	     json_reader_member(object, other, &value)) &&
	    value.kind == JSON_READER_STRING)
		return value.text;
	return (struct cairn_bytes){ object->text.data, 0 };
}

static bool read_image(const struct json_reader_value *object, struct captured_image *image)
{
	image->path = captured_read_text_member(object, "path", "name");
	image->id = captured_read_text_member(object, "id", "buildId");
	image->id.size &= ~(size_t)1;
	for (size_t i = 0; i < image->id.size; i++)
		if (hex_digit(image->id.data[i]) == HEX_NO_DIGIT)
			image->id.size = 0;
	return hex_read_address(captured_read_text_member(object, "base", "baseAddress"),
	                        &image->base) &&
	       hex_read_address(captured_read_text_member(object, "end", "endOfText"),
	                        &image->end) &&
	       image->path.size > 0 && image->base < image->end;
}

void captured_read_images(const struct json_reader_value *document, struct captured_images *images)
{
	struct json_reader_value list, object;

	images->count = 0;
	if (!json_reader_member(document, "images", &list))
		return;
	for (size_t at = 0;
	     images->count < CAPTURED_MODULES_MAX && json_reader_element(&list, &at, &object);)
		images->count += read_image(&object, &images->image[images->count]);
}

/* Where the address is; a return address may be the first byte behind an image. */
static void find_image(const struct captured_images *images, struct captured_frame *frame)
{
	const uint64_t lookup = frame->address - (frame->pc == CAPTURED_PC_RETURN);

	for (size_t i = 0; i < images->count; i++) {
		const struct captured_image *image = &images->image[i];
		if (lookup < image->base || lookup >= image->end)
			continue;
		frame->module = image->path;
		frame->id = image->id;
		frame->origin = CAPTURED_FROM_MODULE;
		frame->offset = frame->address - image->base;
		return;
	}
}

bool captured_read_recorded(const struct json_reader_value *object,
                            const struct captured_images *images, struct captured_frame *frame,
                            uint64_t *times)
{
	const struct cairn_bytes kind = captured_read_text_member(object, "kind", "kind");
	struct json_reader_value number;

	if (!hex_read_address(captured_read_text_member(object, "address", "address"),
	                      &frame->address))
		return false;
	frame->pc = bytes_are(kind, "pc") || bytes_are(kind, "programCounter") ? CAPTURED_PC_EXACT
	                                                                       : CAPTURED_PC_RETURN;
	*times = 1;
	if (json_reader_member(object, "times", &number) && !json_reader_whole(&number, times))
		*times = 1;
	find_image(images, frame);
	return true;
}
