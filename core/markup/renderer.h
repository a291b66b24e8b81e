/* SPDX-License-Identifier: MIT */
/* Renderers write text from facts alone. They do not see the context, the cache or the host. */
#ifndef CAIRN_MARKUP_RENDERER_H
#define CAIRN_MARKUP_RENDERER_H

#include "facts.h"
#include "output.h"

/* Placeholder for unknown values, as in llvm-symbolizer. */
#define MARKUP_INVALID "<invalid>"

/* The line that describes a module, which stays open while mappings may join it. */
struct module_line {
	bool open;
	uint64_t module;
	uint64_t prefix; /* hash of the text before the element */
	struct module_line_range *range;
	size_t count, room;
};

struct markup_renderer {
	const struct cairn_markup_options *options;
	bool carriage_return; /* the current line ends with \r\n, so added lines do too */
	struct module_line info;
	struct markup_out out;
};

static inline bool renderer_is_llvm(const struct markup_renderer *renderer)
{
	return renderer->options->style == CAIRN_MARKUP_LLVM;
}

/* Render any element other than a module, mmap or reset. */
void markup_render_element(struct markup_renderer *renderer, const struct markup_facts *facts);

void markup_render_note(struct markup_renderer *renderer, const struct markup_facts *facts);

void markup_render_line_end(struct markup_renderer *renderer);

/* Write the element in brackets because it could not be resolved. */
void markup_render_raw(struct markup_out *out, const struct markup_node *node);

/* Write a name as a value, or "<invalid>" if it is empty. `plain`: the name is printable ASCII. */
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

/* Open a line after the text before it, whose hash is `prefix`. */
void module_line_begin(struct markup_renderer *renderer, const struct context_action *action,
                       uint64_t prefix);

bool module_line_add_range(struct markup_renderer *renderer, const struct module_line_range *range);

void module_line_end(struct markup_renderer *renderer);

#endif
