/* SPDX-License-Identifier: MIT */
/*
 * Writes the frames of one bt element: a line for each inlined call, innermost first, and one for the
 * function itself.
 *
 *	    #0.1  0x00007f00000011f4 inner(int*) ./prog.cc:10:77 (prog+0x11f4)
 *	    #0    0x00007f00000011f4 outer(int*) ./prog.cc:12:57 (prog+0x11f4)
 *
 * Fuchsia's form counts the other way and gives addresses as they are in the log:
 *
 *	   #0.1  0x00007f00000011f5 in inner(int*) ./prog.cc:10 <prog>+0x11f5
 *	   #0    0x00007f00000011f5 in outer(int*) ./prog.cc:12 <prog>+0x11f5
 */
#include "renderer.h"

enum {
	NUMBER_WIDTH = 6,
	FUCHSIA_WIDTH = 8,
	ADDRESS_DIGITS = 16,
};

/* One line while it is made. */
struct row {
	const struct markup_facts *facts;
	size_t index, rows;
};

static unsigned count_decimal_digits(uint64_t number)
{
	unsigned digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

static void pad_with_blanks(struct markup_out *out, unsigned have, unsigned want)
{
	for (; have < want; have++)
		markup_out_string(out, " ");
}

static void render_number(struct markup_out *out, const struct row *row)
{
	uint64_t number = row->facts->frame.number;

	pad_with_blanks(out, count_decimal_digits(number) + 1, NUMBER_WIDTH);
	markup_out_string(out, "#");
	markup_render_decimal_value(out, number);
	if (row->index + 1 == row->rows) {
		markup_out_string(out, "   ");
		return;
	}
	markup_out_string(out, ".");
	markup_out_begin_value(out);
	markup_out_decimal(out, row->index + 1);
	pad_with_blanks(out, count_decimal_digits(row->index + 1), 2);
	markup_out_end_value(out);
}

static void render_known(struct markup_out *out, const struct cached_frame *known)
{
	if (known->function.size == 0 && known->file.size == 0 && known->line == 0)
		return;
	markup_render_name_or_invalid(out, known->function, known->plain);
	markup_out_string(out, " ");
	markup_render_name_or_invalid(out, known->file, known->plain);
	markup_out_string(out, ":");
	markup_render_decimal_value(out, known->line);
	markup_out_string(out, ":");
	markup_render_decimal_value(out, known->column);
	markup_out_string(out, " ");
}

static void render_message(struct markup_renderer *renderer, const struct row *row)
{
	if (row->facts->frame.message.size == 0 || renderer_is_llvm(renderer))
		return;
	markup_out_string(&renderer->out, " [");
	markup_out_name(&renderer->out, row->facts->frame.message);
	markup_out_string(&renderer->out, "]");
}

static void render_row(struct markup_renderer *renderer, const struct row *row)
{
	struct markup_out *out = &renderer->out;

	render_number(out, row);
	markup_out_begin_value(out);
	markup_out_string(out, " ");
	markup_out_hex(out, row->facts->place.pc, ADDRESS_DIGITS);
	markup_out_string(out, " ");
	markup_out_end_value(out);
	if (row->facts->known->count > 0)
		render_known(out, &row->facts->known->frame[row->index]);
	markup_render_offset(out, &row->facts->place);
	render_message(renderer, row);
}

static void render_fuchsia_row(struct markup_renderer *renderer, const struct row *row)
{
	struct markup_out *out = &renderer->out;
	size_t inner = row->rows - 1 - row->index;
	unsigned width = 4 + count_decimal_digits(row->facts->frame.number);

	markup_out_string(out, "   #");
	markup_render_decimal_value(out, row->facts->frame.number);
	if (inner > 0) {
		markup_out_string(out, ".");
		markup_render_decimal_value(out, inner);
		width += 1 + count_decimal_digits(inner);
	}
	pad_with_blanks(out, width, FUCHSIA_WIDTH);
	markup_out_string(out, " ");
	markup_out_hex(out, row->facts->frame.address, ADDRESS_DIGITS);
	const struct cached_frame *known =
		row->facts->known->count ? &row->facts->known->frame[row->index] : NULL;
	if (known && known->function.size) {
		markup_out_string(out, " in ");
		markup_out_name(out, known->function);
	}
	if (known && known->file.size) {
		markup_out_string(out, known->function.size ? " " : " in ");
		markup_out_name(out, known->file);
		markup_out_string(out, ":");
		markup_out_decimal(out, known->line);
	}
	markup_out_string(out, " <");
	markup_out_name(out, row->facts->place.module->told.name);
	markup_out_string(out, ">+");
	markup_out_hex(
		out,
		row->facts->place.relative + (row->facts->frame.address - row->facts->place.pc), 1);
	render_message(renderer, row);
}

void markup_render_frames(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	struct row row = { facts, 0, facts->known->count ? facts->known->count : 1 };

	markup_out_begin_element(&renderer->out);
	for (; row.index < row.rows; row.index++) {
		/* the text at the beginning of the line again, which is before the frame */
		for (size_t i = 0; row.index > 0 && i < facts->prefix_nodes; i++)
			if (facts->prefix[i].kind == MARKUP_TEXT)
				markup_out_text(&renderer->out, facts->prefix[i].text);
		if (renderer->options->style == CAIRN_MARKUP_FUCHSIA)
			render_fuchsia_row(renderer, &row);
		else
			render_row(renderer, &row);
		if (row.index + 1 < row.rows)
			markup_render_line_end(renderer);
	}
	markup_out_end_element(&renderer->out);
}
