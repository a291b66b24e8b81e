/* SPDX-License-Identifier: MIT */
/*
 * The modules and mappings that a log has defined: one address space.
 *
 * What lines state is checked against what is known: the first one wins, and a contradiction is reported.
 * Memory is bounded: a module or mapping above CONTEXT_BYTES is refused.  The modules that a reset
 * forgets stay readable until markup_context_sweep().
 */
#ifndef CAIRN_MARKUP_CONTEXT_H
#define CAIRN_MARKUP_CONTEXT_H

#include "address_map.h"

#include "formats/markup/markup.h"

enum { MARKUP_CONTEXT_BYTES = 12 << 20 };

struct context_module {
	struct cairn_markup_module told;
	uint64_t serial; /* no other module of this filter has it */
	bool plain;      /* its name is printable ASCII */
	struct context_module *next;
};

struct context_mapping {
	uint64_t start, size, relative;
	const struct context_module *module;
	unsigned mode;
	struct context_mapping *next;
};

struct markup_context {
	enum markup_rules rules;
	struct address_map modules, mappings;
	struct context_module *every_module, *trash;
	struct context_mapping *every_mapping;
	size_t bytes;
	uint64_t serial;
	bool no_memory; /* which is not the limit on bytes */
};

/* What became of an element. */
enum context_outcome {
	CONTEXT_NEW,
	CONTEXT_KNOWN, /* it repeats what is known */
	CONTEXT_REJECTED,
};

/* *found: the module that is meant now, or that was there first. */
enum context_outcome markup_context_module(struct markup_context *context,
                                           const struct markup_module *module,
                                           const struct context_module **found,
                                           struct markup_fault *fault);

/* *found: the mapping, or the one that is in its way; NULL when its module is not known. */
enum context_outcome markup_context_mmap(struct markup_context *context,
                                         const struct markup_mmap *mmap,
                                         const struct context_mapping **found,
                                         struct markup_fault *fault);

/* Is the module's build ID the one of these digits? */
bool markup_context_has_id(const struct context_module *known, struct cairn_bytes digits);

static inline bool markup_context_is_empty(const struct markup_context *context)
{
	return context->modules.count == 0 && context->mappings.count == 0;
}

/* The mapping that covers an address; NULL when none does. */
const struct context_mapping *markup_context_find(const struct markup_context *context,
                                                  uint64_t address);

void markup_context_reset(struct markup_context *context);
void markup_context_sweep(struct markup_context *context);
void markup_context_finish(struct markup_context *context);

#endif
