/* SPDX-License-Identifier: MIT */
/* Lines that tell of a module and its mappings. */
#include "filter.h"

#include "base/array_grow.h"

#include <stdlib.h>

enum { INFO_RANGES = 1 << 18 }; /* of one line; more go on to a line of their own */

static int by_start(const void *left, const void *right)
{
	const struct info_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

void info_show_range(struct markup_out *out, const struct info_range *range)
{
	out_string(out, "[");
	out_begin_value(out);
	out_hex(out, range->start, 1);
	out_end_value(out);
	out_string(out, "-");
	out_begin_value(out);
	out_hex(out, range->start + range->size - 1, 1);
	out_end_value(out);
	out_string(out, "](");
	out_begin_value(out);
	for (unsigned i = 0; i < 3; i++)
		if (range->mode & 1u << i)
			out_bytes(out, &"rwx"[i], 1);
	out_end_value(out);
	out_string(out, ")");
}

/* llvm-symbolizer takes an empty mapping that is told again for the first of the line as well. */
static bool begins_list(const struct cairn_markup *m, size_t index)
{
	const struct info_range *range = m->info.range;

	return index == 0 || (markup_is_llvm(m) && range[index].start == range[0].start);
}

void markup_end_info(struct cairn_markup *m)
{
	struct info_line *info = &m->info;

	if (!info->open)
		return;
	if (info->count > 1)
		qsort(info->range, info->count, sizeof(*info->range), by_start);
	for (size_t i = 0; i < info->count; i++) {
		out_string(&m->out, begins_list(m, i) ? " " : ",");
		info_show_range(&m->out, &info->range[i]);
	}
	out_string(&m->out, "]]]");
	markup_end_line(m);
	out_end_element(&m->out);
	info->open = false;
	info->count = 0;
}

void info_show_module(struct markup_out *out, const struct context_module *module)
{
	out_begin_element(out);
	out_string(out, "[[[ELF module");
	out_begin_value(out);
	out_string(out, " #");
	out_hex(out, module->told.id, 1);
	out_string(out, " ");
	out_end_value(out);
	out_string(out, "\"");
	out_begin_value(out);
	out_name(out, module->told.name);
	out_end_value(out);
	out_string(out, "\"");
}

void info_show_build_id(struct markup_out *out, const struct context_module *module)
{
	out_string(out, "; BuildID=");
	out_begin_value(out);
	out_digits(out, module->told.build_id);
	out_end_value(out);
}

/* The nodes from the line's beginning up to the first contextual element. */
void info_show_beginning(struct cairn_markup *m)
{
	struct markup in = markup_open(m->line, markup_rules_of(m));
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		markup_show(m, &node);
}

void info_begin(struct cairn_markup *m, const struct context_action *action, uint64_t prefix)
{
	markup_end_info(m);
	info_show_beginning(m);
	info_show_module(&m->out, action->module);
	if (action->tag == MARKUP_MODULE)
		info_show_build_id(&m->out, action->module);
	else
		out_string(&m->out, "; adds");
	m->info.open = true;
	m->info.module = action->module->serial;
	m->info.prefix = prefix;
}

void info_join(struct cairn_markup *m, const struct context_action *action, uint64_t prefix)
{
	struct info_line *info = &m->info;

	if (!info->open || info->module != action->module->serial || info->prefix != prefix ||
	    info->count == INFO_RANGES)
		info_begin(m, action, prefix);
	if (room_for(&info->range, &info->room, info->count + 1, sizeof(*info->range)))
		info->range[info->count++] = action->range;
	else
		m->no_memory = true;
}
