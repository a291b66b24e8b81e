/* SPDX-License-Identifier: MIT */
/* Writes the lines that describe a module and its mappings. */
#include "renderer.h"

#include "base/array_grow.h"

#include <stdlib.h>

enum { INFO_RANGES = 1 << 18 }; /* of one line; more go on to a line of their own */

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

/* llvm-symbolizer takes an empty mapping that is repeated for the first of the line as well. */
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

	return ARRAY_APPEND(info->range, info->count, info->room, *range);
}
