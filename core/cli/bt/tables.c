/* SPDX-License-Identifier: MIT */
/* Gives the unwinder the .debug_frame of a module, from its file, its separate debug file or .gnu_debugdata. */
#include "bt.h"

#include "debuginfo/elf/section.h"
#include "unwind/modules/modules.h"

/* The section in one file: its bytes, or those that it is unpacked to; empty when there is none. */
static struct cairn_bytes read_frames(struct bt_module *files, struct cairn_bytes file)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;
	size_t size;

	if (file.size == 0 || elf_open(file, &elf, &fault) != CAIRN_OK ||
	    !elf_find_section(&elf, ".debug_frame", &section))
		return none;
	if (!(section.flags & ELF_SHF_COMPRESSED))
		return elf_section_bytes(&elf, &section);
	if (files->unpacked_frames ||
	    debuginfo_decompress(file, ".debug_frame", &files->unpacked_frames, &size) != CAIRN_OK)
		return none;
	return (struct cairn_bytes){ files->unpacked_frames, size };
}

/* An SFrame table that was made for the module. */
static bool give_side_table(struct bt *bt, size_t index, uint64_t pc)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	char path[SYMBOL_PATH_MAX], found[SYMBOL_PATH_MAX];
	const char *binary = bt->modules[index].path;

	if (!binary)
		binary = bt_make_path(bt, module->path, path) ? path : "/";
	return cairn_space_wants_sframe(bt->space, pc) &&
	       cairn_sframe_file_find(bt->space, pc, binary, bt->options.directories, found,
	                              sizeof(found)) == CAIRN_OK;
}

bool bt_give_tables(void *context, uint64_t pc)
{
	struct bt *bt = context;
	size_t index;

	if (!bt_find_module(bt, pc, &index) || bt->modules[index].gave_tables)
		return false;
	struct bt_module *files = &bt->modules[index];
	files->gave_tables = true;
	struct cairn_bytes frames = read_frames(files, files->file.bytes);
	if (frames.size == 0) {
		const struct separate_debug_file *debug = bt_find_debug_file(bt, index);
		frames = debug ? read_frames(files, debug->file.bytes) : frames;
	}
	if (frames.size == 0)
		frames = read_frames(files, bt_unpack_symbols(files));
	/* each may describe what the other does not */
	const bool gave = frames.size > 0 && space_give_debug_frame(bt->space, pc, frames);
	return give_side_table(bt, index, pc) || gave;
}
