/* SPDX-License-Identifier: MIT */
/* Applies modules, mappings and resets to the context, and returns what became of them. */
#include "resolver.h"

static enum context_outcome apply_mmap(struct markup_resolver *r, struct markup_facts *facts)
{
	struct markup_mmap mmap;

	if (!markup_read_mmap(facts->node, &mmap, &facts->problem))
		return CONTEXT_REJECTED;
	enum context_outcome outcome =
		markup_context_mmap(&r->own, &mmap, &facts->mapping, &facts->problem);
	if (facts->mapping) {
		const struct context_mapping *known = facts->mapping;
		facts->context.module = known->module;
		facts->context.range =
			(struct module_line_range){ known->start, known->size, known->mode };
		if (outcome == CONTEXT_REJECTED)
			facts->problem.found = known->module->told.name;
	}
	return outcome;
}

static enum context_outcome apply_module(struct markup_resolver *r, struct markup_facts *facts)
{
	struct markup_module module;

	if (!markup_read_module(facts->node, &module, &facts->problem))
		return CONTEXT_REJECTED;
	return markup_context_module(&r->own, &module, &facts->context.module, &facts->problem);
}

void markup_resolve_context(struct markup_resolver *r, const struct markup_node *node,
                            struct markup_facts *facts)
{
	*facts = (struct markup_facts){ .node = node,
		                        .text = node->text,
		                        .context = { .tag = node->tag } };
	if (node->tag == MARKUP_RESET) {
		facts->kind = EVENT_RESET;
		facts->context.outcome =
			markup_context_is_empty(&r->own) ? CONTEXT_KNOWN : CONTEXT_NEW;
		markup_context_reset(&r->own);
	} else if (node->tag == MARKUP_MMAP) {
		facts->kind = EVENT_MMAP;
		facts->context.outcome = apply_mmap(r, facts);
	} else {
		facts->kind = EVENT_MODULE;
		facts->context.outcome = apply_module(r, facts);
	}
	if (facts->context.outcome == CONTEXT_REJECTED)
		facts->kind = EVENT_INVALID;
}
