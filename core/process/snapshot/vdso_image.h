/* SPDX-License-Identifier: MIT */
/* Finds the end of the vDSO, a file that lies in the program's memory alone, with its symbols and section headers. */
#ifndef CAIRN_PROCESS_SNAPSHOT_VDSO_IMAGE_H
#define CAIRN_PROCESS_SNAPSHOT_VDSO_IMAGE_H

#include "model/snapshot.h"

enum { VDSO_IMAGE_MAX = 1 << 16 }; /* the kernel's has one to four pages; larger is not believed */

/*
 * Bytes from module->low to the end of its mapping; 0 when the module is not the vDSO, or claims more
 * than VDSO_IMAGE_MAX.
 */
size_t vdso_image_size(const struct snapshot *snapshot, const struct snapshot_module *module);

#endif
