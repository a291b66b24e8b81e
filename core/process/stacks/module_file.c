/* SPDX-License-Identifier: MIT */
/*
 * Finds the file of a module: the program that was given, or what lies at the module's own path or in
 * a tree of build IDs. It is believed by its build ID; a module without one by its headers.
 */
#include "module_file.h"

#include "base/bytes_compare.h"
#include "os/module/build_id_path.h"
#include "process/minidump/minidump_snapshot.h"
#include "unwind/target/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Where the sections are differs between a program and what `strip` makes of it. */
static void clear_sections(uint8_t *header, bool wide)
{
	const size_t word = wide ? 8 : 4, counts = wide ? 60 : 48;

	memset(header + 24 + 2 * word, 0, word);
	memset(header + counts, 0, 4); /* how many there are, and which holds their names */
}

/*
 * The headers of a file that has no build ID are the same in memory, except for what `strip` changes.
 */
static bool has_same_headers(const struct module_file_search *search,
                             const struct snapshot_module *module, const struct elf *elf)
{
	const size_t segment = elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	uint8_t memory[PAGE], file[PAGE];
	uint64_t end = elf->segments_at + (uint64_t)elf->segments * segment;
	size_t size = end < sizeof(memory) ? (size_t)end : sizeof(memory);

	if (size <= ELF_HEADER_MAX || size > elf->bytes.size ||
	    !memory_read(&search->snapshot->memory, module->low, memory, size))
		return false;
	memcpy(file, elf->bytes.data, size);
	clear_sections(file, elf->wide);
	clear_sections(memory, elf->wide);
	return memcmp(memory, file, size) == 0;
}

/* Why the file is not the module's; NULL when it is. */
static const char *judge_file(const struct module_file_search *search,
                              const struct snapshot_module *module, struct cairn_bytes file)
{
	struct elf elf;

	if (!elf_opens(file, &elf))
		return "its file is not an ELF file";
	if (!module->has_bias)
		return "its headers are not in the core, so that no file can be checked";
	struct cairn_bytes id = elf_build_id(&elf);
	if (module->build_id.size > 0)
		return bytes_equal(id, module->build_id) ? NULL : "its file has another build ID";
	return has_same_headers(search, module, &elf) ? NULL : "its file is of another build";
}

bool module_file_is_own(const struct module_file_search *search,
                        const struct snapshot_module *module, struct cairn_bytes file)
{
	return judge_file(search, module, file) == NULL;
}

/* A minidump has the address of each module, but mostly not the address it was linked at. */
void module_file_set_bias(struct snapshot *snapshot, size_t index, struct cairn_bytes file)
{
	struct elf elf;

	if (snapshot->kind == CAIRN_STACKS_MINIDUMP && elf_opens(file, &elf))
		minidump_snapshot_set_bias(&snapshot->modules[index], &elf);
}

void module_file_give(struct snapshot *snapshot, size_t index, const struct module_file *found)
{
	struct snapshot_module *module = &snapshot->modules[index];

	module_file_set_bias(snapshot, index, found->file.bytes);
	module->file = found->file.bytes;
	module->file_path =
		(struct cairn_bytes){ (const uint8_t *)found->path, strlen(found->path) };
	module->file_why = NULL;
}

/* Takes an open file if it is the module's; else it is closed. `path` is where it is. */
static bool accept_file(const struct module_file_search *search, size_t index,
                        struct module_file *found, struct os_file file, const char *path)
{
	struct snapshot_module *module = &search->snapshot->modules[index];
	const char *why = judge_file(search, module, file.bytes);

	found->path = why ? NULL : malloc(strlen(path) + 1);
	if (!found->path) {
		module->file_why = why ? why : "out of memory";
		os_file_close(&file);
		return false;
	}
	memcpy(found->path, path, strlen(path) + 1);
	found->file = file;
	module_file_give(search->snapshot, index, found);
	return true;
}

/* True ends the search. */
bool module_file_try(const struct module_file_search *search, size_t index,
                     struct module_file *found, const char *path)
{
	struct os_file file;

	return os_file_open_by(search->access, path, &file) == 0 &&
	       accept_file(search, index, found, file, path);
}

bool module_file_path(const char *sysroot, struct cairn_bytes path, char out[SYMBOL_PATH_MAX])
{
	const char *root = sysroot ? sysroot : "";
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
static bool try_trees(const struct module_file_search *search, size_t index,
                      struct module_file *found)
{
	struct build_id_trees trees =
		build_id_trees(search->folders, search->snapshot->modules[index].build_id, "");

	trees.is_last = search->no_system_folders;
	while (build_id_trees_next(&trees))
		if (module_file_try(search, index, found, trees.path))
			return true;
	return false;
}

/* Try the places of a library that has no path, such as Crashpad's "libc.so.6"; only the build ID can tell that it is the one. */
static bool try_library(const struct module_file_search *search, size_t index,
                        struct module_file *found)
{
	const struct snapshot_module *module = &search->snapshot->modules[index];
	struct library_path places = { .name = module->path,
		                       .directories = search->folders,
		                       .sysroot = search->sysroot,
		                       .no_system = search->no_system_folders };

	while (module->build_id.size > 0 && library_path_next(&places))
		if (module_file_try(search, index, found, places.path))
			return true;
	return false;
}

/* The path of a module's file below the root of its process, which may be in a container; false: there is none, or it is too long. */
static bool make_process_path(const struct snapshot *snapshot, const struct snapshot_module *module,
                              char path[SYMBOL_PATH_MAX])
{
	char root[sizeof("/proc/18446744073709551615/root")];

	(void)snprintf(root, sizeof(root), "/proc/%llu/root", (unsigned long long)snapshot->living);
	return module_file_path(root, module->path, path);
}

/*
 * Files of symbols and separate debug files are beside the path that the process knows, and not beside that of the mapping. If
 * both lead to the same file, the former is its path.
 */
static void prefer_path(const struct module_file_search *search, size_t index,
                        struct module_file *found, const char *path)
{
	struct stat mapped, seen;
	const size_t size = strlen(path) + 1;

	if (stat(found->path, &mapped) != 0 || stat(path, &seen) != 0 ||
	    mapped.st_dev != seen.st_dev || mapped.st_ino != seen.st_ino)
		return;
	char *copy = malloc(size);
	if (!copy)
		return;
	memcpy(copy, path, size);
	free(found->path);
	found->path = copy;
	module_file_give(search->snapshot, index, found);
}

/*
 * Of a running process: the very file that is mapped, also one that was deleted or replaced; else that
 * at its path as the process sees it.
 */
static bool try_process(const struct module_file_search *search, size_t index,
                        struct module_file *found)
{
	const struct snapshot_module *module = &search->snapshot->modules[index];
	const struct snapshot_mapping *mapping =
		snapshot_find_mapping(search->snapshot, module->low);
	char mapped[SYMBOL_PATH_MAX], path[SYMBOL_PATH_MAX];

	if (search->snapshot->kind != CAIRN_STACKS_PROCESS || search->sysroot || !mapping ||
	    !mapping->has_file)
		return false;
	const bool has_path = make_process_path(search->snapshot, module, path);
	(void)snprintf(mapped, sizeof(mapped), "/proc/%llu/map_files/%llx-%llx",
	               (unsigned long long)search->snapshot->living,
	               (unsigned long long)mapping->low, (unsigned long long)mapping->high);
	if (!module_file_try(search, index, found, mapped))
		return has_path && module_file_try(search, index, found, path);
	if (has_path)
		prefer_path(search, index, found, path);
	return true;
}

/* What somebody opened while the process was still there. */
static bool try_opened(const struct module_file_search *search, size_t index,
                       struct module_file *found)
{
	const struct snapshot_module *module = &search->snapshot->modules[index];
	char path[SYMBOL_PATH_MAX];
	struct os_file file;

	if (!search->open || !module_file_path(search->sysroot, module->path, path))
		return false;
	int fd = search->open(search->context, module->low, module->path);
	if (fd < 0)
		return false;
	bool open = os_file_open_descriptor(fd, "a mapped file", &file) == 0;
	close(fd);
	return open && accept_file(search, index, found, file, path);
}

void module_file_find(const struct module_file_search *search, size_t index,
                      struct module_file *found)
{
	struct snapshot_module *module = &search->snapshot->modules[index];
	char path[SYMBOL_PATH_MAX];

	*found = (struct module_file){ .path = NULL };
	module->file_why = "its file was not found";
	if (search->program && module_file_try(search, index, found, search->program))
		return;
	module->file_why = "its file was not found"; /* the program is another module's */
	if (try_opened(search, index, found) || try_process(search, index, found) ||
	    (module_file_path(search->sysroot, module->path, path) &&
	     module_file_try(search, index, found, path)) ||
	    try_library(search, index, found))
		return;
	try_trees(search, index, found);
}
