/* SPDX-License-Identifier: MIT */
/* Opens the files of modules: their own, and their separate debug files. */
#include "bt.h"

#include "process/snapshot/vdso_image.h"
#include "process/stacks/module_file.h"

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
	bt_credit_file(bt, file->bytes.size);
	module_file_give(&bt->snapshot, index, &found);
}

bool bt_make_path(const struct bt *bt, struct cairn_bytes path, char out[SYMBOL_PATH_MAX])
{
	return module_file_path(bt->options.sysroot, path, out);
}

/* The file that debuginfod has of a module; NULL: none. */
static const char *ask_debuginfod(struct bt *bt, size_t index, enum debuginfod_kind kind)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	const char *path, *why;

	if (!bt->options.use_debuginfod || module->build_id.size == 0 ||
	    vdso_image_size(&bt->snapshot, module) > 0)
		return NULL;
	const enum debuginfod_answer answer =
		debuginfod_find(&bt->debuginfod, kind, module->build_id, &path);
	if (answer == DEBUGINFOD_FOUND)
		return path;
	why = debuginfod_explain(answer);
	if (why && !bt->told_debuginfod)
		print_diagnostic(bt->path, "%s", why);
	bt->told_debuginfod |= why != NULL;
	return NULL;
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
	const char *path = found.path ? NULL : ask_debuginfod(bt, index, DEBUGINFOD_PROGRAM);
	if (path)
		module_file_try(&search, index, &found, path);
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

/* What is not needed is not asked for: the DWARF of a program that has its own. */
static void find_halves(struct bt *bt, size_t index)
{
	struct snapshot_module *module = &bt->snapshot.modules[index];
	struct bt_module *files = &bt->modules[index];
	const char *path;

	if (files->path)
		separate_debug_files_find(&files->halves, files->path, files->file.bytes,
		                          bt->options.debug_directories);
	else
		separate_debug_files_find_by_id(&files->halves, "", module->build_id,
		                                bt->options.debug_directories, NULL);
	if (!files->halves.debug.path[0] && !separate_debug_files_has_dwarf(files->file.bytes) &&
	    (path = ask_debuginfod(bt, index, DEBUGINFOD_DEBUG)) != NULL)
		separate_debug_files_give(&files->halves, path, module->build_id);
	if (!files->path && files->halves.debug.path[0])
		module_file_set_bias(&bt->snapshot, index, files->halves.debug.file.bytes);
}

const struct separate_debug_file *bt_find_debug_file(struct bt *bt, size_t index)
{
	struct bt_module *files = &bt->modules[index];

	if (!files->has_halves)
		find_halves(bt, index);
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
