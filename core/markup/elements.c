/* SPDX-License-Identifier: MIT */
/* Takes each token of a line through the stages: resolve, report, render. */
#include "filter.h"

/* Bytes. Longer prefixes are not repeated, because a line may hold many frames. */
enum { PREFIX_MAX = 1024 };

/* Return the number of nodes before the first element of the line; 0 if there are too many. */
static size_t count_prefix_nodes(const struct cairn_markup *m)
{
	size_t size = 0, at = 0;

	while (at < m->nodes && at < MARKUP_NODES && m->node[at].kind != MARKUP_ELEMENT)
		size += m->node[at++].text.size;
	return at < m->nodes && at < MARKUP_NODES && size <= PREFIX_MAX ? at : 0;
}

static void add_prefix(const struct cairn_markup *m, struct markup_facts *facts)
{
	bool wanted = m->options.repeat_prefix || m->options.style == CAIRN_MARKUP_FUCHSIA;

	if (!wanted || m->continued || markup_is_llvm(m))
		return;
	facts->prefix = m->node;
	facts->prefix_nodes = count_prefix_nodes(m);
}

static bool is_dump(const struct markup_node *node)
{
	return node->kind == MARKUP_OPEN ||
	       (node->kind == MARKUP_ELEMENT && node->tag == MARKUP_HEXDICT);
}

static void process_known_tag(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_facts facts;

	markup_resolve_element(&m->resolver, node, &facts);
	if (facts.kind == EVENT_BT && facts.known && facts.known->count > 1)
		add_prefix(m, &facts);
	markup_report_facts(&m->reporter, &facts);
	markup_render_element(&m->renderer, &facts);
	if (is_dump(node) && !markup_is_llvm(m))
		markup_dump_begin(&m->resolver, &m->dump, node);
}

void markup_process_element(struct cairn_markup *m, const struct markup_node *node)
{
	if (node->kind == MARKUP_TEXT && m->entire && markup_reads_reports(m))
		markup_process_report(m, node->text);
	else if (node->kind == MARKUP_TEXT)
		markup_process_text(m, node->text);
	else if (node->kind == MARKUP_BAD_TAG)
		markup_report_problem(&m->reporter,
		                      &(struct markup_fault){ "tags have lower-case letters only",
		                                              node->name, node->name.data });
	else
		process_known_tag(m, node);
}

struct context_action markup_process_context(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_facts facts;

	markup_resolve_context(&m->resolver, node, &facts);
	markup_report_facts(&m->reporter, &facts);
	return facts.context;
}

void markup_process_notes(struct cairn_markup *m)
{
	struct cairn_bytes line = m->reporter.position.line;
	const struct markup_fault too_many = { "not all values of this dump are explained",
		                               { line.data, 0 },
		                               line.data };
	struct markup_facts facts;

	for (size_t i = 0; i < m->dump.notes; i++) {
		markup_resolve_note(&m->resolver, &m->dump.note[i], &facts);
		markup_report_facts(&m->reporter, &facts);
		markup_render_note(&m->renderer, &facts);
	}
	m->dump.notes = 0;
	if (m->dump.too_many_notes)
		markup_report_problem(&m->reporter, &too_many);
	m->dump.too_many_notes = false;
}
