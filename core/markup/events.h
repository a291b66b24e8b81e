/* SPDX-License-Identifier: MIT */
/*
 * Reports facts about a log to an observer, in the order of the log, and problems with its elements
 * to the host as complaints.
 */
#ifndef CAIRN_MARKUP_EVENTS_H
#define CAIRN_MARKUP_EVENTS_H

#include "facts.h"

struct markup_observer {
	void *context;
	bool every_text;
	bool instead; /* suppress the filter's own output */
	void (*take)(void *context, const struct markup_facts *facts);
	/*
	 * Called instead of take() for complete lines without elements, if `every_text` is set.
	 * `first` is the number of the first line. Returns the number of lines. NULL: such lines go
	 * to take().
	 */
	uint64_t (*take_lines)(void *context, uint64_t first, struct cairn_bytes lines);
};

struct markup_position {
	uint64_t lines;          /* number of complete lines */
	struct cairn_bytes line; /* part of the line that is being read, without its line feed */
	size_t offset;
};

struct markup_reporter {
	const struct cairn_markup_host *host;
	struct markup_observer observer;
	struct markup_position position;
};

/*
 * Set the position of the facts and pass them to the observer, after a complaint about their
 * problem if they have one.
 */
void markup_report_facts(const struct markup_reporter *reporter, struct markup_facts *facts);

static inline void markup_report_text(const struct markup_reporter *reporter,
                                      enum markup_event_kind kind, struct cairn_bytes text)
{
	if (reporter->observer.take)
		markup_report_facts(reporter, &(struct markup_facts){ .kind = kind, .text = text });
}

void markup_report_problem(const struct markup_reporter *reporter,
                           const struct markup_fault *problem);

#endif
