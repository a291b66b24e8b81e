/* SPDX-License-Identifier: MIT */
/*
 * Stores the files that the host supplies for a module, and answers queries about their contents.
 */
#include "modules.h"

#include "base/hash.h"
#include "program_files.h"

void cairn_space_give_files(struct cairn_space *space, uint64_t pc, struct cairn_files *files)
{
	struct module *module = space_query(space, pc);

	if (!module) {
		cairn_files_free(files);
		return;
	}
	cairn_files_free(module->files);
	module->files = files;
}

/* Return true if the .sframe in memory belongs to another build at the same address. */
static bool has_table_of_other(const struct module *module, const struct cairn_files *files)
{
	if (files->program || module->sframe != MODULE_SFRAME_READY)
		return false;
	for (size_t i = 0; i < files->other_count; i++) {
		const struct files_other *other = &files->others[i];
		const struct cairn_bytes table = { module->sframe_bytes,
			                           other->size < FILES_OTHER ? (size_t)other->size
			                                                     : FILES_OTHER };
		if (other->va == module->sframe_va && other->size == module->sframe_size &&
		    table.size <= module->sframe_held && hash_bytes(table) == other->hash)
			return true;
	}
	return false;
}

struct cairn_in_files cairn_space_in_files(struct cairn_space *space, uint64_t pc)
{
	struct cairn_in_files answer = { .given = false };

	const struct module *module = space_query(space, pc);
	if (!module || !module->files)
		return answer;
	answer.given = true;
	answer.symbols = module->files->wants_symbols;
	answer.program = module->files->program;
	answer.cfi = files_have_cfi(module->files, pc - module->bias);
	answer.function = files_have_function(module->files, pc - module->bias);
	answer.other = has_table_of_other(module, module->files);
	return answer;
}
