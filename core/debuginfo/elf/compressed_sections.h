/* SPDX-License-Identifier: MIT */
/*
 * Decompresses sections: SHF_COMPRESSED with zlib or zstd, and .zdebug_*. Each method requires its
 * library at build time.
 */
#ifndef CAIRN_DEBUGINFO_ELF_COMPRESSED_SECTIONS_H
#define CAIRN_DEBUGINFO_ELF_COMPRESSED_SECTIONS_H

#include "budget.h"

/*
 * Maximum ratio of zlib. A section that claims more is rejected before memory is allocated, which
 * limits all sections together to this multiple of the file size.
 */
enum { INFLATE_MOST_SAVED = 1100 };

enum inflate_kind {
	INFLATE_ELF32, /* preceded by an Elf32_Chdr */
	INFLATE_ELF64,
	INFLATE_GNU, /* .zdebug_*: "ZLIB" and a big-endian size */
};

/* Read the claimed decompressed size, which is checked against the maximum ratio. */
CAIRN_MUST_USE enum cairn_status inflate_section_size(struct cairn_bytes section,
                                                      enum inflate_kind kind, bool big,
                                                      size_t *size, struct cairn_fault *fault);

/*
 * Decompress into `out`, which must have exactly the claimed size. The caller draws the budget.
 * Returns UNSUPPORTED if the method is unknown or not built in. Fault offsets count from the
 * section's start.
 */
CAIRN_MUST_USE enum cairn_status inflate_section_into(struct cairn_bytes section,
                                                      enum inflate_kind kind, bool big,
                                                      uint8_t *out, size_t size,
                                                      struct cairn_fault *fault);

#endif
