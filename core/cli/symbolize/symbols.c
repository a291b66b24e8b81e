/* SPDX-License-Identifier: MIT */
/* Creates the symbolizer. Only the directories and servers that the user named are searched. */
#include "symbolize.h"

#include "symbols/symbolizer/symbolizer.h"

#include <cairn/dwarf.h>

enum { MODULES_MAX = 1 << 8 }; /* modules whose files stay open between requests */

static bool fetch_module_file(void *context, enum cairn_module_file wanted,
                              struct cairn_bytes build_id, char *path, size_t size)
{
	struct symbolize *run = context;
	enum debuginfod_answer answer;

	return debuginfod_fetch(&run->debuginfod, wanted, build_id, path, size, &answer);
}

bool symbolize_open_symbols(struct symbolize *run)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;

	options.folders = run->folders;
	options.no_system_folders = options.no_cache = true;
	options.modules_max = MODULES_MAX;
	if (run->use_debuginfod) {
		options.fetch = fetch_module_file;
		options.fetch_context = run;
	}
	run->symbolizer = cairn_symbolizer_new(&options);
	return run->symbolizer &&
	       cairn_symbolizer_add(run->symbolizer, &breakpad_tree_source) == CAIRN_OK &&
	       cairn_symbolizer_add(run->symbolizer, cairn_dwarf_source()) == CAIRN_OK;
}
