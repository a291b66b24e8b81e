/* SPDX-License-Identifier: MIT */
/* Formats the facts of a markup log as JSON objects. */
#include "markup_json.h"

#include "common/base/json_writer.h"

#include <string.h>

static const char *name_fact_type(const struct cairn_markup_fact *fact)
{
	static const char *const types[] = {
		[CAIRN_MARKUP_TEXT] = "text",       [CAIRN_MARKUP_COLOUR] = "sgr",
		[CAIRN_MARKUP_SYMBOL] = "symbol",   [CAIRN_MARKUP_PC] = "pc",
		[CAIRN_MARKUP_DATA] = "data",       [CAIRN_MARKUP_BT] = "bt",
		[CAIRN_MARKUP_VALUE] = "value",     [CAIRN_MARKUP_DUMPFILE] = "dumpfile",
		[CAIRN_MARKUP_RESET] = "reset",     [CAIRN_MARKUP_MODULE] = "module",
		[CAIRN_MARKUP_MMAP] = "mmap",       [CAIRN_MARKUP_UNKNOWN] = "unknown",
		[CAIRN_MARKUP_INVALID] = "invalid", [CAIRN_MARKUP_REPORT] = "report",
	};

	return types[fact->kind];
}

static bool has_address(const struct cairn_markup_fact *fact)
{
	return fact->kind == CAIRN_MARKUP_BT || fact->kind == CAIRN_MARKUP_PC ||
	       fact->kind == CAIRN_MARKUP_DATA;
}

static void add_address_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	if (fact->kind == CAIRN_MARKUP_BT)
		json_add_number(json, "number", fact->number);
	json_add_address(json, "address", fact->address);
	json_add_address(json, "lookup", fact->lookup);
	if (fact->pc)
		json_add_string(json, "kind", fact->pc);
	if (fact->message.size)
		json_add_bytes(json, "message", fact->message);
}

static void add_fact_module_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	const struct cairn_markup_module *module = fact->module;

	json_begin_object(json, "module");
	json_add_number(json, "id", module->id);
	json_add_bytes(json, "name", module->name);
	json_add_hex(json, "build_id", module->build_id);
	if (has_address(fact) || fact->kind == CAIRN_MARKUP_VALUE)
		json_add_address(json, "relative", fact->va);
	json_end_object(json);
}

static void add_location_json(struct json_writer *json, const struct cairn_location *l)
{
	json_begin_object(json, NULL);
	json_add_bytes(json, "function", l->function);
	if (l->file.size)
		json_add_bytes(json, "file", l->file);
	if (l->line)
		json_add_number(json, "line", l->line);
	if (l->column)
		json_add_number(json, "column", l->column);
	if (l->inlined)
		json_add_bool(json, "inlined", true);
	json_end_object(json);
}

static void add_range_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	char flags[4] = "";

	strcat(flags, fact->read ? "r" : "");
	strcat(flags, fact->write ? "w" : "");
	strcat(flags, fact->execute ? "x" : "");
	json_add_address(json, "start", fact->start);
	json_add_address(json, "size", fact->size);
	json_add_string(json, "flags", flags);
	json_add_address(json, "module_relative", fact->va);
}

static void add_details_json(struct json_writer *json, const struct cairn_markup_fact *fact)
{
	if (fact->module)
		add_fact_module_json(json, fact);
	if (fact->locations) {
		json_begin_array(json, "locations");
		for (size_t i = 0; i < fact->count; i++)
			add_location_json(json, &fact->locations[i]);
		json_end_array(json);
	}
	if (fact->name.size)
		json_add_bytes(json, "name", fact->name);
	if (fact->name.size && fact->kind != CAIRN_MARKUP_SYMBOL)
		json_add_number(json, "offset", fact->offset);
	if (fact->kind == CAIRN_MARKUP_MMAP)
		add_range_json(json, fact);
	if (fact->error)
		json_add_string(json, "error", fact->error);
}

void markup_json(struct text *text, const struct cairn_markup_fact *fact)
{
	struct json_writer json = json_writer_to(text);
	bool is_value = fact->kind == CAIRN_MARKUP_VALUE;

	json_begin_object(&json, NULL);
	json_add_string(&json, "type", name_fact_type(fact));
	json_add_number(&json, "line", fact->line);
	if (!is_value)
		json_add_number(&json, "column", fact->column);
	json_add_bytes(&json, is_value ? "key" : "text", fact->text);
	if (has_address(fact))
		add_address_json(&json, fact);
	if (is_value)
		json_add_address(&json, "value", fact->address);
	add_details_json(&json, fact);
	json_end_object(&json);
}
