/* SPDX-License-Identifier: MIT */
/*
 * Splits text that comes in pieces into lines. Most of a log has no markup: such text is handed on
 * in one piece, without a look at its lines, unless a line before it left something open.
 */
#include "filter.h"

#include <stdlib.h>

enum { FIRST_CARRY = 1 << 12, BLOCK = 64, BRACES = 3 };

struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                      const struct cairn_markup_host *host)
{
	struct cairn_markup *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->options = *options;
	m->host = *host;
	m->own.rules = m->lent.rules = markup_rules_of(m);
	/* serial numbers of the two must differ */
	m->lent.serial = UINT64_MAX / 2;
	m->out.write = host->write;
	m->out.context = host->context;
	m->out.coloured = options->colour;
	m->out.raw = markup_is_llvm(m);
	markup_observe_for_host(m);
	return m;
}

void cairn_markup_free(struct cairn_markup *m)
{
	if (!m)
		return;
	markup_context_finish(&m->own);
	markup_context_finish(&m->lent);
	markup_cache_finish(&m->cache);
	free(m->info.range);
	free(m->note);
	free(m->action);
	free(m->carry);
	free(m);
}

void markup_observe(struct cairn_markup *m, const struct markup_observer *observer)
{
	m->observer = *observer;
	m->out.mute = observer->instead;
}

uint64_t cairn_markup_line(const struct cairn_markup *m)
{
	return m->line_number + 1;
}

void markup_end_line(struct cairn_markup *m)
{
	markup_out_string(&m->out, m->carriage_return ? "\r\n" : "\n");
}

static uint64_t column_of(const struct cairn_markup *m, const uint8_t *where)
{
	bool inside = where >= m->line.data && where <= m->line.data + m->line.size;

	return m->line_offset + (inside ? (uint64_t)(where - m->line.data) : 0) + 1;
}

void markup_report_problem(struct cairn_markup *m, const uint8_t *where, const char *what,
                           struct cairn_bytes found)
{
	if (m->host.complain)
		m->host.complain(m->host.context, cairn_markup_line(m), column_of(m, where), what,
		                 found);
}

void markup_emit_event(struct cairn_markup *m, struct markup_event *event)
{
	if (!m->observer.take)
		return;
	event->line = cairn_markup_line(m);
	event->column = column_of(m, event->text.data);
	m->observer.take(m->observer.context, event);
}

/* The end of this part of the line, its dump excepted. */
static void process_rest_of_line(struct cairn_markup *m, size_t from, bool is_whole)
{
	struct cairn_bytes line = m->line;

	m->line = (struct cairn_bytes){ line.data + from, line.size - from };
	m->line_offset += from;
	m->continued = m->continued || from > 0;
	markup_process_line(m, is_whole);
}

static void emit_text_event(struct cairn_markup *m, struct cairn_bytes text)
{
	struct markup_event event = { .kind = EVENT_TEXT, .text = text };

	if (text.size > 0)
		markup_emit_event(m, &event);
}

/* A line, or a part of one, in m->line. */
static void process_line_part(struct cairn_markup *m, bool is_whole)
{
	size_t inside = 0;

	if (m->in_hexdict) {
		inside = markup_render_hexdict_line(m, m->line);
		struct cairn_bytes dump = { m->line.data, inside };
		emit_text_event(m, dump);
		markup_out_text(&m->out, dump);
	}
	if (m->in_hexdict && is_whole)
		markup_out_string(&m->out, "\n");
	if (!m->in_hexdict && !m->skip)
		process_rest_of_line(m, inside, is_whole);
}

static void end_whole_line(struct cairn_markup *m)
{
	struct markup_event event = { .kind = EVENT_LINE_END, .text = m->line };

	if (!m->in_hexdict && m->notes > 0)
		markup_render_notes(m);
	markup_emit_event(m, &event);
	if (m->notes == 0)
		markup_context_sweep(&m->own);
	m->line_number++;
	m->line_offset = 0;
	m->continued = m->skip = false;
	if (m->options.end_lines)
		markup_out_flush(&m->out);
}

/* A whole line, or its last part, without the line feed. */
static void process_whole_line(struct cairn_markup *m, const uint8_t *line, size_t size)
{
	m->line = (struct cairn_bytes){ line, size };
	m->carriage_return = size > 0 && line[size - 1] == '\r';
	if (!m->continued)
		markup_out_end_colour(&m->out);
	process_line_part(m, true);
	end_whole_line(m);
}

/* How much of an unfinished line can be read now: all but the beginning of an element. */
static size_t complete_prefix(const struct cairn_markup *m, struct cairn_bytes line)
{
	struct markup in = markup_open(line, markup_rules_of(m));
	struct markup_node node = { .kind = MARKUP_TEXT };
	struct cairn_bytes last = { line.data, 0 };

	if (m->in_hexdict)
		return line.size > BRACES ? line.size - BRACES : 0;
	while (markup_next(&in, &node))
		last = node.text;
	if (node.kind == MARKUP_OPEN)
		return line.size - node.text.size;
	if (node.kind != MARKUP_TEXT)
		return line.size;
	size_t before = line.size - last.size, plain = markup_plain_prefix(last);
	/* braces at the very end may be the first of three */
	while (plain == last.size && plain > 0 && last.data[plain - 1] == '{' &&
	       last.size - plain < BRACES - 1)
		last.size = --plain;
	return before + plain;
}

/*
 * The first `size` bytes of the carried line go out.  When nothing could be read of a line that
 * fills all the room, its beginning is text.
 */
static void process_carried_line(struct cairn_markup *m, size_t size)
{
	if (!m->continued)
		markup_out_end_colour(&m->out);
	m->line = (struct cairn_bytes){ m->carry, size };
	m->carriage_return = false;
	process_line_part(m, false);
	m->continued = true;
	m->line_offset += m->line.size;
	memmove(m->carry, m->carry + size, m->carried - size);
	m->carried -= size;
}

static void flush_full_carry(struct cairn_markup *m)
{
	struct cairn_bytes line = { m->carry, m->carried };
	size_t size = complete_prefix(m, line);

	if (size < CAIRN_MARKUP_LINE / 2)
		size = CAIRN_MARKUP_LINE;
	process_carried_line(m, size);
}

/* Keep the beginning of a line.  False when memory is short. */
static bool append_carried_text(struct cairn_markup *m, const uint8_t *text, size_t size)
{
	size_t room = m->carry_room ? m->carry_room : FIRST_CARRY;

	while (room < m->carried + size)
		room *= 2;
	if (room > m->carry_room) {
		uint8_t *grown = realloc(m->carry, room);
		if (!grown) {
			m->no_memory = true;
			return false;
		}
		m->carry = grown;
		m->carry_room = room;
	}
	memcpy(m->carry + m->carried, text, size);
	m->carried += size;
	return true;
}

/* Is there nothing that the next line may end or change? */
static bool is_quiet(const struct cairn_markup *m)
{
	return !m->info.open && !m->in_hexdict && !m->out.bold && !m->out.colour &&
	       !m->observer.every_text && !m->options.end_lines;
}

static uint64_t count_lines(const uint8_t *text, size_t size)
{
	uint64_t count = 0;
	size_t at = 0;

	for (; size - at >= BLOCK; at += BLOCK) {
		uint8_t some = 0;
		for (unsigned i = 0; i < BLOCK; i++)
			some = (uint8_t)(some + (text[at + i] == '\n'));
		count += some;
	}
	for (; at < size; at++)
		count += text[at] == '\n';
	return count;
}

/* Lines without markup at the beginning of `text`, which ends with a line. */
static size_t copy_plain_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	size_t plain = markup_plain_prefix(text);

	while (plain > 0 && text.data[plain - 1] != '\n')
		plain--;
	markup_out_bytes(&m->out, text.data, plain);
	m->line_number += count_lines(text.data, plain);
	return plain;
}

/* `text` is one line or more, all complete. */
static void process_complete_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	while (text.size > 0) {
		size_t size = is_quiet(m) ? copy_plain_lines(m, text) : 0;
		if (size < text.size) {
			const uint8_t *line = text.data + size;
			const uint8_t *end = memchr(line, '\n', text.size - size);
			process_whole_line(m, line, (size_t)(end - line));
			size = (size_t)(end + 1 - text.data);
		}
		text.data += size;
		text.size -= size;
	}
}

/* Goes on with the line that is carried; returns how much of the text belongs to it. */
static size_t finish_line(struct cairn_markup *m, struct cairn_bytes text)
{
	size_t room = CAIRN_MARKUP_LINE - m->carried, size = text.size < room ? text.size : room;
	const uint8_t *end = memchr(text.data, '\n', size);

	if (end)
		size = (size_t)(end - text.data);
	if (!append_carried_text(m, text.data, size))
		return text.size;
	if (end) {
		size_t carried = m->carried;
		m->carried = 0;
		process_whole_line(m, m->carry, carried);
		return size + 1;
	}
	if (m->carried == CAIRN_MARKUP_LINE)
		flush_full_carry(m);
	return size;
}

/* How many bytes of the text are complete lines. */
static size_t complete_size(struct cairn_bytes text)
{
	while (text.size > 0 && text.data[text.size - 1] != '\n')
		text.size--;
	return text.size;
}

/*
 * Text is looked at in pieces of a line's greatest length, so that no line in there is longer.
 */
static size_t process_text_piece(struct cairn_markup *m, struct cairn_bytes text)
{
	if (m->carried > 0 || m->continued)
		return finish_line(m, text);
	size_t size = complete_size(text);
	process_complete_lines(m, (struct cairn_bytes){ text.data, size });
	if (size == 0)
		return finish_line(m, text);
	return size;
}

enum cairn_status cairn_markup_feed(struct cairn_markup *m, struct cairn_bytes text)
{
	while (text.size > 0 && !m->no_memory) {
		struct cairn_bytes piece = text;
		if (piece.size > CAIRN_MARKUP_LINE)
			piece.size = CAIRN_MARKUP_LINE;
		size_t size = process_text_piece(m, piece);
		text.data += size;
		text.size -= size;
	}
	markup_out_flush(&m->out);
	return m->no_memory ? CAIRN_NO_MEMORY : CAIRN_OK;
}

void cairn_markup_pause(struct cairn_markup *m)
{
	if (m->carried > 0) {
		struct cairn_bytes line = { m->carry, m->carried };
		size_t size = complete_prefix(m, line);
		if (size > 0)
			process_carried_line(m, size);
	}
	markup_out_flush(&m->out);
}

enum cairn_status cairn_markup_finish(struct cairn_markup *m)
{
	size_t carried = m->carried;

	m->carried = 0;
	if (carried > 0 || m->continued)
		process_whole_line(m, m->carry, carried);
	markup_end_module_line(m);
	markup_out_end_colour(&m->out);
	markup_out_flush(&m->out);
	markup_context_reset(&m->own);
	markup_context_sweep(&m->own);
	m->in_hexdict = m->carriage_return = false;
	m->notes = 0;
	m->last_prefix = 0;
	m->line_number = 0;
	return m->no_memory ? CAIRN_NO_MEMORY : CAIRN_OK;
}
