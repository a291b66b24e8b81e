/* SPDX-License-Identifier: MIT */
/*
 * Reads what `cairn bt --json` and `cairn crash` write as threads of frames: a line for each thread, or one document with the
 * member "threads"; and recorded backtraces likewise.
 */
#include "captured_stacks.h"

#include "base/array_grow.h"
#include "base/bytes_split.h"
#include "base/hex.h"
#include "base/json/json_reader.h"

static struct cairn_bytes get_report_text(const struct json_reader_value *object, const char *name)
{
	return captured_read_text_member(object, name, name);
}

/* An address, which is a string of 0x and digits. */
static bool get_address(const struct json_reader_value *object, const char *name, uint64_t *address)
{
	return hex_read_address(get_report_text(object, name), address);
}

static void take_place(const struct json_reader_value *frame, struct captured_frame *out)
{
	out->module = get_report_text(frame, "module");
	out->id = get_report_text(frame, "build_id");
	out->function = get_report_text(frame, "function");
	if (out->id.size % 2 != 0)
		out->id.size = 0;
	for (size_t i = 0; i < out->id.size; i++)
		if (hex_digit(out->id.data[i]) == HEX_NO_DIGIT)
			out->id.size = 0;
	if (out->module.size == 0)
		return;
	if (get_address(frame, "va", &out->offset))
		out->origin = CAPTURED_FROM_ZERO;
	else if (get_address(frame, "module_offset", &out->offset))
		out->origin = CAPTURED_FROM_MODULE;
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

/* A call that was inlined is no frame of its own. */
static void take_report_frame(struct captured *c, struct captured_thread *thread,
                              const struct captured_images *images,
                              const struct json_reader_value *frame)
{
	struct captured_frame out = captured_bare_frame(frame->text.data);
	uint64_t times = 1;

	if (json_reader_flag(frame, "inlined"))
		return;
	if (get_address(frame, "pc", &out.address)) {
		take_place(frame, &out);
		out.pc = thread->count == 0 ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	} else if (!captured_read_recorded(frame, images, &out, &times)) {
		return;
	}
	captured_add_steps(c, thread, &out, times);
}

static void take_report_thread(struct captured *c, const struct captured_images *images,
                               const struct json_reader_value *object)
{
	struct captured_thread thread = { .first = c->step_count,
		                          .name = get_report_text(object, "name") };
	struct json_reader_value frames, frame;

	if (!json_reader_member(object, "frames", &frames) ||
	    c->thread_count >= CAPTURED_THREADS_MAX)
		return;
	for (size_t at = 0; json_reader_element(&frames, &at, &frame);)
		take_report_frame(c, &thread, images, &frame);
	captured_add_thread(c, &thread);
}

static bool take_document(struct captured *c, struct cairn_bytes text)
{
	struct json_reader_value document, threads, thread;
	struct captured_images images;
	struct cairn_fault fault;

	if (json_reader_open(text, &document, &fault) != CAIRN_OK ||
	    document.kind != JSON_READER_OBJECT)
		return false;
	captured_read_images(&document, &images);
	if (!json_reader_member(&document, "threads", &threads) ||
	    threads.kind != JSON_READER_ARRAY) {
		take_report_thread(c, &images, &document);
		return true;
	}
	for (size_t at = 0; json_reader_element(&threads, &at, &thread);)
		take_report_thread(c, &images, &thread);
	return true;
}

bool captured_read_report(struct captured *c)
{
	struct cairn_bytes rest = bytes_trim(c->options->text, " \t\r\n", "");
	bool any = false;

	if (rest.size == 0 || *rest.data != '{')
		return false;
	if (take_document(c, rest))
		return true;
	while (rest.size > 0 && !c->scarce) {
		any = take_document(c, bytes_take_part(&rest, '\n')) || any;
	}
	return any;
}
