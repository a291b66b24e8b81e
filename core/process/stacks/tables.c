/* SPDX-License-Identifier: MIT */
/*
 * Adds the .debug_frame of a module to the unwinder, from its file, its separate debug file or
 * .gnu_debugdata, and an SFrame file made for it.
 */
#include "stacks.h"

#include "unwind/tables/unwind_tables.h"

#include <stdio.h>
#include <string.h>

/* Return .debug_frame of one file, decompressed if necessary, or an empty string. */
static struct cairn_bytes read_frames(const struct cairn_stacks *stacks,
                                      struct stacks_module *files, struct cairn_bytes file)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct elf_section section;
	struct elf elf;
	size_t size;

	if (file.size == 0 || !elf_opens(file, &elf) ||
	    !elf_find_section(&elf, ".debug_frame", &section))
		return none;
	if (!(section.flags & ELF_SHF_COMPRESSED))
		return elf_section_bytes(&elf, &section);
	if (files->unpacked_frames || !stacks->options.unpack ||
	    stacks->options.unpack(file, ".debug_frame", &files->unpacked_frames, &size) !=
	            CAIRN_OK)
		return none;
	return (struct cairn_bytes){ files->unpacked_frames, size };
}

static struct cairn_bytes unpack_symbols(const struct cairn_stacks *stacks,
                                         struct stacks_module *files)
{
	size_t size = 0;

	if (!stacks->options.unpack || !files->found.path ||
	    stacks->options.unpack(files->found.file.bytes, ".gnu_debugdata",
	                           &files->unpacked_symbols, &size) != CAIRN_OK)
		size = 0;
	return (struct cairn_bytes){ files->unpacked_symbols, size };
}

/*
 * Add an SFrame file made for the module. Searches by the path of the file that was found and by
 * the path that the process uses, because the file of a process is opened through /proc, where
 * nothing lies beside it.
 */
static bool give_side_table(struct cairn_stacks *stacks, size_t index, uint64_t pc)
{
	const struct cairn_symbolizer_options *options = &stacks->search;
	const char *found = stacks->modules[index].found.path;
	char path[LOCATE_PATH_MAX], side[LOCATE_PATH_MAX];
	struct cairn_sframe_search search = CAIRN_SFRAME_SEARCH;

	if (!cairn_space_wants_sframe(stacks->space, pc))
		return false;
	search.folders = options->folders;
	search.no_system_folders = options->no_system_folders;
	search.no_cache = options->no_cache;
	search.binary = found;
	if (found &&
	    cairn_sframe_file_find(stacks->space, pc, &search, side, sizeof(side)) == CAIRN_OK)
		return true;
	if (!locate_path(options->sysroot, stacks->snapshot.modules[index].path, path))
		snprintf(path, sizeof(path), "/");
	search.binary = path;
	return (!found || strcmp(found, path) != 0) &&
	       cairn_sframe_file_find(stacks->space, pc, &search, side, sizeof(side)) == CAIRN_OK;
}

bool stacks_give_tables(void *context, uint64_t pc)
{
	struct cairn_stacks *stacks = context;
	size_t index;

	if (!stacks_find_module(stacks, pc, &index) || stacks->modules[index].gave_tables)
		return false;
	struct stacks_module *files = &stacks->modules[index];
	files->gave_tables = true;
	struct cairn_bytes frames = read_frames(stacks, files, files->found.file.bytes);
	if (frames.size == 0)
		frames = read_frames(stacks, files, stacks_find_debug_file(stacks, index));
	if (frames.size == 0)
		frames = read_frames(stacks, files, unpack_symbols(stacks, files));
	/* each may cover code that the other does not */
	const bool gave = frames.size > 0 && space_give_debug_frame(stacks->space, pc, frames);
	return give_side_table(stacks, index, pc) || gave;
}
