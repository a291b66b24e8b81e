/* SPDX-License-Identifier: MIT */
/* Gives a module the SFrame table of a file that was made for it (`cairn sframe create`). */
#include "unwind_tables.h"

#include "base/error.h"

#include "sframe_section.h"

#include <string.h>

/*
 * Return true if the file was made for the module's build. A module known only from a report has no
 * build ID.
 */
static bool is_made_for(const struct module *module, const struct elf *elf)
{
	const struct cairn_bytes id = elf_build_id(elf);

	if (module->report)
		return true;
	return id.size == module->id_size && memcmp(id.data, module->id, id.size) == 0;
}

static enum cairn_status take_table(struct cairn_space *space, struct module *module,
                                    const struct elf *elf, struct cairn_fault *fault)
{
	struct sframe_section section;

	if (sframe_section_find(elf, &section) != CAIRN_OK)
		return fault_set(fault, CAIRN_NOT_FOUND, "no .sframe in the file");
	if (module_rules(space, module))
		return fault_set(fault, CAIRN_NOT_FOUND, "the module has an .sframe already");
	if (!module_adopt_sframe(space, module, section.bytes, section.address)) {
		*fault = module->fault;
		return fault->status;
	}
	return CAIRN_OK;
}

enum cairn_status cairn_space_give_sframe(struct cairn_space *space, uint64_t pc,
                                          struct cairn_bytes file, struct cairn_fault *fault)
{
	struct elf elf;

	struct module *module = space_query(space, pc);
	if (!module)
		return fault_set(fault, CAIRN_NOT_FOUND, "no module contains the address");
	enum cairn_status status = elf_open(file, &elf, fault);
	if (status != CAIRN_OK)
		return status;
	if (elf_machine(&elf) != module->machine || elf.big != module->big ||
	    !is_made_for(module, &elf))
		return fault_set(fault, CAIRN_MISMATCH, "the file was made for another build");
	return take_table(space, module, &elf, fault);
}

bool cairn_space_wants_sframe(struct cairn_space *space, uint64_t pc)
{
	struct module *module = space_query(space, pc);

	if (!module || module->side_looked)
		return false;
	module->side_looked = true;
	return module_rules(space, module) == NULL;
}
