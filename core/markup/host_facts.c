/* SPDX-License-Identifier: MIT */
/* Hands each event to a host that uses only cairn.h, as a fact of its interface. */
#include "filter.h"

static void copy_frame_to_fact(const struct markup_event *event, struct cairn_markup_fact *fact)
{
	static const char *const kinds[] = {
		[MARKUP_PC_UNSPECIFIED] = "unknown",
		[MARKUP_PC_RETURN] = "ra",
		[MARKUP_PC_EXACT] = "pc",
	};

	fact->number = event->frame->number;
	fact->address = event->frame->address;
	fact->lookup = event->place.pc;
	fact->message = event->frame->message;
	if (event->kind != EVENT_DATA)
		fact->pc = kinds[event->frame->kind];
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

static void report_fact_to_host(void *context, const struct markup_event *event)
{
	struct cairn_markup *m = context;
	struct cairn_location locations[MARKUP_LOCATIONS];
	struct cairn_markup_fact fact = { .line = event->line,
		                          .column = event->column,
		                          .text = event->text,
		                          .error = event->what,
		                          .va = event->place.relative,
		                          .address = event->value,
		                          .lookup = event->value,
		                          .message = { event->text.data, 0 },
		                          .name = { event->text.data, 0 },
		                          .offset = event->offset };

	if (event->kind == EVENT_LINE_END)
		return;
	fact.kind = kind_of(event->kind);
	if (event->place.module)
		fact.module = &event->place.module->told;
	if (event->module && event->kind != EVENT_INVALID)
		fact.module = &event->module->told;
	if (event->name.size)
		fact.name = event->name;
	if (event->frame)
		copy_frame_to_fact(event, &fact);
	if (event->mapping && event->kind == EVENT_MMAP)
		copy_mapping_to_fact(event->mapping, &fact);
	if (event->known) {
		fact.count = copy_known_locations(event->known, locations);
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
