/* SPDX-License-Identifier: MIT */
/*
 * The frames of one bt element: a line for each inlined call, innermost first, and one for the
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
#include "filter.h"

enum {
	NUMBER_WIDTH = 6,
	FUCHSIA_WIDTH = 8,
	ADDRESS_DIGITS = 16,
	PREFIX_MAX =
		1024, /* bytes; a longer one is not repeated, there may be many frames on a line */
};

static const struct cairn_bytes invalid = { (const uint8_t *)"<invalid>", 9 };

/* One line while it is made. */
struct row {
	const struct markup_frame *frame;
	const struct markup_resolved_address *place;
	const struct cached_answer *known;
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

static void show_decimal_value(struct markup_out *out, uint64_t number)
{
	markup_out_begin_value(out);
	markup_out_decimal(out, number);
	markup_out_end_value(out);
}

static void show_number(struct markup_out *out, const struct row *row)
{
	uint64_t number = row->frame->number;

	pad_with_blanks(out, count_decimal_digits(number) + 1, NUMBER_WIDTH);
	markup_out_string(out, "#");
	show_decimal_value(out, number);
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

static void show_name_or_invalid(struct markup_out *out, struct cairn_bytes name, bool plain)
{
	markup_out_begin_value(out);
	if (name.size == 0)
		markup_out_text(out, invalid);
	else if (plain)
		markup_out_text(out, name);
	else
		markup_out_name(out, name);
	markup_out_end_value(out);
}

static void show_known(struct markup_out *out, const struct cached_frame *known)
{
	if (known->function.size == 0 && known->file.size == 0 && known->line == 0)
		return;
	show_name_or_invalid(out, known->function, known->plain);
	markup_out_string(out, " ");
	show_name_or_invalid(out, known->file, known->plain);
	markup_out_string(out, ":");
	show_decimal_value(out, known->line);
	markup_out_string(out, ":");
	show_decimal_value(out, known->column);
	markup_out_string(out, " ");
}

static void show_message(struct cairn_markup *m, const struct row *row)
{
	if (row->frame->message.size == 0 || markup_is_llvm(m))
		return;
	markup_out_string(&m->out, " [");
	markup_out_name(&m->out, row->frame->message);
	markup_out_string(&m->out, "]");
}

static void show_row(struct cairn_markup *m, const struct row *row)
{
	struct markup_out *out = &m->out;

	show_number(out, row);
	markup_out_begin_value(out);
	markup_out_string(out, " ");
	markup_out_hex(out, row->place->pc, ADDRESS_DIGITS);
	markup_out_string(out, " ");
	markup_out_end_value(out);
	if (row->known->count > 0)
		show_known(out, &row->known->frame[row->index]);
	markup_render_offset(m, row->place);
	show_message(m, row);
}

static void show_fuchsia(struct cairn_markup *m, const struct row *row)
{
	struct markup_out *out = &m->out;
	size_t inner = row->rows - 1 - row->index;
	unsigned width = 4 + count_decimal_digits(row->frame->number);

	markup_out_string(out, "   #");
	show_decimal_value(out, row->frame->number);
	if (inner > 0) {
		markup_out_string(out, ".");
		show_decimal_value(out, inner);
		width += 1 + count_decimal_digits(inner);
	}
	pad_with_blanks(out, width, FUCHSIA_WIDTH);
	markup_out_string(out, " ");
	markup_out_hex(out, row->frame->address, ADDRESS_DIGITS);
	const struct cached_frame *known =
		row->known->count ? &row->known->frame[row->index] : NULL;
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
	markup_out_name(out, row->place->module->told.name);
	markup_out_string(out, ">+");
	markup_out_hex(out, row->place->relative + (row->frame->address - row->place->pc), 1);
	show_message(m, row);
}

/* How many nodes stand before the first element of the line; 0 when that is far. */
static size_t prefix_nodes(const struct cairn_markup *m)
{
	size_t size = 0, at = 0;

	while (at < m->nodes && at < MARKUP_NODES && m->node[at].kind != MARKUP_ELEMENT)
		size += m->node[at++].text.size;
	return at < m->nodes && at < MARKUP_NODES && size <= PREFIX_MAX ? at : 0;
}

/* The text at the beginning of the line again, which stands before the frame. */
static void show_prefix(struct cairn_markup *m)
{
	bool wanted = m->options.repeat_prefix || m->options.style == CAIRN_MARKUP_FUCHSIA;
	size_t count = wanted && !m->continued && !markup_is_llvm(m) ? prefix_nodes(m) : 0;

	for (size_t i = 0; i < count; i++)
		if (m->node[i].kind == MARKUP_TEXT)
			markup_out_text(&m->out, m->node[i].text);
}

static void show_rows(struct cairn_markup *m, struct row *row)
{
	row->rows = row->known->count ? row->known->count : 1;
	markup_out_begin_element(&m->out);
	for (row->index = 0; row->index < row->rows; row->index++) {
		if (row->index > 0)
			show_prefix(m);
		if (m->options.style == CAIRN_MARKUP_FUCHSIA)
			show_fuchsia(m, row);
		else
			show_row(m, row);
		if (row->index + 1 < row->rows)
			markup_end_line(m);
	}
	markup_out_end_element(&m->out);
}

/* As llvm-symbolizer: the last field counts only as the third one, and must be known then. */
static bool follow_llvm(struct cairn_markup *m, const struct markup_node *node,
                        struct markup_frame *frame)
{
	struct markup_fault fault = { "expected ra or pc", frame->message, frame->message.data };

	if (frame->is_odd)
		return markup_reject(m, node, &fault);
	if (frame->fields > 3)
		frame->kind = MARKUP_PC_UNSPECIFIED;
	return true;
}

static uint64_t lookup_address(const struct cairn_markup *m, const struct markup_frame *frame)
{
	bool exact = frame->kind == MARKUP_PC_EXACT ||
	             (frame->kind == MARKUP_PC_UNSPECIFIED && m->options.already_before);

	return exact ? frame->address : frame->address - 1;
}

void markup_render_frames(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_event event = { .kind = EVENT_BT, .node = node, .text = node->text };
	struct markup_frame frame;
	struct markup_fault fault;

	if (!markup_read_frame(node, &frame, &fault)) {
		markup_reject(m, node, &fault);
		return;
	}
	if (markup_is_llvm(m) && !follow_llvm(m, node, &frame))
		return;
	event.place = markup_resolve_address(m, lookup_address(m, &frame));
	event.frame = &frame;
	event.known = event.place.module ? markup_look_up(m, &event.place) : NULL;
	markup_emit_event(m, &event);
	if (!event.place.module)
		markup_report_problem(m, frame.address_text.data, "no mapping covers the address",
		                      frame.address_text);
	/* a file without an answer gives llvm-symbolizer one empty frame, no file gives none */
	if (!event.place.module || (markup_is_llvm(m) && !event.known->has_symbols)) {
		markup_render_raw(m, node);
		return;
	}
	struct row row = { &frame, &event.place, event.known, 0, 0 };
	show_rows(m, &row);
}
