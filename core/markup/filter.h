/* SPDX-License-Identifier: MIT */
/*
 * Internals of struct cairn_markup, the filter for symbolizer markup. It splits a log into lines
 * (filter.c), turns tokens into facts (resolve.c), passes facts to an observer and problems to the
 * host, and turns facts into text (render.c). Resolvers cannot write text, and renderers cannot
 * look up symbols: each has its own struct and does not include the other's header.
 */
#ifndef CAIRN_MARKUP_FILTER_H
#define CAIRN_MARKUP_FILTER_H

#include "facts.h"
#include "renderer.h"
#include "resolver.h"

/*
 * An observer receives facts about a log in file order. Problems with elements are reported to the
 * host as complaints.
 */
struct markup_observer {
	void *context;
	bool every_text;
	bool instead; /* suppress the filter's own output */
	void (*take)(void *context, const struct markup_facts *facts);
	/*
	 * Called instead of take() for complete lines without elements, if `every_text` is set.
	 * `first` is the number of the first line. Returns the number of lines. If NULL, such lines
	 * are passed to take(), too.
	 */
	uint64_t (*take_lines)(void *context, uint64_t first, struct cairn_bytes lines);
};

struct markup_position {
	uint64_t lines;
	struct cairn_bytes line; /* part of the current line, without its line feed */
	size_t offset;
};

struct markup_reporter {
	const struct cairn_markup_host *host;
	struct markup_observer observer;
	struct markup_position position;
};

/*
 * Set the position of the facts and pass them to the observer. If they contain a problem, send a
 * complaint to the host first.
 */
void markup_report_facts(const struct markup_reporter *reporter, struct markup_facts *facts);

static inline void markup_report_text(const struct markup_reporter *reporter,
                                      enum markup_event_kind kind, struct cairn_bytes text)
{
	if (reporter->observer.take)
		markup_report_facts(reporter, &(struct markup_facts){ .kind = kind, .text = text });
}

/*
 * Limits for held lines. The lines of a Swift report are held until its list of images has been
 * read, because that list is at the end and locates the frames before it.
 */
enum {
	/* maximum size of a held report in bytes; longer reports are processed in parts */
	MARKUP_HELD_MAX = 1 << 20,
	/* maximum number of consecutive unrelated lines within a report */
	MARKUP_HELD_OTHERS = 64,
	MARKUP_HELD_IMAGES = 4096,
};

struct markup_held_image {
	struct cairn_range pcs;
	struct cairn_bytes path, id;
};

struct markup_held {
	bool open, listed; /* `open`: lines are held; `listed`: the list of images has begun */
	unsigned others;
	uint8_t *bytes;
	size_t size, capacity;
	/* parser state after the held lines, for frames without markup */
	struct captured_text text;
	/*
	 * images listed in the lines being processed; their strings point into a copy of the lines
	 * without color sequences
	 */
	struct markup_held_image *image;
	size_t images, image_capacity;
};

enum { MARKUP_NODES = 8 };

enum { MARKUP_LOCATIONS = 64 };

struct cairn_markup {
	struct cairn_markup_options options;
	struct cairn_markup_host host;
	struct markup_resolver resolver;
	struct markup_reporter reporter;
	struct markup_renderer renderer;
	struct markup_dump dump;
	/* prefix_hash() of the last line that contained only contextual elements */
	uint64_t last_prefix;

	struct markup_node node[MARKUP_NODES];
	size_t nodes;
	struct context_action *action;
	size_t actions, action_capacity;

	struct captured_text captured;
	struct markup_held held;
	bool entire;    /* the line is complete, so it may contain a frame without markup */
	bool continued; /* an earlier part of this line has been processed */
	bool skip;
	bool no_memory; /* an allocation failed outside the resolver, which has its own flag */

	uint8_t *carry;
	size_t carried, carry_capacity;
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

static inline bool markup_reads_reports(const struct cairn_markup *m)
{
	return m->options.reports && !markup_is_llvm(m);
}

#endif
