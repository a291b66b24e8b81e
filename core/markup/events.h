/* SPDX-License-Identifier: MIT */
/*
 * The facts about a log as events, in the order of the log, for JSON and for files of dumps; and the
 * problems with its elements, as complaints.
 */
#ifndef CAIRN_MARKUP_EVENTS_H
#define CAIRN_MARKUP_EVENTS_H

#include "facts.h"

struct markup_event {
	enum markup_event_kind kind;
	uint64_t line, column;
	struct cairn_bytes text;
	const struct markup_node *node; /* NULL for text */
	const struct markup_frame *frame;
	const struct captured_frame *captured; /* of a REPORT */
	struct markup_resolved_address place;
	const struct cached_answer *known; /* NULL: not asked */
	struct cairn_bytes name; /* of a symbol or variable, readable; the key of a value */
	uint64_t offset;         /* in the variable */
	uint64_t value;          /* of a hexdict */
	const struct context_module *module;
	const struct context_mapping *mapping;
	enum context_outcome outcome; /* of a module or mapping */
	const char *what;             /* is wrong */
};

struct markup_observer {
	void *context;
	bool every_text; /* also text on lines without elements */
	bool instead;    /* nothing is written */
	void (*take)(void *context, const struct markup_event *event);
	/*
	 * With `every_text`: complete lines without elements, the first of which has the number `first`, in the
	 * place of their events.  Returns how many there are.  NULL: their events go to take().
	 */
	uint64_t (*take_lines)(void *context, uint64_t first, struct cairn_bytes lines);
};

/* Where in the log the filter is. */
struct markup_position {
	uint64_t lines;          /* that are complete */
	struct cairn_bytes line; /* the part that is being read, without its line feed */
	size_t offset;           /* where in the line this part begins */
};

/* Receives events and complaints, and knows the position that these name. */
struct markup_reporter {
	const struct cairn_markup_host *host;
	struct markup_observer observer;
	struct markup_position position;
};

/* The problem, if there is one, as a complaint, and then the facts as an event. */
void markup_report_facts(const struct markup_reporter *reporter, const struct markup_facts *facts);

/* An event without facts: of a text, or the end of a line. */
void markup_emit_text(const struct markup_reporter *reporter, enum markup_event_kind kind,
                      struct cairn_bytes text);

static inline void markup_report_text(const struct markup_reporter *reporter,
                                      enum markup_event_kind kind, struct cairn_bytes text)
{
	if (reporter->observer.take)
		markup_emit_text(reporter, kind, text);
}

void markup_report_problem(const struct markup_reporter *reporter,
                           const struct markup_fault *problem);

#endif
