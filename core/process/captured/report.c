/* SPDX-License-Identifier: MIT */
/*
 * Reads stack records as threads of frames, and recorded backtraces as written by `cairn cbf decode
 * --json` and by Swift's own backtracer:
 *
 *	frame = { "kind": "pc" | "ra" | "async", "address": "0x...", "times": n }, or Swift's words for these
 *	image = { "base": "0x...", "end": "0x...", "id": digits, "path": text }, or Swift's
 */
#include "captured_stacks.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/memory.h"
#include "records/record.h"

struct captured_image {
	uint64_t base, end;
	struct cairn_bytes path, id; /* the ID as hexadecimal digits */
};

struct captured_images {
	struct captured_image image[CAPTURED_MODULES_MAX];
	size_t count;
};

/* Return the string member with one of two names, or an empty string. */
static struct cairn_bytes read_text_member(const struct json_reader_value *object, const char *name,
                                           const char *other)
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
	image->path = read_text_member(object, "path", "name");
	image->id = read_text_member(object, "id", "buildId");
	image->id.size &= ~(size_t)1;
	for (size_t i = 0; i < image->id.size; i++)
		if (hex_digit(image->id.data[i]) == HEX_NO_DIGIT)
			image->id.size = 0;
	return hex_read_address(read_text_member(object, "base", "baseAddress"), &image->base) &&
	       hex_read_address(read_text_member(object, "end", "endOfText"), &image->end) &&
	       image->path.size > 0 && image->base < image->end;
}

static void read_images(const struct json_reader_value *document, struct captured_images *images)
{
	struct json_reader_value list, object;

	images->count = 0;
	if (!json_reader_member(document, "images", &list))
		return;
	for (size_t at = 0;
	     images->count < CAPTURED_MODULES_MAX && json_reader_element(&list, &at, &object);)
		images->count += read_image(&object, &images->image[images->count]);
}

/* Find the image of an address. A return address may be the first byte after its image. */
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

/*
 * Read one frame of a recorded backtrace, which stands for *times equal ones. Return false if it
 * does not have an address.
 */
static bool read_recorded(const struct json_reader_value *object,
                          const struct captured_images *images, struct captured_frame *frame,
                          uint64_t *times)
{
	const struct cairn_bytes kind = read_text_member(object, "kind", "kind");
	struct json_reader_value number;

	if (!hex_read_address(read_text_member(object, "address", "address"), &frame->address))
		return false;
	frame->pc = bytes_are(kind, "pc") || bytes_are(kind, "programCounter") ? CAPTURED_PC_EXACT
	                                                                       : CAPTURED_PC_RETURN;
	*times = 1;
	if (json_reader_member(object, "times", &number) && !json_reader_whole(&number, times))
		*times = 1;
	find_image(images, frame);
	return true;
}

static void take_place(const struct record_frame *frame, struct captured_frame *out)
{
	if (frame->module.data)
		out->module = frame->module;
	if (frame->build_id.data)
		out->id = frame->build_id;
	if (frame->function.data)
		out->function = frame->function;
	if (out->id.size % 2 != 0)
		out->id.size = 0;
	for (size_t i = 0; i < out->id.size; i++)
		if (hex_digit(out->id.data[i]) == HEX_NO_DIGIT)
			out->id.size = 0;
	if (out->module.size == 0)
		return;
	if (frame->va.known)
		out->origin = CAPTURED_FROM_ZERO;
	else if (frame->module_offset.known)
		out->origin = CAPTURED_FROM_MODULE;
	out->offset = frame->va.known ? frame->va.value : frame->module_offset.value;
}

void captured_add_steps(struct captured *c, struct captured_thread *thread,
                        const struct captured_frame *frame, uint64_t times)
{
	for (; times > 0 && c->step_count < CAPTURED_FRAMES_MAX; times--) {
		if (!ARRAY_APPEND(c->steps, c->step_count, c->step_room,
		                  (struct captured_step){ .frame = *frame })) {
			c->scarce = true;
			return;
		}
		thread->count++;
	}
	c->left_out += times <= UINT64_MAX - c->left_out ? times : 0;
}

void captured_add_thread(struct captured *c, const struct captured_thread *thread)
{
	if (thread->count > 0 &&
	    !ARRAY_APPEND(c->threads, c->thread_count, c->thread_room, *thread))
		c->scarce = true;
}

static void take_report_frame(struct captured *c, struct captured_thread *thread,
                              const struct captured_images *images,
                              const struct record_frame *frame)
{
	struct captured_frame out = captured_bare_frame(frame->object.text.data);
	uint64_t times = 1;

	if (frame->inlined == RECORD_YES)
		return;
	if (frame->pc.known) {
		out.address = frame->pc.value;
		take_place(frame, &out);
		out.pc = thread->count == 0 ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	} else if (!read_recorded(&frame->object, images, &out, &times)) {
		return;
	}
	captured_add_steps(c, thread, &out, times);
}

bool captured_read_report(struct captured *c)
{
	const struct cairn_bytes text = bytes_trim(c->options->text, " \t\r\n", "");
	struct record_input input = record_input_of(text);
	struct record_thread document, record;
	struct captured_images images;
	struct record_frame frame;
	struct cairn_fault fault;
	bool any = false;

	if (text.size == 0 || *text.data != '{')
		return false;
	while (!c->scarce && record_next_document(&input, &document, &fault)) {
		any = any || document.object.kind == JSON_READER_OBJECT;
		read_images(&document.object, &images);
		for (size_t at = 0; record_next_thread(&document, &at, &record);) {
			struct captured_thread thread = { .first = c->step_count,
				                          .name = record.name };
			if (c->thread_count >= CAPTURED_THREADS_MAX)
				break;
			for (size_t k = 0; record_next_frame(&record, &k, &frame);)
				take_report_frame(c, &thread, &images, &frame);
			captured_add_thread(c, &thread);
		}
	}
	return any;
}
