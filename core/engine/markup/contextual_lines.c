/* SPDX-License-Identifier: MIT */
/*
 * Handles the log lines that define modules, mappings and resets.
 *
 * A line of nothing else (a "pure" one, perhaps behind a prefix such as a time) makes way for a
 * line that tells of its module; the mappings of the lines behind it join that line:
 *
 *	[[[ELF module #0x0 "prog"; BuildID=58d7 [0x1000-0x1fff](rx),[0x2000-0x2fff](rw)]]]
 *
 * On any other line each of them is replaced where it stands.  llvm-symbolizer gives up a line at
 * its first contextual element, and with it whatever else is on the line.
 */
#include "filter.h"

#include "base/array_grow.h"

/* Two prefixes are alike when they differ in numbers and blanks around them only. */
static uint64_t prefix_hash(struct cairn_bytes prefix)
{
	uint64_t hash = 0xcbf29ce484222325;
	bool digits = false;

	while (prefix.size > 0 && markup_is_space(prefix.data[prefix.size - 1]))
		prefix.size--;
	while (prefix.size > 0 && markup_is_space(prefix.data[0])) {
		prefix.data++;
		prefix.size--;
	}
	for (size_t i = 0; i < prefix.size; i++) {
		bool digit = prefix.data[i] >= '0' && prefix.data[i] <= '9';
		if (!digit || !digits)
			hash = (hash ^ (digit ? '#' : prefix.data[i])) * 0x100000001b3;
		digits = digit;
	}
	return hash;
}

static bool is_blank_text(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!markup_is_space(text.data[i]))
			return false;
	return true;
}

static void emit_action_event(struct cairn_markup *m, const struct markup_node *node,
                              const struct context_action *action,
                              const struct context_mapping *mapping, const char *what)
{
	struct markup_event event = { .node = node,
		                      .text = node->text,
		                      .module = action->module,
		                      .mapping = mapping,
		                      .outcome = action->outcome,
		                      .what = what };

	event.kind = action->outcome == CONTEXT_REJECTED ? EVENT_INVALID
	             : node->tag == MARKUP_RESET         ? EVENT_RESET
	             : node->tag == MARKUP_MODULE        ? EVENT_MODULE
	                                                 : EVENT_MMAP;
	markup_emit_event(m, &event);
}

static enum context_outcome apply_mmap(struct cairn_markup *m, const struct markup_node *node,
                                       struct context_action *action,
                                       const struct context_mapping **mapping,
                                       struct markup_fault *fault)
{
	struct markup_mmap mmap;

	if (!markup_read_mmap(node, &mmap, fault))
		return CONTEXT_REJECTED;
	enum context_outcome outcome = markup_context_mmap(&m->own, &mmap, mapping, fault);
	if (*mapping) {
		const struct context_mapping *known = *mapping;
		action->module = known->module;
		action->range =
			(struct module_line_range){ known->start, known->size, known->mode };
		if (outcome == CONTEXT_REJECTED)
			fault->found = known->module->told.name;
	}
	return outcome;
}

/* Do what the element says, to the context; what is to be shown goes into *action. */
static void apply_element(struct cairn_markup *m, const struct markup_node *node,
                          struct context_action *action)
{
	const struct context_mapping *mapping = NULL;
	struct markup_module module;
	struct markup_fault fault = { .what = NULL };

	*action = (struct context_action){ .tag = node->tag, .outcome = CONTEXT_REJECTED };
	if (node->tag == MARKUP_RESET) {
		action->outcome = markup_context_is_empty(&m->own) ? CONTEXT_KNOWN : CONTEXT_NEW;
		markup_context_reset(&m->own);
	} else if (node->tag == MARKUP_MMAP) {
		action->outcome = apply_mmap(m, node, action, &mapping, &fault);
	} else if (markup_read_module(node, &module, &fault)) {
		action->outcome = markup_context_module(&m->own, &module, &action->module, &fault);
	}
	if (action->outcome == CONTEXT_REJECTED)
		markup_report_problem(m, fault.where, fault.what, fault.found);
	emit_action_event(m, node, action, mapping, fault.what);
}

/* Shown in a line of its own, or by joining one. */
static void show_alone(struct cairn_markup *m, const struct markup_node *node,
                       const struct context_action *action, uint64_t prefix)
{
	if (action->outcome != CONTEXT_NEW)
		return;
	if (action->tag == MARKUP_MMAP) {
		module_line_join(m, action, prefix);
	} else if (action->tag == MARKUP_MODULE) {
		module_line_begin(m, action, prefix);
	} else {
		markup_end_module_line(m);
		module_line_print_beginning(m);
		markup_render_raw(m, node);
		markup_end_line(m);
	}
}

/* Shown where it stands. */
static void show_in_place(struct cairn_markup *m, const struct markup_node *node,
                          const struct context_action *action)
{
	if (action->outcome == CONTEXT_REJECTED) {
		markup_out_text(&m->out, node->text);
	} else if (action->outcome == CONTEXT_NEW && action->tag == MARKUP_RESET) {
		markup_render_raw(m, node);
	} else if (action->outcome == CONTEXT_NEW) {
		module_line_print_module(&m->out, action->module);
		if (action->tag == MARKUP_MODULE) {
			module_line_print_build_id(&m->out, action->module);
		} else {
			markup_out_string(&m->out, "; adds ");
			module_line_print_range(&m->out, &action->range);
		}
		markup_out_string(&m->out, "]]]");
		markup_out_end_element(&m->out);
	}
}

/* What the scan of a line found. */
struct shape {
	size_t contextual;
	bool mixed;    /* there is something else than a prefix */
	size_t prefix; /* where the first contextual element begins */
};

static struct shape shape_of(struct cairn_markup *m)
{
	struct markup in = markup_open(m->line, MARKUP_KEEP);
	struct shape shape = { .mixed = m->continued };
	struct markup_node node;

	for (m->nodes = 0; markup_next(&in, &node); m->nodes++) {
		if (m->nodes < MARKUP_NODES)
			m->node[m->nodes] = node;
		if (markup_is_context(&node)) {
			if (shape.contextual++ == 0)
				shape.prefix = (size_t)(node.text.data - m->line.data);
		} else if (node.kind == MARKUP_ELEMENT || node.kind == MARKUP_OPEN) {
			shape.mixed = true;
		} else if (node.kind == MARKUP_TEXT && shape.contextual > 0) {
			shape.mixed = shape.mixed || !is_blank_text(node.text);
		}
	}
	return shape;
}

/* All contextual elements of the line; true when each of them is good. */
static bool apply_all(struct cairn_markup *m)
{
	struct markup in = markup_open(m->line, MARKUP_KEEP);
	struct markup_node node;
	bool good = true;

	m->actions = 0;
	while (markup_next(&in, &node)) {
		if (!markup_is_context(&node))
			continue;
		if (!array_grow(&m->action, &m->action_room, m->actions + 1, sizeof(*m->action))) {
			m->no_memory = true;
			return false;
		}
		apply_element(m, &node, &m->action[m->actions]);
		good = good && m->action[m->actions++].outcome != CONTEXT_REJECTED;
	}
	return good;
}

/* Without `applied` a contextual element counts only now. */
static void show_node(struct cairn_markup *m, const struct markup_node *node, bool applied,
                      size_t *at)
{
	struct context_action action;

	if (!markup_is_context(node)) {
		markup_render(m, node);
		return;
	}
	if (applied && *at < m->actions)
		action = m->action[(*at)++];
	else
		apply_element(m, node, &action);
	show_in_place(m, node, &action);
}

/* Every node of the line in its place; few of them are still there from the scan. */
static void show_mixed(struct cairn_markup *m, bool applied)
{
	struct markup_node node;
	size_t at = 0;

	if (m->nodes <= MARKUP_NODES) {
		for (size_t i = 0; i < m->nodes; i++)
			show_node(m, &m->node[i], applied, &at);
		return;
	}
	struct markup in = markup_open(m->line, MARKUP_KEEP);
	while (markup_next(&in, &node))
		show_node(m, &node, applied, &at);
}

/* Is there something to read in front of the first contextual element?  A colour is not. */
static bool has_visible_prefix(const struct cairn_markup *m)
{
	struct markup in = markup_open(m->line, MARKUP_KEEP);
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		if (node.kind == MARKUP_TEXT && !is_blank_text(node.text))
			return true;
	return false;
}

/* A line of nothing but context, all of it good. */
static void show_pure(struct cairn_markup *m, size_t prefix_size)
{
	struct markup in = markup_open(m->line, MARKUP_KEEP);
	struct cairn_bytes prefix = { m->line.data, prefix_size };
	uint64_t hash = prefix_hash(prefix);
	struct markup_node node;
	bool silent = true;
	size_t at = 0;

	while (markup_next(&in, &node) && at < m->actions) {
		if (!markup_is_context(&node))
			continue;
		silent = silent && m->action[at].outcome == CONTEXT_KNOWN;
		show_alone(m, &node, &m->action[at++], hash);
	}
	if (silent && hash != m->last_prefix && has_visible_prefix(m)) {
		markup_end_module_line(m);
		module_line_print_beginning(m);
		markup_end_line(m);
	}
	m->last_prefix = hash;
}

/* llvm-symbolizer's way: the first contextual element takes the line. */
static void follow_llvm(struct cairn_markup *m, bool is_whole)
{
	struct markup in = markup_open(m->line, MARKUP_LLVM);
	struct context_action action;
	struct markup_node node;

	while (markup_next(&in, &node)) {
		if (!markup_is_context(&node))
			continue;
		if (node.tag != MARKUP_RESET) {
			apply_element(m, &node, &action);
			show_alone(m, &node, &action, 0);
		} else if (!markup_context_is_empty(&m->own)) {
			/* what stands before it is still said of the old modules */
			action = (struct context_action){
				MARKUP_RESET, CONTEXT_NEW, NULL, { 0, 0, 0 }
			};
			show_alone(m, &node, &action, 0);
			apply_element(m, &node, &action);
		}
		m->skip = true;
		return;
	}
	markup_end_module_line(m);
	in = markup_open(m->line, MARKUP_LLVM);
	while (markup_next(&in, &node))
		markup_render(m, &node);
	if (is_whole)
		markup_out_string(&m->out, "\n");
}

void markup_process_line(struct cairn_markup *m, bool is_whole)
{
	if (markup_is_llvm(m)) {
		follow_llvm(m, is_whole);
		return;
	}
	struct shape shape = shape_of(m);
	/* an observer is told of everything in the order of the line */
	bool mixed = shape.mixed || !is_whole || m->observer.every_text;
	if (shape.contextual > 0 && !mixed && apply_all(m)) {
		show_pure(m, shape.prefix);
		return;
	}
	markup_end_module_line(m);
	show_mixed(m, shape.contextual > 0 && !mixed);
	if (is_whole)
		markup_out_string(&m->out, "\n");
}
