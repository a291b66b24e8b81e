/* SPDX-License-Identifier: MIT */
/* Opens the files of modules: their own, and by the symbolizer their separate debug files. */
#include "stacks.h"

#include "process/snapshot/vdso_image.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

struct module_file_search stacks_file_search(struct cairn_stacks *stacks)
{
	return (struct module_file_search){ .snapshot = &stacks->snapshot,
		                            .program = stacks->options.program,
		                            .sysroot = stacks->search.sysroot,
		                            .folders = stacks->search.folders,
		                            .no_system_folders = stacks->search.no_system_folders,
		                            .access = &stacks->search.files,
		                            .open = stacks->options.open_module,
		                            .context = stacks->options.context };
}

void stacks_give_file(struct cairn_stacks *stacks, size_t index, const struct os_file *file,
                      char *path)
{
	struct stacks_module *module = &stacks->modules[index];

	module->looked = true;
	module->found = (struct module_file){ *file, path };
	stacks_report_opened(stacks, file->bytes.size);
	module_file_give(&stacks->snapshot, index, &module->found);
}

bool stacks_fetch_file(struct cairn_stacks *stacks, size_t index, enum cairn_module_file wanted,
                       char *path, size_t size)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];

	return stacks->fetch && module->build_id.size > 0 &&
	       vdso_image_size(&stacks->snapshot, module) == 0 &&
	       stacks->fetch(stacks->fetch_context, wanted, module->build_id, path, size);
}

void stacks_find_file(void *context, size_t index)
{
	struct cairn_stacks *stacks = context;
	struct stacks_module *module = &stacks->modules[index];
	const struct module_file_search search = stacks_file_search(stacks);
	char path[SYMBOL_PATH_MAX];

	if (module->looked)
		return;
	module->looked = true;
	module_file_find(&search, index, &module->found);
	if (!module->found.path &&
	    stacks_fetch_file(stacks, index, CAIRN_FILE_PROGRAM, path, sizeof(path)))
		module_file_try(&search, index, &module->found, path);
}

const struct snapshot_module *stacks_find_module(struct cairn_stacks *stacks, uint64_t pc,
                                                 size_t *index)
{
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module)
		return NULL;
	*index = (size_t)(module - stacks->snapshot.modules);
	stacks_find_file(stacks, *index);
	return module;
}

/* The vDSO is a whole ELF file in memory. */
static struct cairn_bytes copy_image(struct cairn_stacks *stacks, size_t index)
{
	const struct snapshot_module *from = &stacks->snapshot.modules[index];
	struct stacks_module *module = &stacks->modules[index];
	const size_t size = vdso_image_size(&stacks->snapshot, from);

	if (!module->copied && size > 0)
		module->image = malloc(size);
	module->copied = true;
	if (module->image && module->image_size == 0 &&
	    memory_read(&stacks->snapshot.memory, from->low, module->image, size))
		module->image_size = size;
	return module->image_size > 0 ? (struct cairn_bytes){ module->image, module->image_size }
	                              : none;
}

struct cairn_symbol_module stacks_symbol_module(struct cairn_stacks *stacks, size_t index)
{
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	const struct snapshot_module *of = &stacks->snapshot.modules[index];
	const struct stacks_module *files = &stacks->modules[index];

	module.path = files->found.path;
	module.build_id = of->build_id;
	module.file = files->found.path ? files->found.file.bytes : copy_image(stacks, index);
	module.has_lowest = of->has_bias;
	module.lowest = of->has_bias ? snapshot_module_start(of) - of->bias : 0;
	return module;
}

struct cairn_bytes stacks_find_debug_file(struct cairn_stacks *stacks, size_t index)
{
	struct cairn_symbol_module module = stacks_symbol_module(stacks, index);
	struct cairn_open_file file;

	stacks->asked = index;
	if (!cairn_symbolizer_file(stacks->symbolizer, &module, CAIRN_FILE_DEBUG, &file))
		return none;
	if (!stacks->modules[index].found.path)
		module_file_set_bias(&stacks->snapshot, index, file.bytes);
	return file.bytes;
}
