/* SPDX-License-Identifier: MIT */
/*
 * Walks the dynamic linker's list. On 64-bit machines <link.h> declares:
 *
 *	r_debug  = version:4 pad:4 map:8 ...
 *	link_map = addr:8 name:8 ld:8 next:8 prev:8 ...
 *
 * `addr` is the bias of a module, and `ld` the address of its dynamic section, which linkers put
 * after the code.
 */
#include "linked_modules.h"

#include "base/bytes.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

enum {
	DT_DEBUG = 21,
	ENTRY = 16,
	LIST_AT = 8,
	LINK_MAP_DYNAMIC = 16,
	LINK_MAP_NEXT = 24,
	LINK_MAP = 32,
};

/*
 * Find DT_DEBUG. This is done once because its address is fixed; the dynamic linker fills in its
 * value later.
 */
static void locate_debug_slot(const struct cairn_target *target, struct module *module)
{
	uint8_t bytes[LINKED_MODULES_DYNAMIC * ENTRY];
	size_t size =
		module->dynamic_size < sizeof(bytes) ? (size_t)module->dynamic_size : sizeof(bytes);

	size = memory_read_some(target, module->dynamic_va + module->bias, bytes, size);
	for (size_t at = 0; at + ENTRY <= size && module->debug_slot == 0; at += ENTRY)
		if (bytes_u64(bytes + at, module->big) == DT_DEBUG)
			module->debug_slot = module->dynamic_va + at + ENTRY / 2;
	module->dynamic_size = 0;
}

static bool has_list(const struct cairn_target *target, struct module *module)
{
	const struct arch *arch = arch_of(module->machine);

	if (!arch || arch->address != 8 || module->report)
		return false;
	if (module->dynamic_size > 0)
		locate_debug_slot(target, module);
	return module->debug_slot != 0;
}

/* Return the first list element, or 0 if the dynamic linker has not created the list. */
static uint64_t find_first_element(const struct cairn_target *target, const struct module *module)
{
	uint64_t debug, first;

	if (!memory_word(target, module->debug_slot + module->bias, module->big, &debug) ||
	    debug == 0 || !memory_word(target, debug + LIST_AT, module->big, &first))
		return 0;
	return first;
}

bool linked_modules_find(const struct cairn_target *target, struct module *program, uint64_t pc,
                         uint64_t *bias)
{
	uint8_t map[LINK_MAP];
	uint64_t at = has_list(target, program) ? find_first_element(target, program) : 0;

	for (unsigned i = 0; at != 0 && i < LINKED_MODULES_MAX; i++) {
		if (!memory_read(target, at, map, sizeof(map)))
			return false;
		*bias = bytes_u64(map, program->big);
		if (*bias <= pc && pc < bytes_u64(map + LINK_MAP_DYNAMIC, program->big))
			return true;
		at = bytes_u64(map + LINK_MAP_NEXT, program->big);
	}
	return false;
}
