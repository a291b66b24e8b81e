/* SPDX-License-Identifier: MIT */
/* Renderers write text from facts alone: none of them has a context, a cache or a host to ask. */
#ifndef CAIRN_MARKUP_RENDERER_H
#define CAIRN_MARKUP_RENDERER_H

#include "markup/facts.h"
#include "markup/output.h"

/* In the place of what is not known, where llvm-symbolizer has it. */
#define MARKUP_INVALID "<invalid>"

/* The line that describes a module, as long as mappings may join it. */
struct module_line {
	bool open;
	uint64_t module; /* the serial number */
	uint64_t prefix; /* the hash of what is before it */
	struct module_line_range *range;
	size_t count, room;
};

struct markup_renderer {
	const struct cairn_markup_options *options;
	bool carriage_return; /* the line of the log ends with \r\n, and so do those of ours */
	struct module_line info;
	struct markup_out out;
};

static inline bool renderer_is_llvm(const struct markup_renderer *renderer)
{
	return renderer->options->style == CAIRN_MARKUP_LLVM;
}

/* Anything but modules, mappings and resets. */
void markup_render_element(struct markup_renderer *renderer, const struct markup_facts *facts);

/* Of a VALUE, with its line. */
void markup_render_note(struct markup_renderer *renderer, const struct markup_facts *facts);

void markup_render_line_end(struct markup_renderer *renderer); /* of a line that the log lacks */

/* The element in brackets: there is no answer to it. */
void markup_render_raw(struct markup_out *out, const struct markup_node *node);

/* A name as a value, or "<invalid>"; a plain one is printable ASCII. */
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

/* A module or mmap where it is. */
void module_line_render_in_place(struct markup_out *out, const struct context_action *action);

/* May a mapping join the line that is open? */
bool module_line_may_join(const struct markup_renderer *renderer,
                          const struct context_action *action, uint64_t prefix);

/* Open a line, after what is before it; `prefix` is the hash of that. */
void module_line_begin(struct markup_renderer *renderer, const struct context_action *action,
                       uint64_t prefix);

/* A mapping joins the line that is open.  False when memory is short. */
bool module_line_add_range(struct markup_renderer *renderer, const struct module_line_range *range);

/* End the line that is open, if there is one. */
void module_line_end(struct markup_renderer *renderer);

#endif
