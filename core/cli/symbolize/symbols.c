/* SPDX-License-Identifier: MIT */
/* The symbolizer of the verb. Only folders and servers that the user named have symbols: they are the store, and nothing else counts. */
#include "symbolize.h"

#include <cairn/dwarf.h>

enum { MODULES_MAX = 1 << 8 }; /* whose files are kept open from one request to the next */

bool symbolize_fetch(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
                     char *path, size_t size)
{
	struct symbolize *run = context;
	const char *found, *why;

	if (wanted != CAIRN_FILE_PROGRAM && wanted != CAIRN_FILE_DEBUG)
		return false;
	const enum debuginfod_answer answer =
		debuginfod_find(&run->debuginfod,
	                        wanted == CAIRN_FILE_DEBUG ? DEBUGINFOD_DEBUG : DEBUGINFOD_PROGRAM,
	                        build_id, &found);
	why = debuginfod_explain(answer);
	if (why)
		run->unreachable = why;
	else if (answer == DEBUGINFOD_LATE_BEFORE)
		run->unreachable = debuginfod_explain(DEBUGINFOD_LATE);
	return answer == DEBUGINFOD_FOUND && (size_t)snprintf(path, size, "%s", found) < size;
}

bool symbolize_open_symbols(struct symbolize *run)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;

	options.folders = run->folders;
	options.no_system_folders = true;
	options.modules_max = MODULES_MAX;
	if (run->use_debuginfod) {
		options.fetch = symbolize_fetch;
		options.fetch_context = run;
	}
	run->symbolizer = cairn_symbolizer_new(&options);
	return run->symbolizer &&
	       cairn_symbolizer_add(run->symbolizer, cairn_dwarf_source()) == CAIRN_OK;
}

void symbolize_close_symbols(struct symbolize *run)
{
	cairn_symbolizer_free(run->symbolizer);
	debuginfod_close(&run->debuginfod);
}
