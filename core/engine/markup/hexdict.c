/* SPDX-License-Identifier: MIT */
/*
 * Prints dumps of registers and similar values. They go out as they are, line by line; under the
 * line that ends one, each value that lies in a module is explained:
 *
 *	    [RIP] 0x000055d0aa0011f4 ns::Widget::innermost(int*) ./prog.cc:10:77 (prog+0x11f4)
 */
#include "filter.h"

#include "base/array_grow.h"

enum { ADDRESS_DIGITS = 16, CLOSING = 3 };

/* Keep what lies in a module for the notes. */
static void read_pairs(struct cairn_markup *m, struct cairn_bytes piece)
{
	struct markup_pair pair;

	markup_pairs_feed(&m->pairs, piece);
	while (markup_pairs_next(&m->pairs, &pair)) {
		struct markup_resolved_address place = markup_resolve_address(m, pair.value);
		if (!place.module)
			continue;
		if (m->notes == MARKUP_NOTES) {
			m->too_many_notes = true;
			continue;
		}
		if (!array_grow(&m->note, &m->note_room, m->notes + 1, sizeof(*m->note))) {
			m->no_memory = true;
			return;
		}
		struct hexdict_note *note = &m->note[m->notes++];
		*note = (struct hexdict_note){ .key_size = pair.key.size,
			                       .value = pair.value,
			                       .place = place };
		memcpy(note->key, pair.key.data, pair.key.size);
	}
}

static struct cairn_bytes get_dump_fields(const struct markup_node *node)
{
	struct cairn_bytes rest = node->fields;

	if (!node->has_fields)
		rest.size = 0;
	return rest;
}

void markup_render_hexdict(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_event event = { .kind = EVENT_TEXT, .node = node, .text = node->text };

	markup_emit_event(m, &event);
	markup_out_text(&m->out, node->text);
	if (markup_is_llvm(m))
		return;
	m->pairs.key_size = 0;
	read_pairs(m, get_dump_fields(node));
	m->in_hexdict = node->kind == MARKUP_OPEN;
}

/* Where the dump ends in this line; its size when it goes on. */
static size_t find_end(struct cairn_bytes line)
{
	for (size_t at = 0; line.size - at >= CLOSING; at++) {
		const uint8_t *brace = memchr(line.data + at, '}', line.size - at - CLOSING + 1);
		if (!brace)
			return line.size;
		at = (size_t)(brace - line.data);
		if (brace[1] == '}' && brace[2] == '}')
			return at;
	}
	return line.size;
}

size_t markup_render_hexdict_line(struct cairn_markup *m, struct cairn_bytes line)
{
	size_t end = find_end(line);

	read_pairs(m, (struct cairn_bytes){ line.data, end });
	if (end == line.size)
		return end;
	m->in_hexdict = false;
	return end + CLOSING;
}

static bool show_code(struct cairn_markup *m, const struct cached_answer *known)
{
	const struct cached_frame *inner = &known->frame[0];

	if (known->count == 0 || inner->file.size == 0 || inner->function.size == 0)
		return false;
	markup_out_name(&m->out, inner->function);
	markup_out_string(&m->out, " ");
	markup_out_name(&m->out, inner->file);
	markup_out_string(&m->out, ":");
	markup_out_decimal(&m->out, inner->line);
	markup_out_string(&m->out, ":");
	markup_out_decimal(&m->out, inner->column);
	markup_out_string(&m->out, " ");
	return true;
}

static void show_data(struct cairn_markup *m, const struct markup_resolved_address *place,
                      struct markup_event *event)
{
	struct cairn_location location;

	if (!markup_look_up_data(m, place, &location) || location.function.size == 0)
		return;
	event->name = location.function;
	event->offset = location.offset;
	markup_out_name(&m->out, location.function);
	if (location.offset) {
		markup_out_string(&m->out, "+");
		markup_out_hex(&m->out, location.offset, 1);
	}
	markup_out_string(&m->out, " ");
}

static void show_note(struct cairn_markup *m, const struct hexdict_note *note)
{
	struct cairn_bytes key = { note->key, note->key_size };
	struct markup_event event = { .kind = EVENT_VALUE,
		                      .text = key,
		                      .place = note->place,
		                      .value = note->value,
		                      .name = { note->key, 0 } };

	markup_out_begin_element(&m->out);
	markup_out_string(&m->out, "    [");
	markup_out_name(&m->out, key);
	markup_out_string(&m->out, "] ");
	markup_out_hex(&m->out, note->value, ADDRESS_DIGITS);
	markup_out_string(&m->out, " ");
	if (note->place.mode & MARKUP_EXECUTE)
		event.known = markup_look_up(m, &note->place);
	if (!event.known || !show_code(m, event.known))
		show_data(m, &note->place, &event);
	markup_render_offset(m, &note->place);
	markup_out_end_element(&m->out);
	markup_end_line(m);
	markup_emit_event(m, &event);
}

void markup_render_notes(struct cairn_markup *m)
{
	for (size_t i = 0; i < m->notes; i++)
		show_note(m, &m->note[i]);
	m->notes = 0;
	if (m->too_many_notes)
		markup_report_problem(m, m->line.data, "not all values of this dump are explained",
		                      (struct cairn_bytes){ m->line.data, 0 });
	m->too_many_notes = false;
}
