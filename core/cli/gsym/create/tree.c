/* SPDX-License-Identifier: MIT */
/* cairn gsym create --tree: a store of symbols from all programs and debug files below a folder. */
#include "tree.h"

/* 2: it has DWARF, 1: a symbol table, 0: less */
static uint8_t rate_symbols(const struct elf *elf)
{
	struct elf_section section;

	if (elf_find_section(elf, ".debug_info", &section) ||
	    elf_find_section(elf, ".zdebug_info", &section))
		return 2;
	return elf_find_section(elf, ".symtab", &section);
}

static int make_symbols(const void *context, const char *input, const char *path)
{
	const struct create *all = context;
	struct create create = *all;

	create.out = path;
	create.json = false;
	create.input.jobs = 1;
	create.input.quiet = true; /* no summary */
	return create_file(&create, input);
}

int create_tree(const struct create *create)
{
	const struct tree_verb verb = { .ending = "gsym",
		                        .empty = "without functions",
		                        .empty_key = "no_functions",
		                        .nothing = "no file in it has symbols and a build ID",
		                        .rate = rate_symbols,
		                        .is_stored = create_is_stored,
		                        .make = make_symbols,
		                        .context = create };
	struct tree tree = { .folder = create->tree,
		             .store = create->out,
		             .verb = &verb,
		             .jobs = (unsigned)create->input.jobs,
		             .quiet = create->input.quiet,
		             .as_json = create->json };

	return tree_run(&tree);
}
