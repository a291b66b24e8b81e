/* SPDX-License-Identifier: MIT */
/* Formats the facts of a markup log as JSON objects. */
#include "markup_json.h"

#include <inttypes.h>

static void append_bytes_member(struct text *text, const char *name, struct cairn_bytes bytes)
{
	text_print(text, ",\"%s\":", name);
	text_json_bytes(text, bytes.data, bytes.size);
}

static void append_number_member(struct text *text, const char *name, uint64_t number)
{
	text_print(text, ",\"%s\":%" PRIu64, name, number);
}

static void append_address_member(struct text *text, const char *name, uint64_t address)
{
	text_print(text, ",\"%s\":\"0x%" PRIx64 "\"", name, address);
}

static const char *name_fact_type(const struct cairn_markup_fact *fact)
{
	static const char *const types[] = {
		[CAIRN_MARKUP_TEXT] = "text",       [CAIRN_MARKUP_COLOUR] = "sgr",
		[CAIRN_MARKUP_SYMBOL] = "symbol",   [CAIRN_MARKUP_PC] = "pc",
		[CAIRN_MARKUP_DATA] = "data",       [CAIRN_MARKUP_BT] = "bt",
		[CAIRN_MARKUP_VALUE] = "value",     [CAIRN_MARKUP_DUMPFILE] = "dumpfile",
		[CAIRN_MARKUP_RESET] = "reset",     [CAIRN_MARKUP_MODULE] = "module",
		[CAIRN_MARKUP_MMAP] = "mmap",       [CAIRN_MARKUP_UNKNOWN] = "unknown",
		[CAIRN_MARKUP_INVALID] = "invalid",
	};

	return types[fact->kind];
}

static bool has_address(const struct cairn_markup_fact *fact)
{
	return fact->kind == CAIRN_MARKUP_BT || fact->kind == CAIRN_MARKUP_PC ||
	       fact->kind == CAIRN_MARKUP_DATA;
}

static void append_address_json(struct text *text, const struct cairn_markup_fact *fact)
{
	if (fact->kind == CAIRN_MARKUP_BT)
		append_number_member(text, "number", fact->number);
	append_address_member(text, "address", fact->address);
	append_address_member(text, "lookup", fact->lookup);
	if (fact->pc)
		text_print(text, ",\"kind\":\"%s\"", fact->pc);
	if (fact->message.size)
		append_bytes_member(text, "message", fact->message);
}

static void append_fact_module_json(struct text *text, const struct cairn_markup_fact *fact)
{
	const struct cairn_markup_module *module = fact->module;

	text_print(text, ",\"module\":{\"id\":%" PRIu64, module->id);
	append_bytes_member(text, "name", module->name);
	text_add(text, ",\"build_id\":\"");
	for (size_t i = 0; i < module->build_id.size; i++)
		text_print(text, "%02x", module->build_id.data[i]);
	text_add(text, "\"");
	if (has_address(fact) || fact->kind == CAIRN_MARKUP_VALUE)
		append_address_member(text, "relative", fact->va);
	text_add(text, "}");
}

static void append_location_json(struct text *text, const struct cairn_location *l)
{
	text_add(text, "{\"function\":");
	text_json_bytes(text, l->function.data, l->function.size);
	if (l->file.size)
		append_bytes_member(text, "file", l->file);
	if (l->line)
		append_number_member(text, "line", l->line);
	if (l->inlined)
		text_add(text, ",\"inlined\":true");
	text_add(text, "}");
}

static void append_locations_json(struct text *text, const struct cairn_markup_fact *fact)
{
	text_add(text, ",\"locations\":[");
	for (size_t i = 0; i < fact->count; i++) {
		text_add(text, i ? "," : "");
		append_location_json(text, &fact->locations[i]);
	}
	text_add(text, "]");
}

static void append_range_json(struct text *text, const struct cairn_markup_fact *fact)
{
	append_address_member(text, "start", fact->start);
	append_address_member(text, "size", fact->size);
	text_print(text, ",\"flags\":\"%s%s%s\"", fact->read ? "r" : "", fact->write ? "w" : "",
	           fact->execute ? "x" : "");
	append_address_member(text, "module_relative", fact->va);
}

void markup_json(struct text *text, const struct cairn_markup_fact *fact)
{
	bool is_value = fact->kind == CAIRN_MARKUP_VALUE;

	text_print(text, "{\"type\":\"%s\"", name_fact_type(fact));
	append_number_member(text, "line", fact->line);
	if (!is_value)
		append_number_member(text, "column", fact->column);
	append_bytes_member(text, is_value ? "key" : "text", fact->text);
	if (has_address(fact))
		append_address_json(text, fact);
	if (is_value)
		append_address_member(text, "value", fact->address);
	if (fact->module)
		append_fact_module_json(text, fact);
	if (fact->locations)
		append_locations_json(text, fact);
	if (fact->name.size)
		append_bytes_member(text, "name", fact->name);
	if (fact->name.size && fact->kind != CAIRN_MARKUP_SYMBOL)
		append_number_member(text, "offset", fact->offset);
	if (fact->kind == CAIRN_MARKUP_MMAP)
		append_range_json(text, fact);
	if (fact->error) {
		text_add(text, ",\"error\":");
		text_json(text, fact->error);
	}
	text_add(text, "}");
}
