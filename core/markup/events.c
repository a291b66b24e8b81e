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

static void emit_event(const struct markup_reporter *reporter, struct markup_event *event)
{
	event->line = reporter->position.lines + 1;
	event->column = column_of(&reporter->position, event->text.data);
	reporter->observer.take(reporter->observer.context, event);
}

void markup_emit_text(const struct markup_reporter *reporter, enum markup_event_kind kind,
                      struct cairn_bytes text)
{
	struct markup_event event = { .kind = kind, .text = text };

	emit_event(reporter, &event);
}

static bool has_frame(enum markup_event_kind kind)
{
	return kind == EVENT_PC || kind == EVENT_DATA || kind == EVENT_BT || kind == EVENT_REPORT;
}

static void emit_facts_event(const struct markup_reporter *reporter,
                             const struct markup_facts *facts)
{
	struct markup_event event = {
		.kind = facts->kind,
		.text = facts->text,
		.node = facts->node,
		.frame = has_frame(facts->kind) ? &facts->frame : NULL,
		.captured = facts->captured,
		.place = facts->place,
		.known = facts->known,
		.name = facts->name,
		.offset = facts->offset,
		.value = facts->value,
		.module = facts->context.module,
		.mapping = facts->mapping,
		.outcome = facts->context.outcome,
		.what = facts->kind == EVENT_INVALID ? facts->problem.what : NULL,
	};

	emit_event(reporter, &event);
}

void markup_report_facts(const struct markup_reporter *reporter, const struct markup_facts *facts)
{
	if (facts->problem.what)
		markup_report_problem(reporter, &facts->problem);
	if (reporter->observer.take)
		emit_facts_event(reporter, facts);
}
