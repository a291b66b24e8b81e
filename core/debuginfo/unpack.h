/* SPDX-License-Identifier: MIT */
/*
 * Decompresses whole files, sections, and .gnu_debugdata. A method is supported if its library was
 * present at build time.
 */
#ifndef CAIRN_DEBUGINFO_UNPACK_H
#define CAIRN_DEBUGINFO_UNPACK_H

#include "budget.h"

#include "os/file.h"

#include <cairn.h>

/*
 * Return the maximum decompressed size of a file of `packed` bytes: unpack_allowed(), but at most
 * OS_FILE_READ_MAX.
 */
size_t unpack_file_limit(size_t packed);

/*
 * Replace a compressed file with its contents; leave other files unchanged. On failure, set *fault
 * and leave the file unchanged.
 */
CAIRN_MUST_USE enum cairn_status unpack_file(struct os_file *file, size_t limit,
                                             struct cairn_fault *fault);

/*
 * Maximum compression ratio of zlib. A section that claims a higher ratio is rejected before memory
 * is allocated, so all sections together are limited to this multiple of the file size.
 */
enum { INFLATE_MOST_SAVED = 1100 };

enum inflate_kind {
	INFLATE_ELF32, /* section data preceded by an Elf32_Chdr */
	INFLATE_ELF64,
	INFLATE_GNU, /* .zdebug_*: "ZLIB" and a big-endian 64-bit size */
};

/*
 * Read the decompressed size that the section's header claims. Fails if it exceeds the maximum
 * ratio.
 */
CAIRN_MUST_USE enum cairn_status inflate_section_size(struct cairn_bytes section,
                                                      enum inflate_kind kind, bool big,
                                                      size_t *size, struct cairn_fault *fault);

/*
 * Decompress into `out`, whose size must be exactly the claimed size. The caller counts that size
 * against its memory limit. Returns UNSUPPORTED if the method is unknown or not built in. Fault
 * offsets are relative to the start of the section.
 */
CAIRN_MUST_USE enum cairn_status inflate_section_into(struct cairn_bytes section,
                                                      enum inflate_kind kind, bool big,
                                                      uint8_t *out, size_t size,
                                                      struct cairn_fault *fault);

/*
 * Decompress the section `name` of an ELF file. The caller frees *memory. Returns NOT_FOUND if
 * there is no such section, UNSUPPORTED if the method is not built in.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name,
                                                      void **memory, size_t *size);

/*
 * Reads .gnu_debugdata (MiniDebugInfo): an xz-compressed ELF file with those symbols of a stripped
 * program that are missing from .dynsym. Distributions include the section for backtraces.
 *
 *	status = minidebug_read(file, &memory, &size, &fault);
 *	if (status == CAIRN_OK)
 *		aliases_read(&aliases, (struct cairn_bytes){ memory, size }, ALIASES_SYMTAB, &fault);
 *
 * If liblzma was missing at build time, minidebug_read() returns UNSUPPORTED.
 */

enum {
	/* maximum compression ratio; symbols usually shrink to a fifth of their size */
	MINIDEBUG_MOST_SAVED = 64,
	MINIDEBUG_LEAST = 1 << 20, /* decompressed bytes allowed regardless of the ratio */
	/* maximum memory of the decoder; xz decoders allocate the whole dictionary */
	MINIDEBUG_WORK_MAX = 128 << 20,
};

/*
 * Decompress .gnu_debugdata of `file`. The caller frees *memory. Returns NOT_FOUND if there is no
 * such section. Fault offsets are relative to the start of the section.
 */
CAIRN_MUST_USE enum cairn_status minidebug_read(struct cairn_bytes file, void **memory,
                                                size_t *size, struct cairn_fault *fault);

/* Decompress the contents of a .gnu_debugdata section, ignoring trailing bytes. */
CAIRN_MUST_USE enum cairn_status minidebug_unpack(struct cairn_bytes packed, void **memory,
                                                  size_t *size, struct cairn_fault *fault);

#endif
