/* SPDX-License-Identifier: MIT */
/*
 * The compressed DWARF of a file as an image for libdw, which otherwise unpacks all sections of debug
 * information, also those that no lookup reads (locations of variables are a tenth), and by zlib's own way.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_UNPACKED_IMAGE_H
#define CAIRN_DEBUGINFO_LOOKUP_UNPACKED_IMAGE_H

#include "debuginfo/budget/budget.h"

/*
 * An ELF file in new memory, which free() gives back; *size: its bytes. What is unpacked is drawn from the
 * budget. NULL: nothing is compressed, libdw needs more of the file than such an image has, the budget
 * or memory is used up, or a section is damaged; then libdw reads the file itself.
 */
void *unpacked_image_build(struct cairn_bytes file, struct budget *budget, size_t *size);

#endif
