/* SPDX-License-Identifier: MIT */
/*
 * Buffers output to the host, and adds colors.
 *
 * Colors depend on the colors of the log: the text that replaces an element is highlighted, values
 * in this text are highlighted differently, and the log's own color is restored afterwards.
 */
#ifndef CAIRN_MARKUP_RENDERER_H
#define CAIRN_MARKUP_RENDERER_H

#include "facts.h"

#include <cairn.h>
#include <string.h>

enum { MARKUP_OUT_CAPACITY = 1 << 16 };

struct markup_out {
	void (*write)(void *context, const void *text, size_t size);
	void *context;
	bool mute;
	bool coloured; /* if false, the log's colors are removed and no colors are added */
	bool raw;
	bool bold;       /* `bold` and `colour` are the text style that the log has set */
	unsigned colour; /* SGR color 30 to 37, or 0 */
	size_t size;
	uint8_t buffer[MARKUP_OUT_CAPACITY];
};

void markup_out_flush(struct markup_out *out);

void markup_out_unbuffered(struct markup_out *out, const void *text, size_t size);

static inline void markup_out_bytes(struct markup_out *out, const void *text, size_t size)
{
	if (size > MARKUP_OUT_CAPACITY - out->size) {
		markup_out_unbuffered(out, text, size);
		return;
	}
	memcpy(out->buffer + out->size, text, size);
	out->size += size;
}

static inline void markup_out_text(struct markup_out *out, struct cairn_bytes text)
{
	markup_out_bytes(out, text.data, text.size);
}

static inline void markup_out_string(struct markup_out *out, const char *text)
{
	markup_out_bytes(out, text, strlen(text));
}

void markup_out_decimal(struct markup_out *out, uint64_t number);

void markup_out_name(struct markup_out *out, struct cairn_bytes name);

bool markup_out_is_plain(struct cairn_bytes name);

void markup_out_end_colour(struct markup_out *out);

void markup_out_begin_value(struct markup_out *out);
void markup_out_end_value(struct markup_out *out);

/*
 * Renderers write text from facts alone. They have no access to the context, the cache or the host.
 */

/* Placeholder for unknown values, as in llvm-symbolizer. */
#define MARKUP_INVALID "<invalid>"

/* The line that describes a module. It remains open while further mappings may be appended. */
struct module_line {
	bool open;
	uint64_t module;
	uint64_t prefix; /* hash of the line's text before the element */
	struct module_line_range *range;
	size_t count, capacity;
};

struct markup_renderer {
	const struct cairn_markup_options *options;
	bool carriage_return; /* the current line ends with \r\n, so added lines must too */
	struct module_line info;
	struct markup_out out;
};

static inline bool renderer_is_llvm(const struct markup_renderer *renderer)
{
	return renderer->options->style == CAIRN_MARKUP_LLVM;
}

void markup_render_element(struct markup_renderer *renderer, const struct markup_facts *facts);

void markup_render_note(struct markup_renderer *renderer, const struct markup_facts *facts);

void markup_render_line_end(struct markup_renderer *renderer);

/* Write an element that could not be resolved, in brackets. */
void markup_render_raw(struct markup_out *out, const struct markup_node *node);

/*
 * Write a name as a value, or "<invalid>" if it is empty. Set `plain` if the name is printable
 * ASCII.
 */
static inline void markup_render_name_or_invalid(struct markup_out *out, struct cairn_bytes name,
                                                 bool plain)
{
	markup_out_begin_value(out);
	if (name.size == 0)
		markup_out_string(out, MARKUP_INVALID);
	else if (plain)
		markup_out_text(out, name);
	else
		markup_out_name(out, name);
	markup_out_end_value(out);
}

static inline void markup_render_decimal_value(struct markup_out *out, uint64_t number)
{
	markup_out_begin_value(out);
	markup_out_decimal(out, number);
	markup_out_end_value(out);
}

void module_line_render_in_place(struct markup_out *out, const struct context_action *action);

bool module_line_may_join(const struct markup_renderer *renderer,
                          const struct context_action *action, uint64_t prefix);

/*
 * Begin the line that describes a module. The text before the module's element has already been
 * written; `prefix` is its hash.
 */
void module_line_begin(struct markup_renderer *renderer, const struct context_action *action,
                       uint64_t prefix);

bool module_line_add_range(struct markup_renderer *renderer, const struct module_line_range *range);

void module_line_end(struct markup_renderer *renderer);

#endif
