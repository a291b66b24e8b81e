/* SPDX-License-Identifier: MIT */
/*
 * Writes the message about modules without symbols: their names, the directories searched, and the
 * remedy.
 */
#include "lacking.h"

#include <stdio.h>
#include <string.h>

void lacking_add(struct lacking_modules *lacking, const struct cairn_module *module)
{
	const size_t i = lacking->count++;

	if (i >= LACKING_NAMED)
		return;
	snprintf(lacking->module[i].name, LACKING_NAME, "%s", module->name ? module->name : "");
	lacking->module[i].low = module->low;
	lacking->module[i].id = source_id(module->build_id);
}

static void add_missing_piece(void *text, const char *bytes, size_t size, bool is_name)
{
	(void)is_name; /* reply_line() escapes names as needed */
	text_bytes(text, bytes, size);
}

void lacking_write(const struct lacking_modules *lacking, const char *directories,
                   struct text *text)
{
	struct cairn_missing_module named[LACKING_NAMED];
	struct cairn_missing_symbols missing = CAIRN_MISSING_SYMBOLS;

	missing.modules = named;
	missing.count = lacking->count;
	for (size_t i = 0; i < lacking->count && i < LACKING_NAMED; i++) {
		const char *name = lacking->module[i].name;
		const struct source_id *id = &lacking->module[i].id;
		struct cairn_missing_module *module = &named[missing.module_count++];
		module->name = (struct cairn_bytes){ (const uint8_t *)name, strlen(name) };
		module->low = lacking->module[i].low;
		module->build_id = (struct cairn_bytes){ id->data, id->size };
	}
	missing.folders = directories ? "the folders of the setting directory" : NULL;
	missing.without_id = "link it with --build-id, by which symbols are found";
	missing.by_servers = "\"cairn symbols load -debuginfod\" asks the servers for them";
	missing.by_hand = "'cairn gsym create' makes some from an unstripped copy, and \"cairn "
			  "add-gsym FILE\" adds them";
	missing.write = add_missing_piece;
	missing.context = text;
	cairn_missing_symbols_write(&missing);
}
