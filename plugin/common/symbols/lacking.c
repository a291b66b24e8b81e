/* SPDX-License-Identifier: MIT */
/* Names the modules without symbols, where they were looked for, and the command that helps. */
#include "lacking.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void lacking_add(struct lacking_modules *lacking, const struct cairn_module *module)
{
	const size_t i = lacking->count++;

	if (i >= LACKING_NAMED)
		return;
	if (module->name)
		snprintf(lacking->module[i].name, LACKING_NAME, "%s", module->name);
	else
		snprintf(lacking->module[i].name, LACKING_NAME, "the module at 0x%" PRIx64,
		         module->low);
	lacking->module[i].id = source_id(module->build_id);
}

static void write_build_id(const struct source_id *id, struct text *text)
{
	text_add(text, id->size > 0 ? " (build ID " : " (no build ID");
	for (size_t i = 0; i < id->size; i++)
		text_print(text, "%02x", id->data[i]);
	text_add(text, ")");
}

/* Without a build ID only the module's own file can have its symbols. */
static const char *choose_advice(const struct lacking_modules *lacking)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (lacking->module[0].id.size == 0)
		return "link it with --build-id, by which symbols are found";
	if (servers && *servers)
		return "\"cairn symbols load -debuginfod\" asks the servers for them";
	return "'cairn gsym create' makes some from an unstripped copy, and \"cairn add-gsym "
	       "FILE\" adds them";
}

void lacking_write(const struct lacking_modules *lacking, const char *directories,
                   struct text *text)
{
	text_add(text, "no symbols for ");
	for (size_t i = 0; i < lacking->count && i < LACKING_NAMED; i++) {
		text_add(text, i > 0 ? ", " : "");
		text_add(text, lacking->module[i].name);
		write_build_id(&lacking->module[i].id, text);
	}
	if (lacking->count > LACKING_NAMED)
		text_print(text, " and %zu more", lacking->count - LACKING_NAMED);
	text_print(text, ": none beside %s, in %s/usr/lib/debug or in the cache; %s",
	           lacking->count == 1 ? "it" : "them",
	           directories ? "the folders of the setting directory, in " : "",
	           choose_advice(lacking));
}
