/* SPDX-License-Identifier: MIT */
/* Writes what replaces the elements: names, lines, and substitutes when these are not known. */
#include "renderer.h"

static const struct cairn_bytes invalid = { (const uint8_t *)MARKUP_INVALID,
	                                    sizeof(MARKUP_INVALID) - 1 };

/* Nothing is known of the place: its module at least, unless llvm-symbolizer is to be followed. */
static void render_unknown(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	struct markup_out *out = &renderer->out;

	if (!facts->place.module || renderer_is_llvm(renderer)) {
		markup_render_raw(out, facts->node);
		return;
	}
	markup_out_begin_element(out);
	markup_render_offset(out, &facts->place);
	markup_out_end_element(out);
}

static void render_symbol(struct markup_out *out, const struct markup_facts *facts)
{
	markup_out_begin_element(out);
	/* the log's own bytes go through as they are */
	if (facts->name.data == facts->node->fields.data)
		markup_out_text(out, facts->name);
	else
		markup_out_name(out, facts->name);
	markup_out_end_element(out);
}

static void render_pc(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	const struct cached_answer *known = facts->known;
	struct markup_out *out = &renderer->out;

	if (!known || known->count == 0) {
		render_unknown(renderer, facts);
		return;
	}
	const struct cached_frame *inner = &known->frame[0];
	markup_out_begin_element(out);
	markup_render_name_or_invalid(out, known->name, false);
	markup_out_string(out, "[");
	markup_render_name_or_invalid(out, inner->file, false);
	markup_out_string(out, ":");
	markup_render_decimal_value(out, inner->line);
	markup_out_string(out, "]");
	markup_out_end_element(out);
}

static void render_data(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	bool known = facts->name.size > 0, llvm = renderer_is_llvm(renderer);
	struct markup_out *out = &renderer->out;

	if (!facts->has_data || (!known && !llvm)) {
		render_unknown(renderer, facts);
		return;
	}
	markup_out_begin_element(out);
	markup_render_variable(out, known ? facts->name : invalid, llvm ? 0 : facts->offset);
	markup_out_end_element(out);
}

/* A file without an answer gives llvm-symbolizer one empty frame, no file gives none. */
static void render_bt(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	if (!facts->known || (renderer_is_llvm(renderer) && !facts->known->has_symbols))
		markup_render_raw(&renderer->out, facts->node);
	else
		markup_render_frames(renderer, facts);
}

void markup_render_element(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	switch (facts->kind) {
	case EVENT_SYMBOL:
		render_symbol(&renderer->out, facts);
		break;
	case EVENT_PC:
		render_pc(renderer, facts);
		break;
	case EVENT_DATA:
		render_data(renderer, facts);
		break;
	case EVENT_BT:
		render_bt(renderer, facts);
		break;
	case EVENT_COLOUR:
		markup_out_sgr(&renderer->out, facts->node->sgr);
		break;
	case EVENT_INVALID:
		if (!renderer_is_llvm(renderer))
			markup_out_text(&renderer->out, facts->text);
		break;
	case EVENT_REPORT:
		markup_render_report(renderer, facts);
		break;
	case EVENT_TEXT:
	case EVENT_DUMPFILE:
	case EVENT_UNKNOWN:
		markup_out_text(&renderer->out, facts->text);
		break;
	case EVENT_VALUE:
	case EVENT_RESET:
	case EVENT_MODULE:
	case EVENT_MMAP:
	case EVENT_LINE_END:
		break; /* other renderers write these */
	}
}
