/* SPDX-License-Identifier: MIT */
/*
 * Sections that are stored compressed (SHF_COMPRESSED), made readable by libelf.  Built without it,
 * this always declines.
 */
#ifndef CAIRN_DEBUGINFO_ELF_SECTION_H
#define CAIRN_DEBUGINFO_ELF_SECTION_H

#include <cairn.h>

/* More than any compressor saves: a section that claims more is refused before memory is taken. */
enum { DEBUGINFO_MOST_SAVED = 1100 };

/*
 * The section of this name of an ELF file, decompressed into *memory, which free() gives back.
 * NOT_FOUND when there is none; UNSUPPORTED when it cannot be decompressed here.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name,
                                                      void **memory, size_t *size);

#endif
