/* SPDX-License-Identifier: MIT */
/* Renders facts as text into a buffer, with SGR color sequences around elements and values. */
#include "renderer.h"

#include "base/memory.h"

#include <stdlib.h>

enum { GREEN = 32, BLUE = 34, CYAN = 36 };

void markup_out_flush(struct markup_out *out)
{
	if (out->size > 0 && !out->mute)
		out->write(out->context, out->buffer, out->size);
	out->size = 0;
}

void markup_out_unbuffered(struct markup_out *out, const void *text, size_t size)
{
	markup_out_flush(out);
	if (size < MARKUP_OUT_CAPACITY) {
		memcpy(out->buffer, text, size);
		out->size = size;
	} else if (!out->mute) {
		out->write(out->context, text, size);
	}
}

void markup_out_decimal(struct markup_out *out, uint64_t number)
{
	char text[20], *at = text + sizeof(text);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	markup_out_bytes(out, at, (size_t)(text + sizeof(text) - at));
}

/* Write "0x" and at least `width` lower-case hexadecimal digits. */
static void markup_out_hex(struct markup_out *out, uint64_t number, unsigned width)
{
	char text[18], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number || end - at < (ptrdiff_t)width);
	*--at = 'x';
	*--at = '0';
	markup_out_bytes(out, at, (size_t)(end - at));
}

static void markup_out_hex_bytes(struct markup_out *out, struct cairn_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++) {
		const char two[2] = { "0123456789abcdef"[bytes.data[i] >> 4],
			              "0123456789abcdef"[bytes.data[i] & 15] };
		markup_out_bytes(out, two, sizeof(two));
	}
}

bool markup_out_is_plain(struct cairn_bytes name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] < 0x20 || name.data[i] >= 0x7f)
			return false;
	return true;
}

void markup_out_name(struct markup_out *out, struct cairn_bytes name)
{
	if (out->raw || markup_out_is_plain(name)) {
		markup_out_text(out, name);
		return;
	}
	while (name.size > 0) {
		uint32_t c = 0;
		size_t size = cairn_character_at(name, &c);
		if (size > 0 && cairn_character_is_printable(c)) {
			markup_out_bytes(out, name.data, size);
		} else {
			markup_out_string(out, "\\x");
			size = 1;
			markup_out_hex_bytes(out, (struct cairn_bytes){ name.data, 1 });
		}
		name.data += size;
		name.size -= size;
	}
}

static void write_sgr(struct markup_out *out, unsigned colour, bool bold)
{
	if (!out->coloured)
		return;
	markup_out_string(out, bold ? "\033[0;1;" : "\033[0;");
	markup_out_decimal(out, colour);
	markup_out_string(out, "m");
}

void markup_out_end_colour(struct markup_out *out)
{
	if (!out->colour && !out->bold)
		return;
	out->colour = 0;
	out->bold = false;
	if (out->coloured)
		markup_out_string(out, "\033[0m");
}

/* Apply an SGR parameter from the log: 0, 1, or 30 to 37. */
static void markup_out_sgr(struct markup_out *out, unsigned sgr)
{
	if (sgr == 0) {
		markup_out_end_colour(out);
	} else if (sgr == 1) {
		out->bold = true;
		if (out->coloured)
			markup_out_string(out, "\033[1m");
	} else {
		out->colour = sgr;
		write_sgr(out, sgr, false);
	}
}

static void markup_out_begin_element(struct markup_out *out)
{
	write_sgr(out, out->colour == BLUE ? CYAN : BLUE, out->bold);
}

static void markup_out_end_element(struct markup_out *out)
{
	if (!out->coloured)
		return;
	if (out->colour) {
		write_sgr(out, out->colour, out->bold);
		return;
	}
	markup_out_string(out, "\033[0m");
	if (out->bold)
		markup_out_string(out, "\033[1m");
}

void markup_out_begin_value(struct markup_out *out)
{
	write_sgr(out, GREEN, out->bold);
}

void markup_out_end_value(struct markup_out *out)
{
	markup_out_begin_element(out);
}

/* maximum number of mappings on the line of a module; further mappings start a new line */
enum { INFO_RANGES = 1 << 18 };

static int by_start(const void *left, const void *right)
{
	const struct module_line_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void render_range(struct markup_out *out, const struct module_line_range *range)
{
	markup_out_string(out, "[");
	markup_out_begin_value(out);
	markup_out_hex(out, range->start, 1);
	markup_out_end_value(out);
	markup_out_string(out, "-");
	markup_out_begin_value(out);
	markup_out_hex(out, range->start + range->size - 1, 1);
	markup_out_end_value(out);
	markup_out_string(out, "](");
	markup_out_begin_value(out);
	for (unsigned i = 0; i < 3; i++)
		if (range->mode & 1u << i)
			markup_out_bytes(out, &"rwx"[i], 1);
	markup_out_end_value(out);
	markup_out_string(out, ")");
}

/*
 * Return true if a space instead of a comma precedes the range. llvm-symbolizer recognizes the
 * first range of a line by its start, so a range that repeats the start of an empty first mapping
 * gets a space as well.
 */
static bool begins_list(const struct markup_renderer *renderer, size_t index)
{
	const struct module_line_range *range = renderer->info.range;

	return index == 0 || (renderer_is_llvm(renderer) && range[index].start == range[0].start);
}

void module_line_end(struct markup_renderer *renderer)
{
	struct module_line *info = &renderer->info;

	if (!info->open)
		return;
	if (info->count > 1)
		qsort(info->range, info->count, sizeof(*info->range), by_start);
	for (size_t i = 0; i < info->count; i++) {
		markup_out_string(&renderer->out, begins_list(renderer, i) ? " " : ",");
		render_range(&renderer->out, &info->range[i]);
	}
	markup_out_string(&renderer->out, "]]]");
	markup_render_line_end(renderer);
	markup_out_end_element(&renderer->out);
	info->open = false;
	info->count = 0;
}

static void render_module(struct markup_out *out, const struct context_module *module)
{
	markup_out_begin_element(out);
	markup_out_string(out, "[[[ELF module");
	markup_out_begin_value(out);
	markup_out_string(out, " #");
	markup_out_hex(out, module->told.id, 1);
	markup_out_string(out, " ");
	markup_out_end_value(out);
	markup_out_string(out, "\"");
	markup_out_begin_value(out);
	markup_out_name(out, module->told.name);
	markup_out_end_value(out);
	markup_out_string(out, "\"");
}

static void render_build_id(struct markup_out *out, const struct context_module *module)
{
	markup_out_string(out, "; BuildID=");
	markup_out_begin_value(out);
	markup_out_hex_bytes(out, module->told.build_id);
	markup_out_end_value(out);
}

void module_line_render_in_place(struct markup_out *out, const struct context_action *action)
{
	render_module(out, action->module);
	if (action->tag == MARKUP_MODULE) {
		render_build_id(out, action->module);
	} else {
		markup_out_string(out, "; adds ");
		render_range(out, &action->range);
	}
	markup_out_string(out, "]]]");
	markup_out_end_element(out);
}

bool module_line_may_join(const struct markup_renderer *renderer,
                          const struct context_action *action, uint64_t prefix)
{
	const struct module_line *info = &renderer->info;

	return info->open && info->module == action->module->serial && info->prefix == prefix &&
	       info->count < INFO_RANGES;
}

void module_line_begin(struct markup_renderer *renderer, const struct context_action *action,
                       uint64_t prefix)
{
	render_module(&renderer->out, action->module);
	if (action->tag == MARKUP_MODULE)
		render_build_id(&renderer->out, action->module);
	else
		markup_out_string(&renderer->out, "; adds");
	renderer->info.open = true;
	renderer->info.module = action->module->serial;
	renderer->info.prefix = prefix;
}

bool module_line_add_range(struct markup_renderer *renderer, const struct module_line_range *range)
{
	struct module_line *info = &renderer->info;

	return ARRAY_APPEND(info->range, info->count, info->capacity, *range);
}

static void render_text_value(struct markup_out *out, struct cairn_bytes text)
{
	markup_out_begin_value(out);
	markup_out_text(out, text);
	markup_out_end_value(out);
}

void markup_render_line_end(struct markup_renderer *renderer)
{
	markup_out_string(&renderer->out, renderer->carriage_return ? "\r\n" : "\n");
}

void markup_render_raw(struct markup_out *out, const struct markup_node *node)
{
	struct cairn_bytes rest = node->fields;

	markup_out_begin_element(out);
	markup_out_string(out, "[[[");
	render_text_value(out, node->name);
	for (bool more = node->has_fields; more;) {
		const uint8_t *colon = memchr(rest.data, ':', rest.size);
		struct cairn_bytes field = { rest.data,
			                     colon ? (size_t)(colon - rest.data) : rest.size };
		markup_out_string(out, ":");
		render_text_value(out, field);
		more = colon != NULL;
		if (more)
			rest = (struct cairn_bytes){ colon + 1, rest.size - field.size - 1 };
	}
	markup_out_string(out, "]]]");
	markup_out_end_element(out);
}

/* Write "(module+0x1234)". */
static void markup_render_offset(struct markup_out *out,
                                 const struct markup_resolved_address *place)
{
	markup_out_string(out, "(");
	markup_out_begin_value(out);
	if (place->module->plain)
		markup_out_text(out, place->module->told.name);
	else
		markup_out_name(out, place->module->told.name);
	markup_out_end_value(out);
	markup_out_string(out, "+");
	markup_out_begin_value(out);
	markup_out_hex(out, place->relative, 1);
	markup_out_end_value(out);
	markup_out_string(out, ")");
}

static void markup_render_variable(struct markup_out *out, struct cairn_bytes name, uint64_t offset)
{
	markup_out_name(out, name);
	if (offset != 0) {
		markup_out_string(out, "+");
		markup_out_hex(out, offset, 1);
	}
}

/*
 * Renders the frames of one bt element: a line for each inlined call, innermost first, and a line
 * for the function itself.
 *
 *	    #0.1  0x00007f00000011f4 inner(int*) ./prog.cc:10:77 (prog+0x11f4)
 *	    #0    0x00007f00000011f4 outer(int*) ./prog.cc:12:57 (prog+0x11f4)
 *
 * Fuchsia's format counts inlined calls in the opposite order and prints addresses unchanged:
 *
 *	   #0.1  0x00007f00000011f5 in inner(int*) ./prog.cc:10 <prog>+0x11f5
 *	   #0    0x00007f00000011f5 in outer(int*) ./prog.cc:12 <prog>+0x11f5
 */

enum {
	NUMBER_WIDTH = 6,
	FUCHSIA_WIDTH = 8,
	ADDRESS_DIGITS = 16,
};

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

static void markup_render_frames(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	struct row row = { facts, 0, facts->known->count ? facts->known->count : 1 };

	markup_out_begin_element(&renderer->out);
	for (; row.index < row.rows; row.index++) {
		/* begin each further line with the text that precedes the element */
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

/*
 * Renders notes under a dump of registers or similar values. The dump itself is copied unchanged.
 * Each value that is in a module is explained under the line that ends the dump:
 *
 *	    [RIP] 0x000055d0aa0011f4 ns::Widget::innermost(int*) ./prog.cc:10:77 (prog+0x11f4)
 */

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

/*
 * Renders a frame that the log contains as plain text, without markup: copies the text, and appends
 * the functions at the frame's address, innermost call first:
 *
 *	#3 0x7f96043ab249  (/srv/prog+0x1249) = inner(int*) ./prog.cc:10:77, inlined in outer(int*) ./prog.cc:12:57
 */

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

/*
 * Return true if the symbolization result adds nothing to the log: it is empty, or contains only a
 * name and the log already has one.
 */
static bool adds_nothing(const struct markup_facts *facts)
{
	const struct cached_answer *known = facts->known;

	return !known || known->count == 0 ||
	       (facts->captured->function.size > 0 && known->frame[0].file.size == 0);
}

static void markup_render_report(struct markup_renderer *renderer, const struct markup_facts *facts)
{
	struct markup_out *out = &renderer->out;
	const struct cairn_bytes text = facts->text, unknown = facts->captured->unknown;
	/* Swift prints a placeholder for an unknown name; write the names in its place */
	const size_t before = unknown.size > 0 ? (size_t)(unknown.data - text.data) : text.size;

	if (adds_nothing(facts)) {
		markup_out_text(out, text);
		return;
	}
	markup_out_text(out, (struct cairn_bytes){ text.data, before });
	markup_out_begin_element(out);
	for (size_t i = 0; i < facts->known->count; i++) {
		markup_out_string(out, i > 0 ? ", inlined in " : unknown.size > 0 ? "" : " = ");
		render_location(out, &facts->known->frame[i]);
	}
	markup_out_end_element(out);
	const size_t after = before + unknown.size;
	markup_out_text(out, (struct cairn_bytes){ text.data + after, text.size - after });
}

static const struct cairn_bytes invalid = { (const uint8_t *)MARKUP_INVALID,
	                                    sizeof(MARKUP_INVALID) - 1 };

/*
 * Render an element that could not be symbolized as module and offset. If its module is unknown, or
 * when imitating llvm-symbolizer, copy the element in brackets instead.
 */
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
	/* copy a name from the log unchanged, but escape a demangled name */
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

/*
 * Render a bt element. For an address that the module's symbols do not cover, llvm-symbolizer
 * prints one empty frame. If the module has no symbols, llvm-symbolizer prints the element itself.
 */
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
		break;
	}
}
