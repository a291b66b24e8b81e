/* SPDX-License-Identifier: MIT */
/*
 * Finds the file of a module: the program that was given, or what lies at the module's own path or in
 * a tree of build IDs. It is believed by its build ID; a module without one by its headers.
 */
#include "bt.h"

#include "engine/snapshot/minidump_snapshot.h"
#include "engine/target/memory.h"
#include "os/symbol_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

static bool has_same_bytes(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The headers of a file that has no build ID are the same in memory. */
static bool has_same_headers(const struct bt *bt, const struct snapshot_module *module,
                             const struct elf *elf)
{
	uint8_t memory[PAGE];
	uint64_t end = elf->segments_at + (uint64_t)elf->segments * ELF_SEGMENT_WIDE;
	size_t size = end < sizeof(memory) ? (size_t)end : sizeof(memory);

	return size > ELF_HEADER_MAX && size <= elf->bytes.size &&
	       memory_read(&bt->snapshot.memory, module->low, memory, size) &&
	       memcmp(memory, elf->bytes.data, size) == 0;
}

/* Why the file is not the module's; NULL when it is. */
static const char *judge_file(const struct bt *bt, const struct snapshot_module *module,
                              struct cairn_bytes file)
{
	struct cairn_fault fault;
	struct elf elf;

	if (elf_open(file, &elf, &fault) != CAIRN_OK)
		return "its file is not an ELF file";
	if (!module->has_bias)
		return "its headers are not in the core, so that no file can be checked";
	struct cairn_bytes id = elf_build_id(&elf);
	if (module->build_id.size > 0)
		return has_same_bytes(id, module->build_id) ? NULL
		                                            : "its file has another build ID";
	return has_same_headers(bt, module, &elf) ? NULL : "its file is of another build";
}

/* A minidump has the address of each module, but mostly not the address it was linked at. */
static void set_bias_by_file(struct snapshot_module *module, struct cairn_bytes file)
{
	struct cairn_fault fault;
	struct elf elf;

	if (elf_open(file, &elf, &fault) == CAIRN_OK)
		minidump_snapshot_set_bias(module, &elf);
}

void bt_give_file(struct bt *bt, size_t index, const struct os_file *file, char *path)
{
	struct snapshot_module *module = &bt->snapshot.modules[index];
	struct bt_module *files = &bt->modules[index];

	files->looked = true;
	files->path = path;
	files->file = *file;
	if (bt->snapshot.kind == SNAPSHOT_MINIDUMP)
		set_bias_by_file(module, file->bytes);
	module->file = file->bytes;
	module->file_path = (struct cairn_bytes){ (const uint8_t *)path, strlen(path) };
	module->file_why = NULL;
}

/* Takes an open file if it is the module's; else it is closed. `path` is where it is. */
static bool accept_file(struct bt *bt, size_t index, struct os_file file, const char *path)
{
	struct snapshot_module *module = &bt->snapshot.modules[index];
	const char *why = judge_file(bt, module, file.bytes);
	char *copy = why ? NULL : malloc(strlen(path) + 1);

	if (!copy) {
		module->file_why = why ? why : "out of memory";
		os_file_close(&file);
		return false;
	}
	memcpy(copy, path, strlen(path) + 1);
	bt_give_file(bt, index, &file, copy);
	return true;
}

/* Takes the file at `path` if it is the module's; true ends the search. */
static bool try_path(struct bt *bt, size_t index, const char *path)
{
	struct os_file file;

	return os_file_open_regular(path, &file) == 0 && accept_file(bt, index, file, path);
}

bool bt_make_path(const struct bt *bt, struct cairn_bytes path, char out[SYMBOL_PATH_MAX])
{
	const char *root = bt->options.sysroot ? bt->options.sysroot : "";
	size_t length = strlen(root);

	if (path.size == 0 || path.data[0] != '/' || memchr(path.data, 0, path.size) ||
	    length + path.size >= SYMBOL_PATH_MAX)
		return false;
	memcpy(out, root, length);
	memcpy(out + length, path.data, path.size);
	out[length + path.size] = '\0';
	return true;
}

/* Trees of build IDs may hold the programs themselves beside their debug files. */
static bool try_trees(struct bt *bt, size_t index)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	struct symbol_path search =
		symbol_path("/", module->build_id, bt->options.debug_directories, "debug");

	if (module->build_id.size == 0)
		return false;
	while (symbol_path_next(&search)) {
		char *dot = strrchr(search.path, '.');
		if (!dot || !strstr(search.path, "/.build-id/"))
			continue;
		*dot = '\0';
		bool found = try_path(bt, index, search.path);
		*dot = '.';
		if (found)
			return true;
	}
	return false;
}

/*
 * Of a running process: the very file that is mapped, also one that was deleted or replaced; else that
 * at its path as the process sees it, which may be in a container.
 */
static bool try_process(struct bt *bt, size_t index)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	const struct snapshot_mapping *mapping = snapshot_find_mapping(&bt->snapshot, module->low);
	unsigned long long pid = bt->snapshot.pid;
	char path[SYMBOL_PATH_MAX];

	if (bt->snapshot.kind != SNAPSHOT_PROCESS || bt->options.sysroot || !mapping ||
	    !mapping->has_file)
		return false;
	snprintf(path, sizeof(path), "/proc/%llu/map_files/%llx-%llx", pid,
	         (unsigned long long)mapping->low, (unsigned long long)mapping->high);
	if (try_path(bt, index, path))
		return true;
	int size = snprintf(path, sizeof(path), "/proc/%llu/root%.*s", pid,
	                    (int)(module->path.size < SYMBOL_PATH_MAX ? module->path.size : 0),
	                    (const char *)module->path.data);
	return size > 0 && (size_t)size < sizeof(path) && try_path(bt, index, path);
}

/* What somebody opened while the process was still there. */
static bool try_opened(struct bt *bt, size_t index)
{
	const struct snapshot_module *module = &bt->snapshot.modules[index];
	char path[SYMBOL_PATH_MAX];
	struct os_file file;

	if (!bt->opened.open || !bt_make_path(bt, module->path, path))
		return false;
	int fd = bt->opened.open(bt->opened.context, module);
	if (fd < 0)
		return false;
	bool open = os_file_open_descriptor(fd, "a mapped file", &file) == 0;
	close(fd);
	return open && accept_file(bt, index, file, path);
}

void bt_find_file(void *context, size_t index)
{
	struct bt *bt = context;
	struct snapshot_module *module = &bt->snapshot.modules[index];
	char path[SYMBOL_PATH_MAX];

	if (bt->modules[index].looked)
		return;
	bt->modules[index].looked = true;
	module->file_why = "its file was not found";
	if (bt->options.program && try_path(bt, index, bt->options.program))
		return;
	module->file_why = "its file was not found"; /* the program is another module's */
	if (try_opened(bt, index) || try_process(bt, index) ||
	    (bt_make_path(bt, module->path, path) && try_path(bt, index, path)))
		return;
	try_trees(bt, index);
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
