/* SPDX-License-Identifier: MIT */
/*
 * Writes a frame without markup as it is in the log, and behind it what is known of its address, the innermost call first:
 *
 *	#3 0x7f96043ab249  (/srv/prog+0x1249) = inner(int*) ./prog.cc:10:77, inlined in outer(int*) ./prog.cc:12:57
 */
#include "renderer.h"

static void render_location(struct markup_out *out, const struct cached_frame *known)
{
	markup_render_name_or_invalid(out, known->function, known->plain);
	if (known->file.size == 0)
		return;
	markup_out_string(out, " ");
	markup_render_name_or_invalid(out, known->file, known->plain);
	markup_out_string(out, ":");
	markup_render_decimal_value(out, known->line);
	if (known->column == 0)
		return;
	markup_out_string(out, ":");
	markup_render_decimal_value(out, known->column);
}

/* Is a name all that is known, and the log has one? */
static bool adds_nothing(const struct markup_facts *facts)
{
	const struct cached_answer *known = facts->known;

	return !known || known->count == 0 ||
	       (facts->captured->function.size > 0 && known->frame[0].file.size == 0);
}

void markup_render_report(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	struct markup_out *out = &renderer->out;

	markup_out_text(out, facts->text);
	if (adds_nothing(facts))
		return;
	markup_out_begin_element(out);
	for (size_t i = 0; i < facts->known->count; i++) {
		markup_out_string(out, i == 0 ? " = " : ", inlined in ");
		render_location(out, &facts->known->frame[i]);
	}
	markup_out_end_element(out);
}
