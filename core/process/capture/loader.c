/* SPDX-License-Identifier: MIT */
/*
 * Examines modules and their files. Finds dynamic sections through the program headers in memory or
 * in files:
 *
 *	dynamic = (tag:8 value:8)*, up to DT_NULL; DT_DEBUG -> r_debug = version:4 gap:4 map:8 break:8 state:4 gap:4 base:8
 */
#include "loader.h"

#include "base/bytes.h"
#include "base/target_memory.h"
#include "process/snapshot/snapshot_modules.h"

#include <stdlib.h>

enum {
	AT_BASE = 7,
	AT_ENTRY = 9,
	PAGE = 4096,
	DYNAMIC_MAX = 512, /* maximum number of dynamic entries to read; programs have about 40 */
	DYNAMIC_ENTRY = 16,
	DT_DEBUG = 21,
	DEBUG_SIZE = 40,
	DEBUG_BREAK_AT = 16,
	DEBUG_BASE_AT = 32,
};

bool module_open_elf(const struct snapshot_module *module, struct elf *elf)
{
	return module->file.size > 0 && elf_opens(module->file, elf);
}

bool module_find_segment(const struct snapshot_module *module, uint32_t type,
                         struct elf_segment *segment)
{
	struct elf elf;

	return module_open_elf(module, &elf) && elf_find_segment(&elf, type, segment);
}

struct cairn_bytes module_path(const struct snapshot_module *module)
{
	return module->file_path.size > 0 ? module->file_path : module->path;
}

bool module_is_linked(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	return !module->remapped && module->high > module->low &&
	       vdso_image_size(snapshot, module) == 0;
}

static uint64_t find_dynamic(const struct cairn_target *memory,
                             const struct snapshot_module *module)
{
	struct elf_segment segment;
	uint8_t page[PAGE];
	struct elf elf;

	if (!module->has_bias || module->remapped)
		return 0;
	const struct cairn_bytes head = { page, memory_read_some(memory, module->low, page, PAGE) };
	return elf_opens(head, &elf) && elf_find_segment(&elf, ELF_PT_DYNAMIC, &segment)
	               ? segment.va + module->bias
	               : 0;
}

static bool is_program_module(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	return module->path.size > 0 && bytes_equal(module->path, snapshot->program);
}

size_t loader_find_program(const struct snapshot *snapshot)
{
	const struct snapshot_module *module = NULL;
	uint64_t entry;
	size_t i = 0;

	if (snapshot_auxv(snapshot, AT_ENTRY, &entry))
		module = snapshot_find_module(snapshot, entry);
	if (module)
		return (size_t)(module - snapshot->modules);
	while (i < snapshot->module_count && !is_program_module(snapshot, &snapshot->modules[i]))
		i++;
	return i;
}

static void read_debug(struct loader_facts *facts, const struct cairn_target *memory, uint64_t at)
{
	uint8_t debug[DEBUG_SIZE];

	if (at == 0 || !memory_read(memory, at, debug, sizeof(debug)))
		return;
	facts->brk = bytes_u64(debug + DEBUG_BREAK_AT, false);
	facts->base = bytes_u64(debug + DEBUG_BASE_AT, false);
}

/*
 * Read the program's dynamic section from memory, where the dynamic linker has stored the address
 * of r_debug.
 */
static void read_program_dynamic(struct loader_facts *facts, const struct cairn_target *memory,
                                 uint64_t address)
{
	uint64_t tag = 1;

	for (size_t i = 0; i < DYNAMIC_MAX && tag != 0; i++) {
		uint8_t *entry = facts->dynamic + i * DYNAMIC_ENTRY;
		if (!memory_read(memory, address + i * DYNAMIC_ENTRY, entry, DYNAMIC_ENTRY))
			return;
		facts->dynamic_size += DYNAMIC_ENTRY;
		tag = bytes_u64(entry, false);
		if (tag == DT_DEBUG)
			read_debug(facts, memory, bytes_u64(entry + 8, false));
	}
}

bool loader_facts_find(struct loader_facts *facts, struct cairn_stacks *stacks)
{
	const struct snapshot *snapshot = &stacks->snapshot;

	*facts = (struct loader_facts){ .program = loader_find_program(snapshot) };
	facts->dynamics = calloc(snapshot->module_count + 1, sizeof(*facts->dynamics));
	facts->dynamic = calloc(DYNAMIC_MAX, DYNAMIC_ENTRY);
	if (!facts->dynamics || !facts->dynamic)
		return false;
	for (size_t i = 0; i < snapshot->module_count; i++)
		facts->dynamics[i] = find_dynamic(&stacks->memory.target, &snapshot->modules[i]);
	snapshot_auxv(snapshot, AT_BASE, &facts->base);
	if (facts->program < snapshot->module_count && facts->dynamics[facts->program])
		read_program_dynamic(facts, &snapshot->memory, facts->dynamics[facts->program]);
	return true;
}

void loader_facts_finish(struct loader_facts *facts)
{
	free(facts->dynamics);
	free(facts->dynamic);
}
