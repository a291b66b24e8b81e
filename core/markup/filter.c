/* SPDX-License-Identifier: MIT */
/*
 * Splits text, which arrives in pieces, into lines. Most of a log has no markup: such text is
 * passed on in one piece without examining its lines, unless an earlier line left something open.
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
	m->resolver.options = m->renderer.options = &m->options;
	m->resolver.host = m->reporter.host = &m->host;
	m->resolver.own.rules = m->resolver.lent.rules = markup_rules_of(m);
	/* serial numbers must differ across the three contexts */
	m->resolver.lent.serial = UINT64_MAX / 2;
	m->resolver.named.context.serial = UINT64_MAX / 4 * 3;
	m->captured = captured_text_open();
	m->renderer.out.write = host->write;
	m->renderer.out.context = host->context;
	m->renderer.out.coloured = options->colour;
	m->renderer.out.raw = options->style == CAIRN_MARKUP_LLVM;
	markup_observe_for_host(m);
	return m;
}

void cairn_markup_free(struct cairn_markup *m)
{
	if (!m)
		return;
	markup_resolver_finish(&m->resolver);
	free(m->renderer.info.range);
	free(m->dump.note);
	free(m->action);
	free(m->carry);
	free(m);
}

enum cairn_status cairn_markup_add_host_module(struct cairn_markup *m,
                                               const struct cairn_markup_module *module,
                                               const struct cairn_range *pcs, uint64_t va)
{
	const bool good = resolver_add_host_module(&m->resolver, module, pcs, va,
	                                           MARKUP_READ | MARKUP_EXECUTE);

	return good ? CAIRN_OK : CAIRN_MALFORMED;
}

uint64_t cairn_markup_line(const struct cairn_markup *m)
{
	return m->reporter.position.lines + 1;
}

static bool is_out_of_memory(const struct cairn_markup *m)
{
	return m->no_memory || m->resolver.no_memory || m->resolver.own.no_memory ||
	       m->resolver.named.context.no_memory;
}

/* Process this part of the line from offset `from`, after the end of a dump. */
static void process_rest_of_line(struct cairn_markup *m, size_t from, bool is_whole)
{
	struct cairn_bytes line = m->reporter.position.line;

	m->reporter.position.line = (struct cairn_bytes){ line.data + from, line.size - from };
	m->reporter.position.offset += from;
	m->continued = m->continued || from > 0;
	markup_process_line(m, is_whole);
}

/* Process the line or part of a line in m->reporter.position. */
static void process_line_part(struct cairn_markup *m, bool is_whole)
{
	const struct cairn_bytes line = m->reporter.position.line;
	size_t inside = 0;

	if (m->dump.open)
		inside = markup_dump_continue(&m->resolver, &m->dump, line);
	if (inside > 0)
		markup_process_text(m, (struct cairn_bytes){ line.data, inside });
	if (m->dump.open && is_whole)
		markup_out_string(&m->renderer.out, "\n");
	m->entire = is_whole && !m->continued && inside == 0;
	if (!m->dump.open && !m->skip)
		process_rest_of_line(m, inside, is_whole);
}

static void end_whole_line(struct cairn_markup *m)
{
	struct markup_position *position = &m->reporter.position;

	if (!m->dump.open && m->dump.notes > 0)
		markup_process_notes(m);
	markup_report_text(&m->reporter, EVENT_LINE_END, position->line);
	if (m->dump.notes == 0) {
		markup_context_sweep(&m->resolver.own);
		markup_context_sweep(&m->resolver.named.context);
	}
	position->lines++;
	position->offset = 0;
	m->continued = m->skip = false;
	if (m->options.end_lines)
		markup_out_flush(&m->renderer.out);
}

static void process_whole_line(struct cairn_markup *m, const uint8_t *line, size_t size)
{
	m->reporter.position.line = (struct cairn_bytes){ line, size };
	m->renderer.carriage_return = size > 0 && line[size - 1] == '\r';
	if (!m->continued)
		markup_out_end_colour(&m->renderer.out);
	process_line_part(m, true);
	end_whole_line(m);
}

/*
 * Return how many bytes of an unfinished line can be processed now: all up to the beginning of an
 * incomplete element.
 */
static size_t complete_prefix(const struct cairn_markup *m, struct cairn_bytes line)
{
	struct markup in = markup_open(line, markup_rules_of(m));
	struct markup_node node = { .kind = MARKUP_TEXT };
	struct cairn_bytes last = { line.data, 0 };

	if (m->dump.open)
		return line.size > BRACES ? line.size - BRACES : 0;
	while (markup_next(&in, &node))
		last = node.text;
	if (node.kind == MARKUP_OPEN)
		return line.size - node.text.size;
	if (node.kind != MARKUP_TEXT)
		return line.size;
	size_t before = line.size - last.size, plain = markup_plain_prefix(last);
	/* one or two trailing braces may be the start of "{{{" */
	while (plain == last.size && plain > 0 && last.data[plain - 1] == '{' &&
	       last.size - plain < BRACES - 1)
		last.size = --plain;
	return before + plain;
}

/* Process the first `size` bytes of the carried line and remove them. */
static void process_carried_line(struct cairn_markup *m, size_t size)
{
	if (!m->continued)
		markup_out_end_colour(&m->renderer.out);
	m->reporter.position.line = (struct cairn_bytes){ m->carry, size };
	m->renderer.carriage_return = false;
	process_line_part(m, false);
	m->continued = true;
	m->reporter.position.offset += m->reporter.position.line.size;
	memmove(m->carry, m->carry + size, m->carried - size);
	m->carried -= size;
}

static void flush_full_carry(struct cairn_markup *m)
{
	struct cairn_bytes line = { m->carry, m->carried };
	size_t size = complete_prefix(m, line);

	/* an element longer than half the buffer is treated as text */
	if (size < CAIRN_MARKUP_LINE / 2)
		size = CAIRN_MARKUP_LINE;
	process_carried_line(m, size);
}

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

/* Return true if no state depends on the next line, so that plain lines can be copied in bulk. */
static bool is_quiet(const struct cairn_markup *m)
{
	const struct markup_observer *observer = &m->reporter.observer;

	return !m->renderer.info.open && !m->dump.open && !m->renderer.out.bold &&
	       !m->renderer.out.colour && (!observer->every_text || observer->take_lines) &&
	       !m->options.end_lines && !markup_reads_reports(m);
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

/* Write complete lines without markup, or pass them to an observer. Return their number. */
static uint64_t pass_plain_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	const struct markup_observer *observer = &m->reporter.observer;

	if (observer->every_text)
		return observer->take_lines(observer->context, m->reporter.position.lines + 1,
		                            text);
	markup_out_text(&m->renderer.out, text);
	return count_lines(text.data, text.size);
}

/*
 * Copy the lines without markup at the beginning of `text`, which ends with a line feed. Return
 * their size in bytes.
 */
static size_t copy_plain_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	size_t plain = markup_plain_prefix(text);

	while (plain > 0 && text.data[plain - 1] != '\n')
		plain--;
	m->reporter.position.lines += pass_plain_lines(m, (struct cairn_bytes){ text.data, plain });
	return plain;
}

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

/* Append to the carried line. Return how many bytes of `text` belong to it. */
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

/*
 * Process a piece of at most CAIRN_MARKUP_LINE bytes, so that no complete line in it is longer.
 * Return how many bytes were consumed.
 */
static size_t process_text_piece(struct cairn_markup *m, struct cairn_bytes text)
{
	if (m->carried > 0 || m->continued)
		return finish_line(m, text);
	size_t size = text.size; /* size of the complete lines */
	while (size > 0 && text.data[size - 1] != '\n')
		size--;
	process_complete_lines(m, (struct cairn_bytes){ text.data, size });
	if (size == 0)
		return finish_line(m, text);
	return size;
}

enum cairn_status cairn_markup_feed(struct cairn_markup *m, struct cairn_bytes text)
{
	while (text.size > 0 && !is_out_of_memory(m)) {
		struct cairn_bytes piece = text;
		if (piece.size > CAIRN_MARKUP_LINE)
			piece.size = CAIRN_MARKUP_LINE;
		size_t size = process_text_piece(m, piece);
		text.data += size;
		text.size -= size;
	}
	markup_out_flush(&m->renderer.out);
	return is_out_of_memory(m) ? CAIRN_NO_MEMORY : CAIRN_OK;
}

void cairn_markup_pause(struct cairn_markup *m)
{
	/* frames without markup are only recognized in complete lines */
	if (m->carried > 0 && !markup_reads_reports(m)) {
		struct cairn_bytes line = { m->carry, m->carried };
		size_t size = complete_prefix(m, line);
		if (size > 0)
			process_carried_line(m, size);
	}
	markup_out_flush(&m->renderer.out);
}

enum cairn_status cairn_markup_finish(struct cairn_markup *m)
{
	size_t carried = m->carried;

	m->carried = 0;
	if (carried > 0 || m->continued)
		process_whole_line(m, m->carry, carried);
	module_line_end(&m->renderer);
	markup_out_end_colour(&m->renderer.out);
	markup_out_flush(&m->renderer.out);
	markup_context_reset(&m->resolver.own);
	markup_context_sweep(&m->resolver.own);
	markup_named_modules_forget(&m->resolver.named);
	m->captured = captured_text_open();
	m->dump.open = m->renderer.carriage_return = false;
	m->dump.notes = 0;
	m->last_prefix = 0;
	m->reporter.position.lines = 0;
	return is_out_of_memory(m) ? CAIRN_NO_MEMORY : CAIRN_OK;
}
