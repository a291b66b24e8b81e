/* SPDX-License-Identifier: MIT */
/* Prints the lines that describe a module and its mappings. */
#include "filter.h"

#include "base/array_grow.h"

#include <stdlib.h>

enum { INFO_RANGES = 1 << 18 }; /* of one line; more go on to a line of their own */

static int by_start(const void *left, const void *right)
{
	const struct module_line_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

void module_line_print_range(struct markup_out *out, const struct module_line_range *range)
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

/* llvm-symbolizer takes an empty mapping that is told again for the first of the line as well. */
static bool begins_list(const struct cairn_markup *m, size_t index)
{
	const struct module_line_range *range = m->info.range;

	return index == 0 || (markup_is_llvm(m) && range[index].start == range[0].start);
}

void markup_end_module_line(struct cairn_markup *m)
{
	struct module_line *info = &m->info;

	if (!info->open)
		return;
	if (info->count > 1)
		qsort(info->range, info->count, sizeof(*info->range), by_start);
	for (size_t i = 0; i < info->count; i++) {
		markup_out_string(&m->out, begins_list(m, i) ? " " : ",");
		module_line_print_range(&m->out, &info->range[i]);
	}
	markup_out_string(&m->out, "]]]");
	markup_end_line(m);
	markup_out_end_element(&m->out);
	info->open = false;
	info->count = 0;
}

void module_line_print_module(struct markup_out *out, const struct context_module *module)
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

void module_line_print_build_id(struct markup_out *out, const struct context_module *module)
{
	markup_out_string(out, "; BuildID=");
	markup_out_begin_value(out);
	markup_out_hex_bytes(out, module->told.build_id);
	markup_out_end_value(out);
}

/* The nodes from the line's beginning up to the first contextual element. */
void module_line_print_beginning(struct cairn_markup *m)
{
	struct markup in = markup_open(m->line, markup_rules_of(m));
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		markup_render(m, &node);
}

void module_line_begin(struct cairn_markup *m, const struct context_action *action, uint64_t prefix)
{
	markup_end_module_line(m);
	module_line_print_beginning(m);
	module_line_print_module(&m->out, action->module);
	if (action->tag == MARKUP_MODULE)
		module_line_print_build_id(&m->out, action->module);
	else
		markup_out_string(&m->out, "; adds");
	m->info.open = true;
	m->info.module = action->module->serial;
	m->info.prefix = prefix;
}

void module_line_join(struct cairn_markup *m, const struct context_action *action, uint64_t prefix)
{
	struct module_line *info = &m->info;

	if (!info->open || info->module != action->module->serial || info->prefix != prefix ||
	    info->count == INFO_RANGES)
		module_line_begin(m, action, prefix);
	if (array_grow(&info->range, &info->room, info->count + 1, sizeof(*info->range)))
		info->range[info->count++] = action->range;
	else
		m->no_memory = true;
}
