/* SPDX-License-Identifier: MIT */
/*
 * Copies of whole files in memory. A file that is truncated while it is mapped would crash the
 * debugger, so files are read, not mapped.
 */
#ifndef CAIRN_COMMON_BASE_FILE_BYTES_H
#define CAIRN_COMMON_BASE_FILE_BYTES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILE_BYTES_MAX = 1 << 30 };

/*
 * Read a file. The caller frees bytes->data with free(). Returns false if it is not a regular file,
 * is empty or too large, or memory is short.
 */
bool file_bytes_read(const char *path, struct cairn_bytes *bytes);

#ifdef __cplusplus
}
#endif

#endif
