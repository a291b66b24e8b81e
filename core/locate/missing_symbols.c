/* SPDX-License-Identifier: MIT */
/*
 * Writes the message about modules without symbols: which ones, where symbols were searched, and
 * what helps.
 */
#include <cairn.h>

#include "base/encoding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_ROOM = 48 };

static void write_text(const struct cairn_missing_symbols *missing, const char *text)
{
	missing->write(missing->context, text, strlen(text), false);
}

static void write_missing_module(const struct cairn_missing_symbols *missing,
                                 const struct cairn_missing_module *module)
{
	char text[NUMBER_ROOM];

	snprintf(text, sizeof(text), "the module at 0x%" PRIx64, module->low);
	if (module->name.size > 0)
		missing->write(missing->context, (const char *)module->name.data, module->name.size,
		               true);
	else
		write_text(missing, text);
	write_text(missing, module->build_id.size > 0 ? " (build ID " : " (no build ID");
	for (size_t i = 0; i < module->build_id.size; i++) {
		hex_encode((struct cairn_bytes){ module->build_id.data + i, 1 }, text);
		write_text(missing, text);
	}
	write_text(missing, ")");
}

const char *cairn_missing_symbols_help(const struct cairn_missing_symbols *missing,
                                       struct cairn_bytes build_id)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (build_id.size == 0)
		return missing->without_id;
	return servers && *servers && missing->by_servers ? missing->by_servers : missing->by_hand;
}

void cairn_missing_symbols_write(const struct cairn_missing_symbols *missing)
{
	char text[NUMBER_ROOM];

	write_text(missing, "no symbols for ");
	for (size_t i = 0; i < missing->module_count; i++) {
		write_text(missing, i > 0 ? ", " : "");
		write_missing_module(missing, &missing->modules[i]);
	}
	snprintf(text, sizeof(text), " and %zu more", missing->count - missing->module_count);
	if (missing->count > missing->module_count)
		write_text(missing, text);
	write_text(missing,
	           missing->count == 1 ? ": none beside it, in " : ": none beside them, in ");
	write_text(missing, missing->folders ? missing->folders : "");
	write_text(missing, missing->folders ? ", in /usr/lib/debug or in the cache; "
	                                     : "/usr/lib/debug or in the cache; ");
	write_text(missing,
	           missing->module_count > 0
	                   ? cairn_missing_symbols_help(missing, missing->modules[0].build_id)
	                   : missing->by_hand);
}
