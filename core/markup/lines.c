/* SPDX-License-Identifier: MIT */
/*
 * Processes a line, or a part of a line: first its elements that define modules, mappings and
 * resets, which may replace the whole line, then all its tokens in order.
 *
 * A line that consists of such elements (a "pure" line, perhaps after a prefix such as a time) is
 * replaced by a line that describes its module; the mappings of the lines after it join that line:
 *
 *	[[[ELF module #0x0 "prog"; BuildID=58d7 [0x1000-0x1fff](rx),[0x2000-0x2fff](rw)]]]
 *
 * On any other line each such element is replaced where it is. llvm-symbolizer drops the rest of a
 * line after its first contextual element.
 */
#include "filter.h"

#include "base/memory.h"

/*
 * Hash a prefix so that prefixes are equal if they differ only in numbers and surrounding blanks.
 */
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

static void process_beginning(struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, markup_rules_of(m));
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		markup_process_element(m, &node);
}

static void show_reset(struct cairn_markup *m, const struct markup_node *node)
{
	module_line_end(&m->renderer);
	process_beginning(m);
	markup_render_raw(&m->renderer.out, node);
	markup_render_line_end(&m->renderer);
}

/* Show a contextual element of a pure line, on a line of its own or by joining the open one. */
static void show_alone(struct cairn_markup *m, const struct markup_node *node,
                       const struct context_action *action, uint64_t prefix)
{
	if (action->outcome != CONTEXT_NEW)
		return;
	if (action->tag == MARKUP_RESET) {
		show_reset(m, node);
		return;
	}
	bool is_mapping = action->tag == MARKUP_MMAP;
	if (!is_mapping || !module_line_may_join(&m->renderer, action, prefix)) {
		module_line_end(&m->renderer);
		process_beginning(m);
		module_line_begin(&m->renderer, action, prefix);
	}
	if (is_mapping && !module_line_add_range(&m->renderer, &action->range))
		m->no_memory = true;
}

static void show_in_place(struct cairn_markup *m, const struct markup_node *node,
                          const struct context_action *action)
{
	if (action->outcome == CONTEXT_REJECTED)
		markup_out_text(&m->renderer.out, node->text);
	else if (action->outcome == CONTEXT_NEW && action->tag == MARKUP_RESET)
		markup_render_raw(&m->renderer.out, node);
	else if (action->outcome == CONTEXT_NEW)
		module_line_render_in_place(&m->renderer.out, action);
}

struct shape {
	size_t contextual;
	bool mixed;    /* the line holds more than a prefix and contextual elements */
	size_t prefix; /* offset of the first contextual element */
};

static struct shape shape_of(struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct shape shape = { .mixed = m->continued };
	struct markup_node node;

	for (m->nodes = 0; markup_next(&in, &node); m->nodes++) {
		if (m->nodes < MARKUP_NODES)
			m->node[m->nodes] = node;
		if (markup_is_context(&node)) {
			if (shape.contextual++ == 0)
				shape.prefix =
					(size_t)(node.text.data - m->reporter.position.line.data);
		} else if (node.kind == MARKUP_ELEMENT || node.kind == MARKUP_OPEN) {
			shape.mixed = true;
		} else if (node.kind == MARKUP_TEXT && shape.contextual > 0) {
			shape.mixed = shape.mixed || !is_blank_text(node.text);
		}
	}
	return shape;
}

/* Apply all contextual elements of the line. Return true if none was rejected. */
static bool apply_all(struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
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
		m->action[m->actions] = markup_process_context(m, &node);
		good = good && m->action[m->actions++].outcome != CONTEXT_REJECTED;
	}
	return good;
}

/*
 * Show a node. `applied`: contextual elements took effect in apply_all(), and m->action[*at] is the
 * next one; otherwise they take effect now.
 */
static void show_node(struct cairn_markup *m, const struct markup_node *node, bool applied,
                      size_t *at)
{
	struct context_action action;

	if (!markup_is_context(node)) {
		markup_process_element(m, node);
		return;
	}
	if (applied && *at < m->actions)
		action = m->action[(*at)++];
	else
		action = markup_process_context(m, node);
	show_in_place(m, node, &action);
}

/*
 * Show every node of a mixed line in its place. Parse the line again if it has more nodes than the
 * scan stored.
 */
static void show_mixed(struct cairn_markup *m, bool applied)
{
	struct markup_node node;
	size_t at = 0;

	if (m->nodes <= MARKUP_NODES) {
		for (size_t i = 0; i < m->nodes; i++)
			show_node(m, &m->node[i], applied, &at);
		return;
	}
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	while (markup_next(&in, &node))
		show_node(m, &node, applied, &at);
}

/*
 * Return true if there is visible text before the first contextual element. Color sequences are not
 * visible.
 */
static bool has_visible_prefix(const struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		if (node.kind == MARKUP_TEXT && !is_blank_text(node.text))
			return true;
	return false;
}

/* Show a pure line of which no element was rejected. */
static void show_pure(struct cairn_markup *m, size_t prefix_size)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct cairn_bytes prefix = { m->reporter.position.line.data, prefix_size };
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
	/*
	 * A line that only repeats known context leaves its prefix, unless the previous line had
	 * the same prefix.
	 */
	if (silent && hash != m->last_prefix && has_visible_prefix(m)) {
		module_line_end(&m->renderer);
		process_beginning(m);
		markup_render_line_end(&m->renderer);
	}
	m->last_prefix = hash;
}

/*
 * Process a line as llvm-symbolizer does: its first contextual element replaces the rest of the
 * line.
 */
static void follow_llvm(struct cairn_markup *m, bool is_whole)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_LLVM);
	struct context_action action;
	struct markup_node node;

	while (markup_next(&in, &node)) {
		if (!markup_is_context(&node))
			continue;
		if (node.tag != MARKUP_RESET) {
			action = markup_process_context(m, &node);
			show_alone(m, &node, &action, 0);
		} else if (!markup_context_is_empty(&m->resolver.own)) {
			/* show the text before the reset first: it refers to the old modules */
			action = (struct context_action){
				MARKUP_RESET, CONTEXT_NEW, NULL, { 0, 0, 0 }
			};
			show_alone(m, &node, &action, 0);
			markup_process_context(m, &node);
		}
		m->skip = true;
		return;
	}
	module_line_end(&m->renderer);
	in = markup_open(m->reporter.position.line, MARKUP_LLVM);
	while (markup_next(&in, &node))
		markup_process_element(m, &node);
	if (is_whole)
		markup_out_string(&m->renderer.out, "\n");
}

void markup_process_line(struct cairn_markup *m, bool is_whole)
{
	if (markup_is_llvm(m)) {
		follow_llvm(m, is_whole);
		return;
	}
	struct shape shape = shape_of(m);
	/* an observer must receive everything in the order of the line */
	bool mixed = shape.mixed || !is_whole || m->reporter.observer.every_text;
	if (shape.contextual > 0 && !mixed && apply_all(m)) {
		show_pure(m, shape.prefix);
		return;
	}
	module_line_end(&m->renderer);
	show_mixed(m, shape.contextual > 0 && !mixed);
	if (is_whole)
		markup_out_string(&m->renderer.out, "\n");
}
