/* SPDX-License-Identifier: MIT */
/* Keeps the files that the host gives for a module, and answers what is in them at an address. */
#include "modules.h"

#include "unwind/files/program_files.h"

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
	return answer;
}
