/* SPDX-License-Identifier: MIT */
/* Converts the facts that an observer gets to facts of cairn.h, for a host. */
#include "filter.h"

static void copy_frame_to_fact(const struct markup_facts *facts, struct cairn_markup_fact *fact)
{
	static const char *const kinds[] = {
		[MARKUP_PC_UNSPECIFIED] = "unknown",
		[MARKUP_PC_RETURN] = "ra",
		[MARKUP_PC_EXACT] = "pc",
	};

	fact->number = facts->frame.number;
	fact->address = facts->frame.address;
	fact->lookup = facts->place.pc;
	fact->message = facts->frame.message;
	if (facts->kind != EVENT_DATA)
		fact->pc = kinds[facts->frame.kind];
}

static void copy_mapping_to_fact(const struct context_mapping *mapping,
                                 struct cairn_markup_fact *fact)
{
	fact->start = mapping->start;
	fact->size = mapping->size;
	fact->va = mapping->relative;
	fact->read = mapping->mode & MARKUP_READ;
	fact->write = mapping->mode & MARKUP_WRITE;
	fact->execute = mapping->mode & MARKUP_EXECUTE;
}

static size_t copy_known_locations(const struct cached_answer *known,
                                   struct cairn_location *locations)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	size_t count = known->count < MARKUP_LOCATIONS ? known->count : MARKUP_LOCATIONS;

	for (size_t i = 0; i < count; i++) {
		const struct cached_frame *f = &known->frame[i];
		locations[i] = (struct cairn_location){ .function = f->function,
			                                .directory = none,
			                                .file = f->file,
			                                .line = f->line,
			                                .column = f->column,
			                                .inlined = f->inlined };
	}
	return count;
}

static enum cairn_markup_kind kind_of(enum markup_event_kind kind)
{
	static const enum cairn_markup_kind kinds[] = {
		[EVENT_TEXT] = CAIRN_MARKUP_TEXT,       [EVENT_COLOUR] = CAIRN_MARKUP_COLOUR,
		[EVENT_SYMBOL] = CAIRN_MARKUP_SYMBOL,   [EVENT_PC] = CAIRN_MARKUP_PC,
		[EVENT_DATA] = CAIRN_MARKUP_DATA,       [EVENT_BT] = CAIRN_MARKUP_BT,
		[EVENT_VALUE] = CAIRN_MARKUP_VALUE,     [EVENT_DUMPFILE] = CAIRN_MARKUP_DUMPFILE,
		[EVENT_RESET] = CAIRN_MARKUP_RESET,     [EVENT_MODULE] = CAIRN_MARKUP_MODULE,
		[EVENT_MMAP] = CAIRN_MARKUP_MMAP,       [EVENT_UNKNOWN] = CAIRN_MARKUP_UNKNOWN,
		[EVENT_INVALID] = CAIRN_MARKUP_INVALID, [EVENT_REPORT] = CAIRN_MARKUP_REPORT,
	};

	return kinds[kind];
}

static void report_fact_to_host(void *context, const struct markup_facts *facts)
{
	struct cairn_markup *m = context;
	struct cairn_location locations[MARKUP_LOCATIONS];
	struct cairn_markup_fact fact = { .line = facts->line,
		                          .column = facts->column,
		                          .text = facts->text,
		                          .error = facts->kind == EVENT_INVALID
		                                           ? facts->problem.what
		                                           : NULL,
		                          .va = facts->place.relative,
		                          .address = facts->value,
		                          .lookup = facts->value,
		                          .message = { facts->text.data, 0 },
		                          .name = { facts->text.data, 0 },
		                          .offset = facts->offset };

	if (facts->kind == EVENT_LINE_END)
		return;
	fact.kind = kind_of(facts->kind);
	if (facts->place.module)
		fact.module = &facts->place.module->told;
	if (facts->context.module && facts->kind != EVENT_INVALID)
		fact.module = &facts->context.module->told;
	if (facts->name.size)
		fact.name = facts->name;
	if (markup_facts_have_frame(facts))
		copy_frame_to_fact(facts, &fact);
	if (facts->mapping && facts->kind == EVENT_MMAP)
		copy_mapping_to_fact(facts->mapping, &fact);
	if (facts->known) {
		fact.count = copy_known_locations(facts->known, locations);
		fact.locations = locations;
	}
	m->host.tell(m->host.context, &fact);
}

void markup_observe(struct cairn_markup *m, const struct markup_observer *observer)
{
	m->reporter.observer = *observer;
	m->renderer.out.mute = observer->instead;
}

void markup_observe_for_host(struct cairn_markup *m)
{
	const struct markup_observer observer = { m, true, true, report_fact_to_host, NULL };

	if (m->host.tell)
		markup_observe(m, &observer);
}
