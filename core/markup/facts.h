/* SPDX-License-Identifier: MIT */
/*
 * The facts about one element of the log. Resolvers set them; renderers and observers read them.
 *
 * Pointers are borrowed from the line, the context and the cache of symbolization results, and
 * valid until the next element is resolved.
 */
#ifndef CAIRN_MARKUP_FACTS_H
#define CAIRN_MARKUP_FACTS_H

#include "context.h"

#include "formats/captured_text.h"
#include "formats/markup.h"

enum markup_event_kind {
	EVENT_TEXT,
	EVENT_COLOUR,
	EVENT_LINE_END, /* sent after the last facts of a line */
	EVENT_SYMBOL,
	EVENT_PC,
	EVENT_DATA,
	EVENT_BT,
	EVENT_VALUE, /* value in a hexdict that is an address in a mapping */
	EVENT_DUMPFILE,
	EVENT_RESET,
	EVENT_MODULE,
	EVENT_MMAP,
	EVENT_UNKNOWN,
	EVENT_INVALID,
	EVENT_REPORT, /* frame of a backtrace in plain text, without markup */
};

/*
 * An address and the module whose mapping contains it. `module` is NULL if no mapping contains the
 * address.
 */
struct markup_resolved_address {
	uint64_t pc;
	uint64_t relative;
	const struct context_module *module;
	unsigned mode;
};

struct module_line_range {
	uint64_t start, size;
	unsigned mode;
};

struct context_action {
	enum markup_tag tag;
	enum context_outcome outcome;
	const struct context_module *module;
	struct module_line_range range;
};

struct markup_facts {
	enum markup_event_kind kind;
	uint64_t line, column;
	const struct markup_node *node; /* token of the element; NULL for text, VALUE and REPORT */
	/* element or other text as in the log; for a VALUE, its key */
	struct cairn_bytes text;
	/*
	 * Reason why the element is rejected or its address is unknown. `what` is NULL if there is
	 * no problem.
	 */
	struct markup_fault problem;

	struct markup_frame frame; /* set for PC, DATA, BT and REPORT */
	uint64_t value;
	struct markup_resolved_address place;
	/* frames at `place`; NULL if the host has not been queried */
	const struct cached_answer *known;
	bool has_data;
	struct cairn_bytes name; /* demangled name of a symbol or variable */
	uint64_t offset;

	struct context_action context; /* set for MODULE, MMAP and RESET */
	const struct context_mapping *mapping;
	const struct captured_frame *captured;

	/* tokens before the line's first element, set for a BT with inlined calls */
	const struct markup_node *prefix;
	size_t prefix_nodes;
};

static inline bool markup_facts_have_frame(const struct markup_facts *facts)
{
	return facts->kind == EVENT_PC || facts->kind == EVENT_DATA || facts->kind == EVENT_BT ||
	       facts->kind == EVENT_REPORT;
}

#endif
