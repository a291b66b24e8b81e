/* SPDX-License-Identifier: MIT */
/*
 * Sections that are stored compressed: SHF_COMPRESSED with zlib or zstd, and .zdebug_*.  Each
 * compressor can be read when cairn was built with its library.
 */
#ifndef CAIRN_DEBUGINFO_ELF_COMPRESSED_SECTIONS_H
#define CAIRN_DEBUGINFO_ELF_COMPRESSED_SECTIONS_H

#include "debuginfo/budget/budget.h"

/*
 * zlib makes nothing so many times smaller.  A section that claims more is refused before memory is taken, so that
 * all sections together need at most so many times the size of the file.
 */
enum { INFLATE_MOST_SAVED = 1100 };

enum inflate_kind {
	INFLATE_ELF32, /* headed by a Elf32_Chdr */
	INFLATE_ELF64,
	INFLATE_GNU, /* .zdebug_*: "ZLIB" and a size, big-endian */
};

/* The size that the section claims when decompressed, at most what its bytes can hold. */
CAIRN_MUST_USE enum cairn_status inflate_section_size(struct cairn_bytes section,
                                                      enum inflate_kind kind, bool big,
                                                      size_t *size, struct cairn_fault *fault);

/*
 * The contents, of just that size, where the caller wants them; what is drawn for them is his affair.  UNSUPPORTED: the
 * compressor is not known, or not built in.  *fault counts from the section's first byte.
 */
CAIRN_MUST_USE enum cairn_status inflate_section_into(struct cairn_bytes section,
                                                      enum inflate_kind kind, bool big,
                                                      uint8_t *out, size_t size,
                                                      struct cairn_fault *fault);

#endif
