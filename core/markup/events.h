/* SPDX-License-Identifier: MIT */
/*
 * Passes the facts about a log on to an observer, in the order of the log, for JSON and for files of dumps; and the
 * problems with its elements, as complaints.
 */
#ifndef CAIRN_MARKUP_EVENTS_H
#define CAIRN_MARKUP_EVENTS_H

#include "facts.h"

struct markup_observer {
	void *context;
	bool every_text; /* also text on lines without elements */
	bool instead;    /* nothing is written */
	void (*take)(void *context, const struct markup_facts *facts);
	/*
	 * With `every_text`: complete lines without elements, the first of which has the number `first`, in the
	 * place of their facts.  Returns how many there are.  NULL: these go to take().
	 */
	uint64_t (*take_lines)(void *context, uint64_t first, struct cairn_bytes lines);
};

/* Where in the log the filter is. */
struct markup_position {
	uint64_t lines;          /* that are complete */
	struct cairn_bytes line; /* the part that is being read, without its line feed */
	size_t offset;           /* where in the line this part begins */
};

/* Receives facts and complaints, and knows the position that these name. */
struct markup_reporter {
	const struct cairn_markup_host *host;
	struct markup_observer observer;
	struct markup_position position;
};

/* The problem, if there is one, as a complaint, and then the facts, which get their position. */
void markup_report_facts(const struct markup_reporter *reporter, struct markup_facts *facts);

/* Facts of nothing but a text, or of the end of a line. */
static inline void markup_report_text(const struct markup_reporter *reporter,
                                      enum markup_event_kind kind, struct cairn_bytes text)
{
	if (reporter->observer.take)
		markup_report_facts(reporter, &(struct markup_facts){ .kind = kind, .text = text });
}

void markup_report_problem(const struct markup_reporter *reporter,
                           const struct markup_fault *problem);

#endif
