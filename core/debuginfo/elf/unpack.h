/* SPDX-License-Identifier: MIT */
/*
 * Whole files in gzip, zstd, xz or lz4, as symbols are kept and sent; sections of object files are
 * compressed_sections.h.  Each can be read when cairn was built with its library.
 */
#ifndef CAIRN_DEBUGINFO_ELF_UNPACK_H
#define CAIRN_DEBUGINFO_ELF_UNPACK_H

#include "os/file/file.h"

/* Bytes that may come out of so many: unpack_allowed(), and no more than is read from a pipe. */
size_t unpack_file_limit(size_t packed);

/*
 * In place of a packed file what is in it; all others stay as they are.  Not OK: the file stays as
 * it was, and *fault gives the reason.
 */
CAIRN_MUST_USE enum cairn_status unpack_file(struct os_file *file, size_t limit,
                                             struct cairn_fault *fault);

#endif
