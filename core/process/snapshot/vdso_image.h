/* SPDX-License-Identifier: MIT */
/*
 * The size of the vDSO, an ELF file that exists only in memory and has symbols and section headers.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_VDSO_IMAGE_H
#define CAIRN_PROCESS_SNAPSHOT_VDSO_IMAGE_H

#include "model/snapshot.h"

/* The kernel's has one to four pages; a larger one is not trusted. */
enum { VDSO_IMAGE_MAX = 1 << 16 };

/*
 * Return the bytes from module->low to the end of its mapping. Return 0 if the module is not the
 * vDSO or is larger than VDSO_IMAGE_MAX.
 */
size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module);

#endif
