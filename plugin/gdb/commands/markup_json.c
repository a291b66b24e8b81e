/* SPDX-License-Identifier: MIT */
#include "markup_json.h"

#include <inttypes.h>

static void member_bytes(struct text *text, const char *name, struct cairn_bytes bytes)
{
	text_print(text, ",\"%s\":", name);
	text_json_bytes(text, bytes.data, bytes.size);
}

static void member_number(struct text *text, const char *name, uint64_t number)
{
	text_print(text, ",\"%s\":%" PRIu64, name, number);
}

static void member_address(struct text *text, const char *name, uint64_t address)
{
	text_print(text, ",\"%s\":\"0x%" PRIx64 "\"", name, address);
}

static const char *type_of(const struct cairn_markup_fact *fact)
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

static void put_address(struct text *text, const struct cairn_markup_fact *fact)
{
	if (fact->kind == CAIRN_MARKUP_BT)
		member_number(text, "number", fact->number);
	member_address(text, "address", fact->address);
	member_address(text, "lookup", fact->lookup);
	if (fact->pc)
		text_print(text, ",\"kind\":\"%s\"", fact->pc);
	if (fact->message.size)
		member_bytes(text, "message", fact->message);
}

static void put_module(struct text *text, const struct cairn_markup_fact *fact)
{
	const struct cairn_markup_module *module = fact->module;

	text_print(text, ",\"module\":{\"id\":%" PRIu64, module->id);
	member_bytes(text, "name", module->name);
	text_add(text, ",\"build_id\":\"");
	for (size_t i = 0; i < module->build_id.size; i++)
		text_print(text, "%02x", module->build_id.data[i]);
	text_add(text, "\"");
	if (has_address(fact) || fact->kind == CAIRN_MARKUP_VALUE)
		member_address(text, "relative", fact->va);
	text_add(text, "}");
}

static void put_location(struct text *text, const struct cairn_location *l)
{
	text_add(text, "{\"function\":");
	text_json_bytes(text, l->function.data, l->function.size);
	if (l->file.size)
		member_bytes(text, "file", l->file);
	if (l->line)
		member_number(text, "line", l->line);
	if (l->inlined)
		text_add(text, ",\"inlined\":true");
	text_add(text, "}");
}

static void put_locations(struct text *text, const struct cairn_markup_fact *fact)
{
	text_add(text, ",\"locations\":[");
	for (size_t i = 0; i < fact->count; i++) {
		text_add(text, i ? "," : "");
		put_location(text, &fact->locations[i]);
	}
	text_add(text, "]");
}

static void put_range(struct text *text, const struct cairn_markup_fact *fact)
{
	member_address(text, "start", fact->start);
	member_address(text, "size", fact->size);
	text_print(text, ",\"flags\":\"%s%s%s\"", fact->read ? "r" : "", fact->write ? "w" : "",
	           fact->execute ? "x" : "");
	member_address(text, "module_relative", fact->va);
}

void markup_json(struct text *text, const struct cairn_markup_fact *fact)
{
	bool is_value = fact->kind == CAIRN_MARKUP_VALUE;

	text_print(text, "{\"type\":\"%s\"", type_of(fact));
	member_number(text, "line", fact->line);
	if (!is_value)
		member_number(text, "column", fact->column);
	member_bytes(text, is_value ? "key" : "text", fact->text);
	if (has_address(fact))
		put_address(text, fact);
	if (is_value)
		member_address(text, "value", fact->address);
	if (fact->module)
		put_module(text, fact);
	if (fact->locations)
		put_locations(text, fact);
	if (fact->name.size)
		member_bytes(text, "name", fact->name);
	if (fact->name.size && fact->kind != CAIRN_MARKUP_SYMBOL)
		member_number(text, "offset", fact->offset);
	if (fact->kind == CAIRN_MARKUP_MMAP)
		put_range(text, fact);
	if (fact->error) {
		text_add(text, ",\"error\":");
		text_json(text, fact->error);
	}
	text_add(text, "}");
}
