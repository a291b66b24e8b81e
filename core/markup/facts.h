/* SPDX-License-Identifier: MIT */
/*
 * The facts about one element of the log: what resolvers fill in, renderers write, and observers get.
 *
 * All that a fact points to is borrowed: from the line, from the context and from the cache of
 * answers. It stays good until the next element is resolved.
 */
#ifndef CAIRN_MARKUP_FACTS_H
#define CAIRN_MARKUP_FACTS_H

#include "answer_cache.h"
#include "context.h"

#include "formats/captured_text/captured_text.h"
#include "formats/markup/markup.h"

/* What facts are about. */
enum markup_event_kind {
	EVENT_TEXT,     /* what is not an element, without the end of the line */
	EVENT_COLOUR,   /* of the log */
	EVENT_LINE_END, /* after the last facts of a line */
	EVENT_SYMBOL,
	EVENT_PC,
	EVENT_DATA,
	EVENT_BT,
	EVENT_VALUE, /* of a hexdict, in a mapping */
	EVENT_DUMPFILE,
	EVENT_RESET,
	EVENT_MODULE,
	EVENT_MMAP,
	EVENT_UNKNOWN, /* an element whose tag is not known */
	EVENT_INVALID, /* one that cannot be used */
	EVENT_REPORT,  /* a frame without markup */
};

/* What is known of an address; `module` is NULL when no mapping covers it. */
struct markup_resolved_address {
	uint64_t pc; /* looked up */
	uint64_t relative;
	const struct context_module *module;
	unsigned mode; /* of the mapping */
};

/* The addresses of a mapping, as the line of its module shows them. */
struct module_line_range {
	uint64_t start, size;
	unsigned mode;
};

/* What a module, mmap or reset did to the context. */
struct context_action {
	enum markup_tag tag;
	enum context_outcome outcome;
	const struct context_module *module;
	struct module_line_range range;
};

struct markup_facts {
	enum markup_event_kind kind;
	uint64_t line, column; /* as observers get them */
	const struct markup_node
		*node;           /* the token; NULL for a text, a value of a hexdict and a REPORT */
	struct cairn_bytes text; /* as it is in the log; of a value its key */
	struct markup_fault
		problem; /* why it is refused, or has no place; `what` is NULL for none */

	struct markup_frame frame; /* of a PC, DATA, BT and REPORT */
	uint64_t value;            /* of a VALUE */
	struct markup_resolved_address place;
	const struct cached_answer *known; /* the chain of calls at the place; NULL: not asked */
	bool has_data;                     /* of a DATA: the host knows variables of the module */
	struct cairn_bytes name;           /* of a symbol or variable, readable */
	uint64_t offset;                   /* in the variable */

	struct context_action context; /* of a MODULE, MMAP and RESET */
	const struct context_mapping *mapping;
	const struct captured_frame *captured; /* of a REPORT */

	/* If a BT has inlined calls: the tokens before the first element of its line. */
	const struct markup_node *prefix;
	size_t prefix_nodes;
};

static inline bool markup_facts_have_frame(const struct markup_facts *facts)
{
	return facts->kind == EVENT_PC || facts->kind == EVENT_DATA || facts->kind == EVENT_BT ||
	       facts->kind == EVENT_REPORT;
}

#endif
