/* SPDX-License-Identifier: MIT */
/* Copies text without markup unchanged, and adds names to a backtrace frame in it. */
#include "filter.h"

void markup_process_text(struct cairn_markup *m, struct cairn_bytes text)
{
	markup_report_text(&m->reporter, EVENT_TEXT, text);
	markup_out_text(&m->renderer.out, text);
}

/* Return true if the program that wrote the log already symbolized the frame. */
static bool is_named(const struct captured_frame *frame)
{
	return frame->line > 0 || (frame->source == CAPTURED_RUST && frame->function.size > 0);
}

static void process_frame(struct cairn_markup *m, const struct captured_frame *frame)
{
	struct markup_facts facts;

	markup_resolve_report(&m->resolver, frame, &facts);
	if (!facts.place.module) {
		markup_process_text(m, frame->text);
		return;
	}
	markup_report_facts(&m->reporter, &facts);
	markup_render_element(&m->renderer, &facts);
}

static void process_around(struct cairn_markup *m, const uint8_t *from, const uint8_t *to)
{
	if (to > from)
		markup_process_text(m, (struct cairn_bytes){ from, (size_t)(to - from) });
}

void markup_process_report(struct cairn_markup *m, struct cairn_bytes text)
{
	struct captured_line line;
	const enum captured_kind kind = captured_text_line(&m->captured, text, &line);
	const struct captured_frame *frame = &line.frame;

	if (kind == CAPTURED_MODULE)
		markup_named_modules_note(&m->resolver.named, line.module, line.id);
	if (kind != CAPTURED_FRAME || is_named(frame)) {
		markup_process_text(m, text);
		return;
	}
	const uint8_t *end = frame->text.data + frame->text.size;
	process_around(m, text.data, frame->text.data);
	process_frame(m, frame);
	process_around(m, end, text.data + text.size);
}
