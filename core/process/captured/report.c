/* SPDX-License-Identifier: MIT */
/*
 * Reads what `cairn bt --json` and `cairn crash` write as threads of frames: a line for each thread, or one document with the
 * member "threads"; and recorded backtraces likewise.
 */
#include "captured_stacks.h"

#include "base/array_grow.h"
#include "base/bytes_split.h"
#include "base/hex.h"
#include "records/record.h"

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
	} else if (!captured_read_recorded(&frame->object, images, &out, &times)) {
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
		captured_read_images(&document.object, &images);
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
