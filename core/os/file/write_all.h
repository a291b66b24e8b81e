/* SPDX-License-Identifier: MIT */
/* Writes all bytes to a descriptor and reports any error. */
#ifndef CAIRN_OS_FILE_WRITE_ALL_H
#define CAIRN_OS_FILE_WRITE_ALL_H

#include <cairn.h>

/* Write all bytes. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_write_all(int fd, struct cairn_bytes bytes);

/*
 * Write all bytes at the offset `at`. Only valid if os_may_write_at() returned true: for a regular
 * file whose position is still 0.
 */
CAIRN_MUST_USE int os_write_all_at(int fd, struct cairn_bytes bytes, uint64_t at);
bool os_may_write_at(int fd);

/* Write one piece. This is a callback; `context` points to the descriptor, an int. */
CAIRN_MUST_USE int os_write_piece(void *context, const void *bytes, size_t size);

/* Close a written file. Returns `error`, or the errno value of close() if `error` is 0. */
CAIRN_MUST_USE int os_close_written(int fd, int error);

#endif
