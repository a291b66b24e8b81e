/* SPDX-License-Identifier: MIT */
/*
 * Decompresses whole files in gzip, zstd, xz or lz4, in which symbols are stored and transferred.
 * For sections of object files see compressed_sections.h. Each method requires its library at
 * build time.
 */
#ifndef CAIRN_DEBUGINFO_ELF_UNPACK_H
#define CAIRN_DEBUGINFO_ELF_UNPACK_H

#include "os/file/file.h"

/* Return the maximum decompressed size: unpack_allowed(), but no more than is read from a pipe. */
size_t unpack_file_limit(size_t packed);

/*
 * Replace a compressed file by its contents; other files are left unchanged. On failure the file is
 * unchanged and *fault has the reason.
 */
CAIRN_MUST_USE enum cairn_status unpack_file(struct os_file *file, size_t limit,
                                             struct cairn_fault *fault);

#endif
