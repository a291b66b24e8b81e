/* SPDX-License-Identifier: MIT */
/* Decompresses sections with SHF_COMPRESSED. */
#ifndef CAIRN_DEBUGINFO_ELF_SECTION_H
#define CAIRN_DEBUGINFO_ELF_SECTION_H

#include <cairn.h>

/*
 * Decompress the section `name` of an ELF file. The caller frees *memory. Returns NOT_FOUND if
 * there is no such section, UNSUPPORTED if the method is not built in.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name,
                                                      void **memory, size_t *size);

#endif
