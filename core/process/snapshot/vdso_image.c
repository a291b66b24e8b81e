/* SPDX-License-Identifier: MIT */
/* Tells which bytes of a program are its vDSO. */
#include "vdso_image.h"

#include <string.h>

size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	static const char name[] = "[vdso]";
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, module->low);

	if (module->path.size != sizeof(name) - 1 ||
	    memcmp(module->path.data, name, sizeof(name) - 1) != 0 || !mapping ||
	    mapping->high - module->low > VDSO_IMAGE_MAX)
		return 0;
	return (size_t)(mapping->high - module->low);
}
