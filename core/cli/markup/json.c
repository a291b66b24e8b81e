/* SPDX-License-Identifier: MIT */
/*
 * JSON output: prints an object for each element or plain text in the log, and appends the known
 * modules and mappings to a file at each dumpfile element.
 */
#include "markup.h"

#include "base/text_table.h"
#include "output/json.h"
#include "output/location.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * maximum numbers of modules and of mappings written for one dumpfile element, because a log may
 * contain many of these elements
 */
enum { DUMP_MAX = 4096 };

static const char *name_event_type(const struct markup_facts *event)
{
	switch (event->kind) {
	case EVENT_TEXT:
		return event->node && event->node->tag == MARKUP_HEXDICT ? "hexdict" : "text";
	case EVENT_COLOUR:
		return "sgr";
	case EVENT_LINE_END:
		return NULL;
	case EVENT_SYMBOL:
		return "symbol";
	case EVENT_PC:
		return "pc";
	case EVENT_DATA:
		return "data";
	case EVENT_BT:
		return "bt";
	case EVENT_VALUE:
		return "value";
	case EVENT_DUMPFILE:
		return "dumpfile";
	case EVENT_RESET:
		return "reset";
	case EVENT_MODULE:
		return "module";
	case EVENT_MMAP:
		return "mmap";
	case EVENT_UNKNOWN:
		return "unknown";
	case EVENT_INVALID:
		return "invalid";
	case EVENT_REPORT:
		return "report";
	}
	return NULL;
}

static const char *name_pc_kind(enum markup_pc kind)
{
	static const char texts[][TEXT_CAPACITY] = {
		[MARKUP_PC_UNSPECIFIED] = "unknown",
		[MARKUP_PC_RETURN] = "ra",
		[MARKUP_PC_EXACT] = "pc",
	};

	return TEXT_AT(texts, kind, "unknown");
}

static void print_mode_json(struct json *json, unsigned mode)
{
	char text[4], *at = text;

	for (unsigned i = 0; i < 3; i++)
		if (mode & 1u << i)
			*at++ = "rwx"[i];
	*at = '\0';
	json_string(json, "flags", text);
}

static void print_module_json(struct json *json, const struct context_module *module,
                              const uint64_t *relative)
{
	json_object(json, "module");
	json_number(json, "id", module->told.id);
	json_text(json, "name", module->told.name);
	json_hex(json, "build_id", module->told.build_id);
	if (relative)
		json_address(json, "relative", *relative);
	json_end(json);
}

static void print_frame_json(struct json *json, const struct markup_facts *event)
{
	const struct markup_frame *f = &event->frame;

	if (event->kind == EVENT_BT || (event->captured && event->captured->numbered))
		json_number(json, "number", f->number);
	if (!event->captured || event->captured->has_address) {
		json_address(json, "address", f->address);
		json_address(json, "lookup", event->place.pc);
	}
	if (event->kind != EVENT_DATA)
		json_string(json, "kind", name_pc_kind(f->kind));
	if (f->message.size)
		json_text(json, "message", f->message);
}

static void print_dump_module_json(struct json *json, const void *value)
{
	const struct context_module *m = value;

	json_text(json, "name", m->told.name);
	json_hex(json, "build", m->told.build_id);
	json_number(json, "id", m->told.id);
}

static void print_dump_segment_json(struct json *json, const void *value)
{
	const struct context_mapping *s = value;

	json_number(json, "mod", s->module->told.id);
	json_number(json, "vaddr", s->start);
	json_number(json, "size", s->size);
	print_mode_json(json, s->mode);
	json_number(json, "mod_rel_addr", s->relative);
}

static void print_entries_json(struct json *json, const char *key, const struct address_map *map,
                               void (*put)(struct json *json, const void *value))
{
	size_t count = 0;

	json_array(json, key);
	for (size_t b = 0; b < map->blocks; b++)
		for (size_t i = 0; i < map->block[b]->count && count < DUMP_MAX; i++, count++) {
			json_object(json, NULL);
			put(json, map->block[b]->entry[i].value);
			json_end(json);
		}
	json_end(json);
}

/* Print all modules and mappings, with the member names of Fuchsia's dump files. */
static void print_context_json(struct json *json, const struct markup_context *context)
{
	print_entries_json(json, "modules", &context->modules, print_dump_module_json);
	print_entries_json(json, "segments", &context->mappings, print_dump_segment_json);
	if (context->modules.count > DUMP_MAX || context->mappings.count > DUMP_MAX)
		json_bool(json, "cut", true);
}

static void print_event_json(struct markup_json *out, const struct markup_facts *event)
{
	struct json *json = &out->json;

	if (markup_facts_have_frame(event))
		print_frame_json(json, event);
	if (event->kind == EVENT_VALUE)
		json_address(json, "value", event->value);
	if (event->place.module)
		print_module_json(json, event->place.module, &event->place.relative);
	if (event->known) {
		json_array(json, "locations");
		for (size_t i = 0; i < event->known->count; i++) {
			const struct cached_frame *f = &event->known->frame[i];
			json_object(json, NULL);
			json_text(json, "function", f->function);
			json_place(json, f->file, f->line, f->column);
			if (f->inlined)
				json_bool(json, "inlined", true);
			json_end(json);
		}
		json_end(json);
	}
	if (event->name.data && event->name.size)
		json_text(json, "name", event->name);
	if ((event->kind == EVENT_DATA || event->kind == EVENT_VALUE) && event->name.size)
		json_number(json, "offset", event->offset);
	if (event->context.module && event->kind != EVENT_INVALID)
		print_module_json(json, event->context.module, NULL);
	if (event->mapping && event->kind == EVENT_MMAP) {
		json_address(json, "start", event->mapping->start);
		json_address(json, "size", event->mapping->size);
		print_mode_json(json, event->mapping->mode);
		json_address(json, "module_relative", event->mapping->relative);
	}
	if (event->kind == EVENT_COLOUR)
		json_number(json, "sgr", event->node->sgr);
	if (event->kind == EVENT_DUMPFILE) {
		struct markup_fields fields;
		markup_split(event->node, &fields);
		if (fields.count > 0)
			json_text(json, "dump_type", fields.field[0]);
		if (fields.count > 1)
			json_text(json, "name", fields.field[1]);
		print_context_json(json, out->context);
	}
	if (event->kind == EVENT_INVALID && event->problem.what)
		json_string(json, "error", event->problem.what);
}

static uint64_t measure_entries(const struct address_map *map, bool modules)
{
	enum { AROUND = 100 };
	uint64_t size = 0;
	size_t count = 0;

	for (size_t b = 0; b < map->blocks; b++)
		for (size_t i = 0; i < map->block[b]->count && count < DUMP_MAX; i++, count++) {
			const struct context_module *module = map->block[b]->entry[i].value;
			size += AROUND;
			if (modules)
				size += escaped_size(module->told.name) +
				        2 * module->told.build_id.size;
		}
	return size;
}

uint64_t markup_json_size(const struct markup_facts *event, const struct markup_context *context)
{
	uint64_t size = escaped_size(event->name);

	for (size_t i = 0; event->known && i < event->known->count; i++)
		size += escaped_size(event->known->frame[i].function) +
		        escaped_size(event->known->frame[i].file);
	if (event->place.module)
		size += escaped_size(event->place.module->told.name) +
		        2 * event->place.module->told.build_id.size;
	if (event->context.module)
		size += escaped_size(event->context.module->told.name) +
		        2 * event->context.module->told.build_id.size;
	if (event->kind == EVENT_DUMPFILE)
		size += measure_entries(&context->modules, true) +
		        measure_entries(&context->mappings, false);
	return size;
}

void markup_json_event(void *context, const struct markup_facts *event)
{
	struct markup_json *out = context;
	const char *type = name_event_type(event);

	if (!type)
		return;
	json_object(&out->json, NULL);
	json_string(&out->json, "type", type);
	if (out->split)
		json_number(&out->json, "process", out->process);
	json_number(&out->json, "line", event->line);
	if (event->kind != EVENT_VALUE)
		json_number(&out->json, "column", event->column);
	json_text(&out->json, event->kind == EVENT_VALUE ? "key" : "text", event->text);
	print_event_json(out, event);
	json_end(&out->json);
}

uint64_t markup_json_lines(struct markup_json *out, uint64_t first, struct cairn_bytes lines)
{
	static const char between[] = ",\"column\":1,\"text\":\"";
	char before[JSON_LINE_HEAD];
	struct json_line form = { .between = between, .between_size = sizeof(between) - 1 };
	int size = out->split ? snprintf(before, sizeof(before),
	                                 "{\"type\":\"text\",\"process\":%" PRIu64 ",\"line\":",
	                                 out->process)
	                      : snprintf(before, sizeof(before), "{\"type\":\"text\",\"line\":");

	form.before = before;
	form.before_size = (size_t)size;
	return json_lines(out->json.out, &form, first, lines);
}

/*
 * Terminate the file after each dump, so that it is valid if the command is interrupted. The next
 * dump overwrites the terminator, which is impossible in a pipe, so leave pipes unterminated.
 */
static void terminate_dump_file(struct markup_dumps *dumps)
{
	long end = ftell(dumps->out);

	if (end >= 0) {
		fputs("]\n", dumps->out);
		fseek(dumps->out, end, SEEK_SET);
	}
	fflush(dumps->out);
}

bool markup_dumps_open(struct markup_dumps *dumps, const char *path)
{
	dumps->out = fopen(path, "w");
	if (!dumps->out)
		return refuse_with(path, "cannot write: %s", strerror(errno));
	fputs("[", dumps->out);
	terminate_dump_file(dumps);
	return true;
}

void markup_dumps_event(struct markup_dumps *dumps, const struct markup_facts *event)
{
	struct json json = json_to(dumps->out);
	struct markup_fields fields;
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	if (event->kind != EVENT_DUMPFILE)
		return;
	markup_split(event->node, &fields);
	fputs(dumps->begun ? "," : "\n", dumps->out);
	dumps->begun = true;
	json_object(&json, NULL);
	json_text(&json, "type", fields.count > 0 ? fields.field[0] : none);
	json_text(&json, "name", fields.count > 1 ? fields.field[1] : none);
	print_context_json(&json, dumps->context);
	json_end(&json);
	terminate_dump_file(dumps);
}

bool markup_dumps_close(struct markup_dumps *dumps)
{
	fputs("]\n", dumps->out);
	bool good = !ferror(dumps->out);

	return fclose(dumps->out) == 0 && good;
}
