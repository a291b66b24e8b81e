/* SPDX-License-Identifier: MIT */
/*
 * Looks for the files of modules whose headers the core does not hold, so that they become modules with
 * a bias: first the program, by which the link map is found, then what the link map names.
 */
#include "stacks.h"

#include "base/array_grow.h"
#include "os/module/symbol_path.h"
#include "process/snapshot/unlisted_modules.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	AT_EXECFN = 31,
	TRIES_MAX =
		1 << 12, /* files that are opened: SNAPSHOT_MODULES_MAX; a list may be a circle */
};

/* Keeps the file of a module until there is a struct stacks_module to own it. */
static bool keep_file(struct stacks_unlisted *unlisted, const struct snapshot_module *module,
                      const struct os_file *file, const char *path)
{
	char *copy = malloc(strlen(path) + 1);

	if (!copy || !array_grow(&unlisted->files, &unlisted->room, unlisted->count + 1,
	                         sizeof(*unlisted->files))) {
		free(copy);
		return false;
	}
	strcpy(copy, path);
	unlisted->files[unlisted->count++] =
		(struct stacks_unlisted_file){ *file, copy, module->low };
	return true;
}

/* Is it the file of this entry (NULL: of the program), and is there room for its module? */
static bool take_file(struct stacks_unlisted *unlisted, struct os_file *file, const char *path,
                      const struct link_map_entry *entry)
{
	struct snapshot *snapshot = &unlisted->stacks->snapshot;
	uint64_t bias = entry ? entry->bias : 0;
	struct elf elf;

	if (!elf_opens(file->bytes, &elf) ||
	    (entry ? !snapshot_is_loaded(snapshot, &elf, entry)
	           : !snapshot_is_program(snapshot, &elf, path == unlisted->stacks->options.program,
	                                  &bias)))
		return false;
	struct cairn_bytes name = { (const uint8_t *)path, strlen(path) };
	const struct snapshot_module *module =
		snapshot_add_unlisted(snapshot, &elf, bias, entry ? entry->name : name);
	if (!module || !keep_file(unlisted, module, file, path))
		return false;
	if (!entry)
		unlisted->dynamic = snapshot_dynamic_address(&elf, bias);
	return true;
}

static bool try_file(struct stacks_unlisted *unlisted, const char *path,
                     const struct link_map_entry *entry)
{
	struct os_file file;

	if (unlisted->tries == TRIES_MAX ||
	    os_file_open_by(&unlisted->stacks->search.files, path, &file) != 0)
		return false;
	unlisted->tries++;
	if (take_file(unlisted, &file, path, entry))
		return true;
	os_file_close(&file);
	return false;
}

static bool try_name(struct stacks_unlisted *unlisted, struct cairn_bytes name,
                     const struct link_map_entry *entry)
{
	char path[SYMBOL_PATH_MAX];

	return module_file_path(unlisted->stacks->search.sysroot, name, path) &&
	       try_file(unlisted, path, entry);
}

/* Finds the path by which the program was started: the kernel leaves it on the stack. */
static struct cairn_bytes read_started_name(const struct snapshot *snapshot,
                                            char text[SYMBOL_PATH_MAX])
{
	uint64_t address;
	size_t size = 0;

	if (snapshot_auxv(snapshot, AT_EXECFN, &address))
		size = memory_read_some(&snapshot->memory, address, text, SYMBOL_PATH_MAX);
	const char *end = size ? memchr(text, 0, size) : NULL;
	return (struct cairn_bytes){ (const uint8_t *)text, end ? (size_t)(end - text) : 0 };
}

static void report_missing(const struct cairn_stacks *stacks, struct cairn_bytes path)
{
	if (stacks->options.missing)
		stacks->options.missing(stacks->options.context, path);
}

/* The program, as the user gave it, as it is mapped, or as it was started. */
static void find_program_file(struct stacks_unlisted *unlisted)
{
	struct snapshot *snapshot = &unlisted->stacks->snapshot;
	const char *given = unlisted->stacks->options.program;
	char text[SYMBOL_PATH_MAX];

	if ((given && try_file(unlisted, given, NULL)) ||
	    try_name(unlisted, read_started_name(snapshot, text), NULL))
		return;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (!snapshot->modules[i].has_bias &&
		    try_name(unlisted, snapshot->modules[i].path, NULL))
			return;
	report_missing(unlisted->stacks, (struct cairn_bytes){ (const uint8_t *)"", 0 });
}

static bool take_entry(void *context, const struct link_map_entry *entry)
{
	struct stacks_unlisted *unlisted = context;
	const struct snapshot *snapshot = &unlisted->stacks->snapshot;

	if (entry->name.size > 0 && !snapshot_has_module(snapshot, entry->dynamic) &&
	    !try_name(unlisted, entry->name, entry))
		report_missing(unlisted->stacks, entry->name);
	return unlisted->tries < TRIES_MAX;
}

void stacks_find_unlisted(struct cairn_stacks *stacks, struct stacks_unlisted *unlisted)
{
	*unlisted = (struct stacks_unlisted){ .stacks = stacks };
	if (stacks->snapshot.kind != CAIRN_STACKS_CORE ||
	    stacks->snapshot.machine == CAIRN_MACHINE_NONE || stacks->options.open_module)
		return; /* who lends files has the headers of a process that was there */
	if (snapshot_lacks_program(&stacks->snapshot))
		find_program_file(unlisted);
	snapshot_link_map(&stacks->snapshot, unlisted->dynamic, take_entry, unlisted);
	snapshot_sort_modules(&stacks->snapshot);
}

void stacks_adopt_unlisted(struct stacks_unlisted *unlisted)
{
	struct cairn_stacks *stacks = unlisted->stacks;

	for (size_t i = 0; i < unlisted->count; i++) {
		struct stacks_unlisted_file *found = &unlisted->files[i];
		const struct snapshot_module *module =
			stacks->modules ? snapshot_find_module(&stacks->snapshot, found->low)
					: NULL;
		if (module && module->low == found->low && module->file.size == 0) {
			stacks_give_file(stacks, (size_t)(module - stacks->snapshot.modules),
			                 &found->file, found->path);
		} else {
			os_file_close(&found->file);
			free(found->path);
		}
	}
	free(unlisted->files);
	*unlisted = (struct stacks_unlisted){ .stacks = stacks };
}
