/* SPDX-License-Identifier: MIT */
/* cairn gsym create --tree: a store of symbols from all programs and debug files below a folder. */
#include "create.h"

#include "cli/tree/tree.h"
#include "formats/gsym/gsym.h"

#include <string.h>

/* 2: it has DWARF, 1: a symbol table, 0: less */
static uint8_t rate_symbols(const struct elf *elf)
{
	struct elf_section section;

	if (elf_find_section(elf, ".debug_info", &section) ||
	    elf_find_section(elf, ".zdebug_info", &section))
		return 2;
	return elf_find_section(elf, ".symtab", &section);
}

/* The records come last in a file, so that one that was cut short lacks the end of some. */
static bool has_all_records(const struct gsym *gsym)
{
	struct gsym_function function;
	struct gsym_block block;
	struct cairn_fault fault;

	struct gsym_walk walk = gsym_walk(gsym);

	for (uint32_t i = 0; i < gsym->functions; i++) {
		if (!gsym_walk_take(&walk, i, &fault) ||
		    gsym_function(gsym, i, &function, &fault) != CAIRN_OK)
			return false;
		struct gsym_blocks blocks = gsym_blocks(gsym, &function);
		while (gsym_next_block(&blocks, &block))
			;
		if (blocks.in.fault.status != CAIRN_OK)
			return false;
	}
	return true;
}

/* A long build ID is cut in version 1 on request. */
static bool has_build_id(const struct gsym *gsym, const struct tree_file *file)
{
	return gsym->uuid.size > 0 && gsym->uuid.size <= file->size &&
	       (gsym->uuid.size == file->size || gsym->uuid.size == GSYM_UUID_MAX_V1) &&
	       memcmp(gsym->uuid.data, file->build_id, gsym->uuid.size) == 0;
}

static bool is_stored_gsym(const char *path, const struct tree_file *file)
{
	struct os_file stored;
	struct cairn_fault fault;
	struct gsym gsym;

	if (os_file_open_regular(path, &stored) != 0)
		return false;
	bool whole = gsym_open(stored.bytes, &gsym, &fault) == CAIRN_OK &&
	             has_build_id(&gsym, file) && has_all_records(&gsym);
	os_file_close(&stored);
	return whole;
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
		                        .is_stored = is_stored_gsym,
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
