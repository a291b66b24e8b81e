/* SPDX-License-Identifier: MIT */
/*
 * Writes the notes under a dump of registers or similar values, which itself goes out as it is: each
 * value that is in a module is explained under the line that ends the dump:
 *
 *	    [RIP] 0x000055d0aa0011f4 ns::Widget::innermost(int*) ./prog.cc:10:77 (prog+0x11f4)
 */
#include "renderer.h"

enum { ADDRESS_DIGITS = 16 };

static bool render_code(struct markup_out *out, const struct cached_answer *known)
{
	if (!known || known->count == 0)
		return false;
	const struct cached_frame *inner = &known->frame[0];
	if (inner->file.size == 0 || inner->function.size == 0)
		return false;
	markup_out_name(out, inner->function);
	markup_out_string(out, " ");
	markup_out_name(out, inner->file);
	markup_out_string(out, ":");
	markup_out_decimal(out, inner->line);
	markup_out_string(out, ":");
	markup_out_decimal(out, inner->column);
	markup_out_string(out, " ");
	return true;
}

void markup_render_note(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	struct markup_out *out = &renderer->out;

	markup_out_begin_element(out);
	markup_out_string(out, "    [");
	markup_out_name(out, facts->text);
	markup_out_string(out, "] ");
	markup_out_hex(out, facts->value, ADDRESS_DIGITS);
	markup_out_string(out, " ");
	if (!render_code(out, facts->known) && facts->name.size > 0) {
		markup_render_variable(out, facts->name, facts->offset);
		markup_out_string(out, " ");
	}
	markup_render_offset(out, &facts->place);
	markup_out_end_element(out);
	markup_render_line_end(renderer);
}
