/* SPDX-License-Identifier: MIT */
/*
 * Sections that are stored compressed (SHF_COMPRESSED), made readable.
 */
#ifndef CAIRN_DEBUGINFO_ELF_SECTION_H
#define CAIRN_DEBUGINFO_ELF_SECTION_H

#include <cairn.h>

/*
 * The section of this name of an ELF file, decompressed into *memory, which free() gives back.
 * NOT_FOUND when there is none; UNSUPPORTED when this cairn was built without the method.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name,
                                                      void **memory, size_t *size);

#endif
