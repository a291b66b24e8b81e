/* SPDX-License-Identifier: MIT */
/* Reports the facts about each element of a log to an observer, and problems to the host. */
#include "events.h"

static uint64_t column_of(const struct markup_position *position, const uint8_t *where)
{
	const struct cairn_bytes *line = &position->line;
	bool inside = where >= line->data && where <= line->data + line->size;

	return position->offset + (inside ? (uint64_t)(where - line->data) : 0) + 1;
}

void markup_report_problem(const struct markup_reporter *reporter,
                           const struct markup_fault *problem)
{
	const struct cairn_markup_host *host = reporter->host;
	const struct markup_position *position = &reporter->position;

	if (host->complain)
		host->complain(host->context, position->lines + 1,
		               column_of(position, problem->where), problem->what, problem->found);
}

void markup_report_facts(const struct markup_reporter *reporter, struct markup_facts *facts)
{
	if (facts->problem.what)
		markup_report_problem(reporter, &facts->problem);
	if (!reporter->observer.take)
		return;
	facts->line = reporter->position.lines + 1;
	facts->column = column_of(&reporter->position, facts->text.data);
	reporter->observer.take(reporter->observer.context, facts);
}
