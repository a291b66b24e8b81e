/* SPDX-License-Identifier: MIT */
/* A file as a whole, copied: one that is cut short while it is mapped would end the debugger. */
#ifndef CAIRN_COMMON_BASE_FILE_BYTES_H
#define CAIRN_COMMON_BASE_FILE_BYTES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILE_BYTES_MAX = 1 << 30 }; /* larger programs are not read */

/* free() gives bytes->data back.  False: not a regular file, too large, or memory is short. */
bool file_bytes_read(const char *path, struct cairn_bytes *bytes);

#ifdef __cplusplus
}
#endif

#endif
