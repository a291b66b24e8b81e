/* SPDX-License-Identifier: MIT */
/* Bytes to a descriptor: all of them, or an errno value. */
#ifndef CAIRN_OS_FILE_WRITE_ALL_H
#define CAIRN_OS_FILE_WRITE_ALL_H

#include <cairn.h>

/* All of the bytes, to a descriptor.  0 or an errno value. */
CAIRN_MUST_USE int os_write_all(int fd, struct cairn_bytes bytes);

/* The same to a place in a file, where that may be done: in a regular one that was not written to before. */
CAIRN_MUST_USE int os_write_all_at(int fd, struct cairn_bytes bytes, uint64_t at);
bool os_may_write_at(int fd);

/* The same as a callback that is given a piece at a time; `context` is an int, the descriptor. */
CAIRN_MUST_USE int os_write_piece(void *context, const void *bytes, size_t size);

/* Closes a file that was written, and returns `error`; what was not reported before is now. */
CAIRN_MUST_USE int os_close_written(int fd, int error);

#endif
