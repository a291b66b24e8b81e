/* SPDX-License-Identifier: MIT */
/* Tells whether the program that a host was given is a file of the stacks' modules. */
#include "stacks.h"

#include "base/error.h"
#include "module_file.h"

#include <string.h>

/* Could the file be the module's?  What is not known of a module does not speak against it, nor what it has served for. */
static bool could_be_file(const struct module_file_search *search,
                          const struct snapshot_module *module, struct cairn_bytes file)
{
	const size_t length = strlen(search->program);

	return (!module->has_bias && module->build_id.size == 0) ||
	       (module->file_path.size == length &&
	        memcmp(module->file_path.data, search->program, length) == 0) ||
	       module_file_is_own(search, module, file);
}

enum cairn_status cairn_stacks_check_program(struct cairn_stacks *stacks, struct cairn_error *error)
{
	const struct module_file_search search = stacks_file_search(stacks);
	const struct snapshot *snapshot = &stacks->snapshot;
	struct cairn_fault fault;
	struct os_file file;
	struct elf elf;
	size_t i = 0;

	if (!search.program || snapshot->module_count == 0)
		return CAIRN_OK; /* without modules nothing speaks against it */
	const int number = os_file_open_by(search.access, search.program, &file);
	if (number != 0)
		return error_set_system(error, number, search.program, "it cannot be read");
	enum cairn_status status = elf_open(file.bytes, &elf, &fault);
	while (status == CAIRN_OK && i < snapshot->module_count &&
	       !could_be_file(&search, &snapshot->modules[i], file.bytes))
		i++;
	os_file_close(&file);
	if (status != CAIRN_OK)
		return error_set_fault(error, search.program, NULL, &fault, NULL);
	return i < snapshot->module_count ? CAIRN_OK
	                                  : error_set(error, CAIRN_MISMATCH, search.program,
	                                              "no module is of this build");
}
