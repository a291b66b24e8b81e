/* SPDX-License-Identifier: MIT */
/*
 * Decompresses whole files, sections, and .gnu_debugdata. Each method requires its library at
 * build time.
 */
#ifndef CAIRN_DEBUGINFO_ELF_UNPACK_H
#define CAIRN_DEBUGINFO_ELF_UNPACK_H

#include "budget.h"

#include "os/file/file.h"

#include <cairn.h>

/*
 * Decompresses whole files in gzip, zstd, xz or lz4, in which symbols are stored and transferred.
 */

/* Return the maximum decompressed size: unpack_allowed(), but no more than is read from a pipe. */
size_t unpack_file_limit(size_t packed);

/*
 * Replace a compressed file by its contents; other files are left unchanged. On failure the file is
 * unchanged and *fault has the reason.
 */
CAIRN_MUST_USE enum cairn_status unpack_file(struct os_file *file, size_t limit,
                                             struct cairn_fault *fault);

/*
 * Decompresses sections: SHF_COMPRESSED with zlib or zstd, and .zdebug_*. Each method requires its
 * library at build time.
 */

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

/* Decompresses sections with SHF_COMPRESSED. */

/*
 * Decompress the section `name` of an ELF file. The caller frees *memory. Returns NOT_FOUND if
 * there is no such section, UNSUPPORTED if the method is not built in.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name,
                                                      void **memory, size_t *size);

/*
 * Reads .gnu_debugdata, a small ELF file compressed with xz that has the symbols of a stripped
 * program missing from .dynsym. Distributions include it for backtraces.
 *
 *	status = minidebug_read(file, &memory, &size, &fault);
 *	if (status == CAIRN_OK)
 *		aliases_read(&aliases, (struct cairn_bytes){ memory, size }, ALIASES_SYMTAB, &fault);
 *
 * Without liblzma the section is UNSUPPORTED.
 */

enum {
	/* maximum compression ratio; symbols usually shrink to a fifth */
	MINIDEBUG_MOST_SAVED = 64,
	MINIDEBUG_LEAST = 1 << 20, /* bytes allowed regardless of the ratio */
	/* memory of the decoder, which depends on the dictionary size */
	MINIDEBUG_WORK_MAX = 128 << 20,
};

/*
 * Decompress the section of `file`. The caller frees *memory. Returns NOT_FOUND if there is no such
 * section. Fault offsets count from the section's start.
 */
CAIRN_MUST_USE enum cairn_status minidebug_read(struct cairn_bytes file, void **memory,
                                                size_t *size, struct cairn_fault *fault);

/* Decompress the contents of a .gnu_debugdata section. Trailing bytes are ignored. */
CAIRN_MUST_USE enum cairn_status minidebug_unpack(struct cairn_bytes packed, void **memory,
                                                  size_t *size, struct cairn_fault *fault);

#endif
