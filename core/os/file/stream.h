/* SPDX-License-Identifier: MIT */
/*
 * An open file that is read from its beginning to its end, with parts that are skipped: of a pipe they are
 * moved away within the kernel, in a regular file they are not read at all.
 *
 *	struct os_stream stream;
 *	if (os_stream_open(&stream, STDIN_FILENO) == 0)
 *		... os_stream_peek(), os_stream_read(), os_stream_skip()
 *	os_stream_close(&stream);                the descriptor stays open
 */
#ifndef CAIRN_OS_FILE_STREAM_H
#define CAIRN_OS_FILE_STREAM_H

#include "file.h"

struct os_stream {
	int fd, drain;    /* where skipped bytes of a pipe go; -1: nowhere, they are read */
	bool regular;     /* parts can be skipped without being read */
	uint8_t *buffer;  /* bytes that were read ahead */
	size_t at, count; /* of them */
	int error;        /* that ended the stream early; 0: none */
};

/* Returns 0 or an errno value, after which nothing has to be closed. */
CAIRN_MUST_USE int os_stream_open(struct os_stream *stream, int fd);
void os_stream_close(struct os_stream *stream);

/* The next bytes, which stay to be read: `size` of them (at most 64), fewer at the end. */
struct cairn_bytes os_stream_peek(struct os_stream *stream, size_t size);

/* Fewer bytes than asked for only at the end, or after an error. */
size_t os_stream_read(struct os_stream *stream, void *buffer, size_t size);
uint64_t os_stream_skip(struct os_stream *stream, uint64_t size);

/* All that is left, as a file in memory; 0 or an errno value: EFBIG past OS_FILE_READ_MAX. */
CAIRN_MUST_USE int os_stream_rest(struct os_stream *stream, struct os_file *file);

/* What was read ahead and not taken yet; it is taken by this. Empty: what follows has to be read. */
struct cairn_bytes os_stream_take(struct os_stream *stream);

#endif
