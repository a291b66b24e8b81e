/* SPDX-License-Identifier: MIT */
/*
 * Reads backtraces of Swift into threads of frames: a single one in the Compact Backtrace Format,
 * which does not name modules, or those that Swift's JSON encoder wrote, anywhere in the text. Each
 * of the latter is a backtrace in the Compact Backtrace Format and optionally an image map, both in
 * base64 (docs/formats/cbf.md).
 */
#include "captured_stacks.h"

#include "base/encoding.h"
#include "formats/cbf.h"
#include "formats/codable.h"
#include "formats/imagemap.h"

#include <stdlib.h>
#include <string.h>

enum {
	IMAGES_MAX = 1024,
	IMAGE_ID_MAX = 64,
};

/*
 * Read a backtrace. Omitted frames do not have addresses and are skipped; the frames after them are
 * kept.
 */
bool captured_take_cbf(struct captured *c, struct cairn_bytes bytes, struct captured_thread *thread)
{
	struct captured_frame frame = captured_bare_frame(c->options->text.data);
	struct cairn_trace trace;
	struct cairn_frame run;

	*thread = (struct captured_thread){ .first = c->step_count, .name = frame.text };
	cairn_trace_open(bytes, &trace);
	while (cairn_trace_next(&trace, &run)) {
		frame.pc = run.kind == CAIRN_FRAME_PC ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
		frame.address = run.value;
		if (run.kind != CAIRN_FRAME_OMITTED)
			captured_add_steps(c, thread, &frame, run.times);
	}
	return thread->count > 0;
}

/*
 * Decode base64. Return NULL if it is damaged, empty or memory is short. Caller frees the result.
 */
static uint8_t *decode_member(const struct codable_member *member, struct cairn_bytes *bytes)
{
	uint8_t *memory = member->there ? malloc(base64_room(member->text) + 1) : NULL;
	const struct base64_result result =
		memory ? base64_decode(member->text, memory) : (struct base64_result){ 0 };

	if (memory && !(result.problems & BASE64_DAMAGED) && result.size > 0) {
		*bytes = (struct cairn_bytes){ memory, result.size };
		return memory;
	}
	free(memory);
	return NULL;
}

/*
 * Copy a string; the copy lives as long as the steps. Return an empty string if there are too many
 * or memory is short.
 */
static struct cairn_bytes keep_text(struct captured *c, const void *text, size_t size)
{
	struct captured_kept *kept =
		size <= CAPTURED_KEPT_MAX - c->kept_size ? malloc(sizeof(*kept) + size) : NULL;

	if (!kept)
		return (struct cairn_bytes){ c->options->text.data, 0 };
	memcpy(kept->text, text, size);
	kept->next = c->kept;
	c->kept = kept;
	c->kept_size += size;
	return (struct cairn_bytes){ kept->text, size };
}

static struct cairn_bytes keep_id(struct captured *c, struct cairn_bytes id)
{
	char digits[2 * IMAGE_ID_MAX + 1];

	if (id.size > IMAGE_ID_MAX)
		id.size = 0;
	hex_encode(id, digits);
	return keep_text(c, digits, 2 * id.size);
}

/* Name the image as the module of all frames in it. The name is copied once. */
static void place_in_image(struct captured *c, const struct captured_thread *thread,
                           const struct imagemap_image *image)
{
	struct cairn_bytes path = { image->path.data, 0 }, id = path;

	for (size_t i = thread->first; i < thread->first + thread->count; i++) {
		struct captured_frame *frame = &c->steps[i].frame;
		const uint64_t lookup = frame->address - (frame->pc == CAPTURED_PC_RETURN);
		if (lookup < image->base || lookup >= image->end || frame->module.size > 0)
			continue;
		if (path.size == 0) {
			path = keep_text(c, image->path.data, image->path.size);
			id = keep_id(c, image->build_id);
		}
		frame->module = path;
		frame->id = id;
		frame->origin = CAPTURED_FROM_MODULE;
		frame->offset = frame->address - image->base;
	}
}

static void place_in_map(struct captured *c, const struct captured_thread *thread,
                         struct cairn_bytes bytes)
{
	const size_t room = imagemap_prefixes(bytes);
	struct imagemap_prefix *prefixes = calloc(room + 1, sizeof(*prefixes));
	struct imagemap map;
	struct imagemap_image image;

	if (!prefixes)
		return;
	imagemap_open(&map, bytes, prefixes, room);
	for (size_t i = 0; i < IMAGES_MAX && imagemap_next(&map, &image); i++)
		if (image.path.size > 0)
			place_in_image(c, thread, &image);
	free(prefixes);
}

static bool take_object(struct captured *c, const struct codable_object *object)
{
	struct captured_thread thread;
	struct cairn_bytes bytes;
	uint8_t *trace = decode_member(&object->backtrace, &bytes), *map;
	const bool read = trace && cbf_may_begin(bytes) && c->thread_count < CAPTURED_THREADS_MAX &&
	                  captured_take_cbf(c, bytes, &thread);

	free(trace);
	if (!read)
		return false;
	map = decode_member(&object->image_map, &bytes);
	if (map)
		place_in_map(c, &thread, bytes);
	free(map);
	captured_add_thread(c, &thread);
	return true;
}

bool captured_read_codable(struct captured *c)
{
	struct codable *codable = calloc(1, sizeof(*codable));
	struct codable_object object;
	bool any = false;

	if (!codable) {
		c->scarce = true;
		return false;
	}
	codable_open(codable, c->options->text);
	while (!c->scarce && codable_next(codable, &object))
		any = take_object(c, &object) || any;
	free(codable);
	return any;
}
