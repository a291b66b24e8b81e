/* SPDX-License-Identifier: MIT */
/*
 * Internals of struct cairn_markup, the filter for symbolizer markup: tokens, facts, text.
 *
 *	filter.c      splits text into lines; copies lines without markup in bulk
 *	lines.c       splits a line into tokens (formats/markup); joins lines that only define context
 *	elements.c    takes each token through the stages
 *	reports.c     does the same for frames in text without markup (formats/captured_text)
 *	resolve.c     turns tokens into facts (resolver.h, facts.h)
 *	events.c      passes facts to an observer and problems to the host
 *	host_facts.c  converts facts to the types of cairn.h
 *	render.c      turns facts into text (renderer.h)
 *
 * Only the first four see the whole filter. Resolvers cannot write text, and renderers cannot look
 * anything up: each has its own struct and does not include the header of the other.
 */
#ifndef CAIRN_MARKUP_FILTER_H
#define CAIRN_MARKUP_FILTER_H

#include "events.h"
#include "renderer.h"
#include "resolver.h"

enum { MARKUP_NODES = 8 };

enum { MARKUP_LOCATIONS = 64 };

struct cairn_markup {
	struct cairn_markup_options options;
	struct cairn_markup_host host;
	struct markup_resolver resolver;
	struct markup_reporter reporter;
	struct markup_renderer renderer;
	struct markup_dump dump;
	uint64_t last_prefix; /* prefix_hash() of the last line that only defined context */

	struct markup_node node[MARKUP_NODES];
	size_t nodes;
	struct context_action *action;
	size_t actions, action_room;

	struct captured_text captured; /* reader state for frames without markup */
	bool entire;    /* the line is complete, so it may hold a frame without markup */
	bool continued; /* an earlier part of this line was processed */
	bool skip;      /* discard the rest of the line */
	bool no_memory; /* an allocation failed outside the resolver, which has its own flag */

	uint8_t *carry; /* beginning of an unfinished line */
	size_t carried, carry_room;
};

static inline bool markup_is_llvm(const struct cairn_markup *m)
{
	return m->options.style == CAIRN_MARKUP_LLVM ||
	       m->options.style == CAIRN_MARKUP_LLVM_TERMINAL;
}

static inline enum markup_rules markup_rules_of(const struct cairn_markup *m)
{
	return markup_is_llvm(m) ? MARKUP_LLVM : MARKUP_KEEP;
}

static inline struct markup_context *markup_context_of(struct cairn_markup *m)
{
	return resolver_context(&m->resolver);
}

void markup_observe(struct cairn_markup *m, const struct markup_observer *observer);

void markup_observe_for_host(struct cairn_markup *m);

/* Process a line or a part of one, outside of hexdicts (lines.c). */
void markup_process_line(struct cairn_markup *m, bool is_whole);

/* Process any element other than a module, mmap or reset (elements.c). */
void markup_process_element(struct cairn_markup *m, const struct markup_node *node);

static inline bool markup_reads_reports(const struct cairn_markup *m)
{
	return m->options.reports && !markup_is_llvm(m);
}

/* Copy text and report it (reports.c). */
void markup_process_text(struct cairn_markup *m, struct cairn_bytes text);

/* Process the text of a whole line, which may hold a frame without markup (reports.c). */
void markup_process_report(struct cairn_markup *m, struct cairn_bytes text);

/* Apply and report a module, mmap or reset element; lines.c decides how it is shown. */
struct context_action markup_process_context(struct cairn_markup *m,
                                             const struct markup_node *node);

void markup_process_notes(struct cairn_markup *m);

#endif
