/* SPDX-License-Identifier: MIT */
/*
 * Resolvers turn a token into facts: they ask the context, the cache of answers and the host. None
 * of them has text to write to, and none reports anything; a problem is one of the facts.
 */
#ifndef CAIRN_MARKUP_RESOLVER_H
#define CAIRN_MARKUP_RESOLVER_H

#include "markup/facts.h"
#include "named_modules.h"

struct markup_resolver {
	const struct cairn_markup_options *options;
	const struct cairn_markup_host *host;
	struct markup_context own, lent;   /* what the log defines, and what the host lent */
	struct markup_named_modules named; /* that frames without markup name */
	enum captured_pc report_pc; /* what the address is of that for which the host is asked */
	struct markup_cache cache;
	bool no_memory;
};

/* A value of a hexdict that is in a module. */
struct hexdict_note {
	uint8_t key[MARKUP_KEY_MAX];
	size_t key_size;
	uint64_t value;
	struct markup_resolved_address place;
};

enum { MARKUP_NOTES = 4096 }; /* for one dump; beyond them there is one complaint */

/* The dump of a hexdict, which may extend over several lines. */
struct markup_dump {
	struct markup_pairs pairs;
	bool open;           /* it goes on with the next line */
	bool too_many_notes; /* some are left out */
	struct hexdict_note *note;
	size_t notes, room;
};

static inline bool resolver_is_llvm(const struct markup_resolver *resolver)
{
	return resolver->options->style == CAIRN_MARKUP_LLVM;
}

/* Where mappings are looked for: what the log defines, else what the host lent. */
static inline struct markup_context *resolver_context(struct markup_resolver *resolver)
{
	return markup_context_is_empty(&resolver->own) ? &resolver->lent : &resolver->own;
}

/* Frees what it holds. */
void markup_resolver_finish(struct markup_resolver *resolver);

/* Any node but a module, mmap and reset. */
void markup_resolve_element(struct markup_resolver *resolver, const struct markup_node *node,
                            struct markup_facts *facts);

/* A module, mmap or reset: it takes effect. */
void markup_resolve_context(struct markup_resolver *resolver, const struct markup_node *node,
                            struct markup_facts *facts);

/* A frame without markup, in the place that it names, or else at its address. */
void markup_resolve_report(struct markup_resolver *resolver, const struct captured_frame *frame,
                           struct markup_facts *facts);

/* A hexdict, or the beginning of one. */
void markup_dump_begin(struct markup_resolver *resolver, struct markup_dump *dump,
                       const struct markup_node *node);

/* The beginning of a line inside a dump: how much of it belongs to the dump. */
size_t markup_dump_continue(struct markup_resolver *resolver, struct markup_dump *dump,
                            struct cairn_bytes line);

void markup_resolve_note(struct markup_resolver *resolver, const struct hexdict_note *note,
                         struct markup_facts *facts);

/* As cairn_markup_add_host_module(), with what is allowed there (MARKUP_READ ...). */
bool resolver_add_host_module(struct markup_resolver *resolver,
                              const struct cairn_markup_module *module,
                              const struct cairn_range *pcs, uint64_t va, unsigned mode);

#endif
