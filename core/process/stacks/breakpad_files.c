/* SPDX-License-Identifier: MIT */
/*
 * Breakpad files of the modules of a minidump: found in trees as Breakpad's symbol stores have them,
 * DIR/NAME/ID/NAME.sym, believed by the ID that they hold, and used for names and for unwinding.
 */
#include "stacks.h"

#include "base/bytes_compare.h"
#include "formats/breakpad/breakpad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name that is one step of a path. */
static bool is_path_step(struct cairn_bytes name)
{
	return name.size > 0 && name.data[0] != '.' && !memchr(name.data, '/', name.size) &&
	       !memchr(name.data, 0, name.size);
}

/* Windows' debug files are known by their own name, without their extension. */
static struct cairn_bytes take_stem(struct cairn_bytes name)
{
	struct cairn_bytes end = { name.data + name.size - (name.size < 4 ? 0 : 4), 4 };

	if (name.size > 4 && (bytes_are(end, ".pdb") || bytes_are(end, ".PDB")))
		name.size -= 4;
	return name;
}

static bool equals_id(struct cairn_bytes a, struct cairn_bytes b)
{
	for (size_t i = 0; a.size == b.size && i < a.size; i++)
		if ((a.data[i] | 0x20) !=
		    (b.data[i] | 0x20)) /* digits and letters of either case */
			return false;
	return a.size == b.size && a.size > 0;
}

/* Its first record names the module whose symbols they are. */
static bool has_id(struct cairn_bytes file, struct cairn_bytes id)
{
	struct breakpad in = breakpad_open(file);
	struct breakpad_record record;

	return breakpad_next(&in, &record) && record.kind == BREAKPAD_MODULE &&
	       equals_id(record.id, id);
}

static void take_file(struct stacks_module *files, const struct os_file *file, const char *path)
{
	files->breakpad = *file;
	files->stack_cfi = stack_cfi_new(file->bytes);
	if (cairn_symbol_file_open(path, NULL, &files->breakpad_symbols, NULL) != CAIRN_OK)
		files->breakpad_symbols = NULL;
}

/* The file in one tree; true when it was found there and belongs to the module. */
static bool try_tree(struct cairn_stacks *stacks, const struct snapshot_module *module,
                     struct stacks_module *files, const char *directory, int length)
{
	struct cairn_bytes name = module->debug_name, stem = take_stem(name);
	char path[SYMBOL_PATH_MAX];
	struct os_file file;

	int size = snprintf(path, sizeof(path), "%.*s/%.*s/%.*s/%.*s.sym", length, directory,
	                    (int)name.size, (const char *)name.data, (int)module->debug_id.size,
	                    (const char *)module->debug_id.data, (int)stem.size,
	                    (const char *)stem.data);
	if (size < 0 || (size_t)size >= sizeof(path) ||
	    os_file_open_by(&stacks->search.files, path, &file) != 0)
		return false;
	if (!has_id(file.bytes, module->debug_id)) {
		os_file_close(&file);
		return false;
	}
	take_file(files, &file, path);
	stacks_report_opened(stacks, file.bytes.size);
	return true;
}

static void try_trees(struct cairn_stacks *stacks, const struct snapshot_module *module,
                      struct stacks_module *files)
{
	const char *rest = stacks->search.folders;

	while (rest && *rest) {
		const int length = (int)strcspn(rest, ":");
		if (length > 0 && try_tree(stacks, module, files, rest, length))
			return;
		rest += length + (rest[length] == ':');
	}
}

static void find_breakpad(struct cairn_stacks *stacks, size_t index)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];
	struct stacks_module *files = &stacks->modules[index];

	if (files->breakpad_looked)
		return;
	files->breakpad_looked = true;
	if (is_path_step(module->debug_name) && module->debug_name.size < SYMBOL_PATH_MAX &&
	    is_path_step(module->debug_id))
		try_trees(stacks, module, files);
}

static const struct stack_cfi *find_rules(void *context, uint64_t pc, uint64_t *low)
{
	struct cairn_stacks *stacks = context;
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module)
		return NULL;
	size_t index = (size_t)(module - stacks->snapshot.modules);
	find_breakpad(stacks, index);
	*low = module->low;
	return stacks->modules[index].stack_cfi;
}

bool stacks_report_modules(struct cairn_stacks *stacks)
{
	bool complete = true;

	stacks->space->breakpad = (struct stack_cfi_files){ find_rules, stacks };
	cairn_space_begin_modules(stacks->space);
	for (size_t i = 0; i < stacks->snapshot.module_count; i++) {
		const struct snapshot_module *module = &stacks->snapshot.modules[i];
		const struct cairn_host_module report = { .name = module->path,
			                                  .low = module->low,
			                                  .high = module->high,
			                                  .machine = stacks->snapshot.machine,
			                                  .big_endian = stacks->snapshot.big_endian,
			                                  .text = { module->low, module->high } };
		complete &= cairn_space_add_module(stacks->space, &report) == CAIRN_OK;
	}
	cairn_space_end_modules(stacks->space);
	return complete;
}

/* The file of the module that is being asked about, which find_names() takes from `opened`. */
static enum cairn_status open_names(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	(void)search;
	(void)fault;
	*opened = context;
	return CAIRN_OK;
}

/* `lowest` is the va of the module's first byte, from which addresses of Breakpad count. */
static size_t look_up(struct cairn_symbol_file *file, uint64_t va, uint64_t lowest,
                      struct cairn_location locations[CAIRN_STACK_NAMES])
{
	struct cairn_symbols *symbols = cairn_symbol_file_symbols(file);
	struct cairn_lookup_result answer;
	size_t count = 0;

	if (cairn_symbols_find(symbols, va - lowest, &answer) != CAIRN_OK)
		return 0;
	while (count < CAIRN_STACK_NAMES && cairn_lookup_result_next(&answer, &locations[count]))
		count++;
	return count;
}

static void find_names(void *opened, const uint64_t *vas, size_t count,
                       const struct cairn_symbol_taker *taker)
{
	struct cairn_stacks *stacks = opened;
	const struct snapshot_module *module = &stacks->snapshot.modules[stacks->asked];
	const struct stacks_module *files = &stacks->modules[stacks->asked];
	struct cairn_location found[CAIRN_STACK_NAMES];

	find_breakpad(stacks, stacks->asked);
	for (size_t i = 0; files->breakpad_symbols && i < count; i++) {
		const size_t got = look_up(files->breakpad_symbols, vas[i],
		                           snapshot_module_start(module) - module->bias, found);
		stacks_take_names(taker, i, found, got);
	}
}

struct cairn_symbol_source stacks_breakpad_source(struct cairn_stacks *stacks)
{
	return (struct cairn_symbol_source){ .size = sizeof(struct cairn_symbol_source),
		                             .rank = STACKS_RANK_BREAKPAD,
		                             .name = "breakpad",
		                             .context = stacks,
		                             .open = open_names,
		                             .find = find_names,
		                             .close = stacks_leave_names };
}

void stacks_close_breakpad(struct stacks_module *module)
{
	cairn_symbol_file_close(module->breakpad_symbols);
	stack_cfi_free(module->stack_cfi);
	os_file_close(&module->breakpad);
}
