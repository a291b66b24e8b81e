/* SPDX-License-Identifier: MIT */
/*
 * The inside of struct cairn_markup, the filter for symbolizer markup: tokens, facts, text.
 *
 *	filter.c      text in pieces becomes lines; what needs no look goes through
 *	lines.c       a line becomes tokens (formats/markup), and a line of nothing but context is joined
 *	elements.c    each token goes through the stages
 *	reports.c     so do the frames in text without markup (formats/captured_text)
 *	resolve.c      a token becomes facts (resolver.h, facts.h)
 *	events.c      facts go to an observer, and problems become complaints
 *	host_facts.c  facts become those of cairn.h for the host
 *	render.c       facts become text (renderer.h)
 *
 * Only the first four have the whole filter. A resolver has no text to write to, and a renderer
 * nothing to ask: each sees its own struct, and no header of the other.
 */
#ifndef CAIRN_MARKUP_FILTER_H
#define CAIRN_MARKUP_FILTER_H

#include "events.h"
#include "renderer.h"
#include "resolver.h"

enum { MARKUP_NODES = 8 };

enum { MARKUP_LOCATIONS = 64 }; /* of one address that the host receives */

struct cairn_markup {
	struct cairn_markup_options options;
	struct cairn_markup_host host;
	struct markup_resolver resolver;
	struct markup_reporter reporter;
	struct markup_renderer renderer;
	struct markup_dump dump;
	uint64_t last_prefix; /* of the last line with nothing but context */

	struct markup_node node[MARKUP_NODES]; /* the first ones of the line */
	size_t nodes;                          /* how many it has */
	struct context_action *action;
	size_t actions, action_room;

	struct captured_text captured; /* what the lines before say about frames without markup */
	bool entire;    /* the line is all there, so that such a frame may be in it */
	bool continued; /* there was a part of the line before this one */
	bool skip;      /* the rest of the line is left out */
	bool no_memory; /* outside the resolver, which notes its own */

	uint8_t *carry; /* the beginning of a line */
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

/* Where mappings are looked for. */
static inline struct markup_context *markup_context_of(struct cairn_markup *m)
{
	return resolver_context(&m->resolver);
}

/* host_facts.c */
void markup_observe(struct cairn_markup *m, const struct markup_observer *observer);

/* Let the host observe, if it wants to. */
void markup_observe_for_host(struct cairn_markup *m);

/* lines.c: a line, or a part of one, that is not inside a hexdict. */
void markup_process_line(struct cairn_markup *m, bool is_whole);

/* elements.c: anything but modules, mappings and resets. */
void markup_process_element(struct cairn_markup *m, const struct markup_node *node);

/* Are frames without markup named? */
static inline bool markup_reads_reports(const struct cairn_markup *m)
{
	return m->options.reports && !markup_is_llvm(m);
}

/* reports.c: text that has no facts but itself. */
void markup_process_text(struct cairn_markup *m, struct cairn_bytes text);

/* The same: the text of a whole line, which may have a frame. */
void markup_process_report(struct cairn_markup *m, struct cairn_bytes text);

/* A module, mapping or reset takes effect and is reported; lines.c decides how it is shown. */
struct context_action markup_process_context(struct cairn_markup *m,
                                             const struct markup_node *node);

/* Explains the values of a dump that has ended. */
void markup_process_notes(struct cairn_markup *m);

#endif
