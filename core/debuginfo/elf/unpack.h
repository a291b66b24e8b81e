/* SPDX-License-Identifier: MIT */
/*
 * Whole files in gzip, zstd, xz or lz4, as symbols are kept and sent; sections of object files are
 * compressed_sections.h.  Each can be read when cairn was built with its library.
 */
#ifndef CAIRN_DEBUGINFO_ELF_UNPACK_H
#define CAIRN_DEBUGINFO_ELF_UNPACK_H

#include "os/file/file.h"

/* Of what comes out: as of what is read from a pipe.  A few bytes can stand for any number. */
#define UNPACK_MAX OS_FILE_READ_MAX

/*
 * In place of a packed file what is in it; all others stay as they are.  Not OK: the file stays as
 * it was, and *fault gives the reason.
 */
CAIRN_MUST_USE enum cairn_status unpack_file(struct os_file *file, size_t limit,
                                             struct cairn_fault *fault);

#endif
