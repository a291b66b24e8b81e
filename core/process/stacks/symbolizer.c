/* SPDX-License-Identifier: MIT */
/* The symbolizer of stacks: the host's rules of the search, and sources of names that only stacks have. */
#include "stacks.h"

#include <string.h>

/* The symbolizer is lent programs, and has not to fetch them. */
static bool fetch_for_symbolizer(void *context, enum cairn_module_file wanted,
                                 struct cairn_bytes build_id, char *path, size_t size)
{
	struct cairn_stacks *stacks = context;

	(void)build_id;
	return wanted != CAIRN_FILE_PROGRAM &&
	       stacks_fetch_file(stacks, stacks->asked, wanted, path, size);
}

/* Takes what counts of the host's rules: programs are lent to the symbolizer, and nothing is closed before the end. */
static void adopt_rules(struct cairn_stacks *stacks)
{
	const struct cairn_symbolizer_options *from = stacks->options.search;
	struct cairn_symbolizer_options *search = &stacks->search;

	*search = (struct cairn_symbolizer_options)CAIRN_SYMBOLIZER_OPTIONS;
	if (from)
		memcpy(search, from, from->size < sizeof(*search) ? from->size : sizeof(*search));
	stacks->fetch = search->fetch;
	stacks->fetch_context = search->fetch_context;
	search->size = sizeof(*search);
	search->programs = NULL;
	search->program_count = 0;
	search->builds = CAIRN_BUILD_PROVEN;
	search->ranking = CAIRN_RANK_LINES;
	search->only_files_given = true;
	search->bare = false;
	search->modules_max = SIZE_MAX;
	search->memory_max = UINT64_MAX;
	search->fetch = fetch_for_symbolizer;
	search->fetch_context = stacks;
}

bool stacks_open_symbolizer(struct cairn_stacks *stacks)
{
	const struct cairn_symbol_source own[] = { stacks_breakpad_source(stacks),
		                                   stacks_go_source(stacks) };
	bool good;

	adopt_rules(stacks);
	stacks->symbolizer = cairn_symbolizer_new(&stacks->search);
	good = stacks->symbolizer != NULL;
	for (size_t i = 0; good && i < sizeof(own) / sizeof(own[0]); i++)
		good = cairn_symbolizer_add(stacks->symbolizer, &own[i]) == CAIRN_OK;
	for (size_t i = 0; good && i < stacks->options.source_count; i++)
		good = cairn_symbolizer_add(stacks->symbolizer, stacks->options.sources[i]) ==
		       CAIRN_OK;
	return good;
}
