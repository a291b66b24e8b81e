/* SPDX-License-Identifier: MIT */
/* Determines the extent of the vDSO in memory. */
#include "vdso_image.h"

#include "base/bytes.h"

size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, module->low);

	if (!bytes_are(module->path, "[vdso]") || !mapping ||
	    mapping->high - module->low > VDSO_IMAGE_MAX)
		return 0;
	return (size_t)(mapping->high - module->low);
}
