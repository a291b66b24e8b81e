/* SPDX-License-Identifier: MIT */
/* Looks at one module of a minidump and at its file. */
#include "process/snapshot/vdso_image.h"
#include "reopened.h"

bool reopened_open_elf(const struct snapshot_module *module, struct elf *elf)
{
	return module->file.size > 0 && elf_opens(module->file, elf);
}

bool reopened_find_segment(const struct snapshot_module *module, uint32_t type,
                           struct elf_segment *segment)
{
	struct elf elf;

	return reopened_open_elf(module, &elf) && elf_find_segment(&elf, type, segment);
}

struct cairn_bytes reopened_path(const struct snapshot_module *module)
{
	return module->file_path.size > 0 ? module->file_path : module->path;
}

bool reopened_is_linked(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	return !module->remapped && module->high > module->low &&
	       vdso_image_size(snapshot, module) == 0;
}
