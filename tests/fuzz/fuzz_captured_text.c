/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as lines of a log.  Always: what a line says lies in that line, a frame has an address, a place or a
 * function, and the same lines say the same again.
 */
#include "fuzz.h"

#include "formats/captured_text.h"

#include <string.h>

static void check_inside(struct cairn_bytes line, struct cairn_bytes part)
{
	ALWAYS(part.data || line.size == 0);
	ALWAYS(part.size == 0 || (part.data >= line.data && part.size <= line.size &&
	                          (size_t)(part.data - line.data) <= line.size - part.size));
}

static void check_digits(struct cairn_bytes id)
{
	ALWAYS(id.size % 2 == 0);
	for (size_t i = 0; i < id.size; i++)
		ALWAYS(strchr("0123456789abcdefABCDEF", id.data[i]) && id.data[i]);
}

static void check_frame(struct cairn_bytes line, const struct captured_frame *frame)
{
	ALWAYS(frame->text.size > 0);
	check_inside(line, frame->text);
	check_inside(frame->text, frame->module);
	check_inside(frame->text, frame->id);
	check_inside(frame->text, frame->function);
	check_inside(frame->text, frame->file);
	check_digits(frame->id);
	ALWAYS(frame->has_address || frame->origin != CAPTURED_NO_OFFSET);
	ALWAYS(frame->origin == CAPTURED_NO_OFFSET || frame->origin == CAPTURED_FROM_SYMBOL ||
	       frame->module.size > 0);
	ALWAYS(frame->line == 0 || frame->file.size > 0);
}

static void check_line(struct cairn_bytes line, const struct captured_line *out)
{
	ALWAYS(out->kind == CAPTURED_OTHER || line.size <= CAPTURED_LINE_MAX);
	if (out->kind == CAPTURED_FRAME)
		check_frame(line, &out->frame);
	check_inside(line, out->text);
	check_inside(line, out->module);
	check_inside(line, out->id);
	check_digits(out->id);
	ALWAYS(out->kind != CAPTURED_MODULE || out->module.size > 0);
	ALWAYS(out->kind != CAPTURED_HEADING || out->text.size > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct captured_text first = captured_text_open(), second = first;

	for (size_t at = 0; at < size;) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		const struct cairn_bytes line = { data + at,
			                          end ? (size_t)(end - data) - at : size - at };
		struct captured_line out, again;
		captured_text_line(&first, line, &out);
		check_line(line, &out);
		ALWAYS(captured_text_line(&second, line, &again) == out.kind);
		at += line.size + 1;
	}
	return 0;
}
