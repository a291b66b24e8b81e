/* SPDX-License-Identifier: MIT */
/* Writes what several renderers need: elements in brackets, places, names and numbers. */
#include "renderer.h"

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

void markup_render_offset(struct markup_out *out, const struct markup_resolved_address *place)
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

void markup_render_variable(struct markup_out *out, struct cairn_bytes name, uint64_t offset)
{
	markup_out_name(out, name);
	if (offset != 0) {
		markup_out_string(out, "+");
		markup_out_hex(out, offset, 1);
	}
}
