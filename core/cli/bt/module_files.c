/* SPDX-License-Identifier: MIT */
/* Opens the files of modules: their own, and their separate debug files. */
#include "bt.h"

#include "stacks/module_file.h"

#include <stdlib.h>

static struct module_file_search make_search(struct bt *bt)
{
	return (struct module_file_search){ .snapshot = &bt->snapshot,
		                            .program = bt->options.program,
		                            .sysroot = bt->options.sysroot,
		                            .debug_directories = bt->options.debug_directories,
		                            .open = bt->opened.open,
		                            .context = bt->opened.context };
}

static void adopt_found(struct bt *bt, size_t index, const struct module_file *found)
{
	bt->modules[index].looked = true;
	bt->modules[index].file = found->file;
	bt->modules[index].path = found->path;
}

void bt_give_file(struct bt *bt, size_t index, const struct os_file *file, char *path)
{
	const struct module_file found = { *file, path };

	adopt_found(bt, index, &found);
	module_file_give(&bt->snapshot, index, &found);
}

bool bt_make_path(const struct bt *bt, struct cairn_bytes path, char out[SYMBOL_PATH_MAX])
{
	return module_file_path(bt->options.sysroot, path, out);
}

void bt_find_file(void *context, size_t index)
{
	struct bt *bt = context;
	const struct module_file_search search = make_search(bt);
	struct module_file found;

	if (bt->modules[index].looked)
		return;
	bt->modules[index].looked = true;
	module_file_find(&search, index, &found);
	adopt_found(bt, index, &found);
}

const struct snapshot_module *bt_find_module(struct bt *bt, uint64_t pc, size_t *index)
{
	const struct snapshot_module *module = snapshot_find_module(&bt->snapshot, pc);

	if (!module)
		return NULL;
	*index = (size_t)(module - bt->snapshot.modules);
	bt_find_file(bt, *index);
	return module;
}

const struct separate_debug_file *bt_find_debug_file(struct bt *bt, size_t index)
{
	struct bt_module *files = &bt->modules[index];

	if (!files->path)
		return NULL;
	if (!files->has_halves)
		separate_debug_files_find(&files->halves, files->path, files->file.bytes,
		                          bt->options.debug_directories);
	files->has_halves = true;
	return files->halves.debug.path[0] ? &files->halves.debug : NULL;
}

void bt_find_all_files(struct bt *bt)
{
	for (size_t i = 0; i < bt->snapshot.module_count; i++)
		bt_find_file(bt, i);
}

void bt_close_module(struct bt_module *module)
{
	debuginfo_names_close(module->debug);
	debuginfo_names_close(module->own);
	debuginfo_names_close(module->packed);
	if (module->symbols)
		cairn_symbol_file_close(module->symbols);
	if (module->has_halves)
		separate_debug_files_finish(&module->halves);
	free(module->unpacked);
	free(module->unpacked_frames);
	bt_close_breakpad(module);
	os_file_close(&module->file);
	free(module->path);
}
