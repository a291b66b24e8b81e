/* SPDX-License-Identifier: MIT */
/*
 * Reads an open file sequentially, and skips bytes that are not needed. The kernel moves skipped
 * bytes in a pipe to /dev/null; in a regular file they are not read.
 *
 *	struct os_stream stream;
 *	if (os_stream_open(&stream, STDIN_FILENO) == 0)
 *		... os_stream_peek(), os_stream_read(), os_stream_skip()
 *	os_stream_close(&stream);                the descriptor stays open
 */
#ifndef CAIRN_OS_STREAM_H
#define CAIRN_OS_STREAM_H

#include "file.h"

struct os_stream {
	/*
	 * `drain` is /dev/null, which receives skipped bytes from a pipe; -1 if skipped bytes must
	 * be read
	 */
	int fd, drain;
	bool regular; /* skip by lseek(), because the file is a regular file */
	uint8_t *buffer;
	size_t at, count; /* read position and number of bytes in the buffer */
	int error;        /* errno value that has ended the stream early, or 0 */
};

/* Open a stream on `fd`. Returns 0 or an errno value; on failure nothing has to be closed. */
CAIRN_MUST_USE int os_stream_open(struct os_stream *stream, int fd);
void os_stream_close(struct os_stream *stream);

/*
 * Return the next `size` bytes (at most 64) without consuming them. Returns fewer at the end of the
 * input.
 */
struct cairn_bytes os_stream_peek(struct os_stream *stream, size_t size);

/* Read `size` bytes. Returns a smaller number only at the end of the input or after an error. */
size_t os_stream_read(struct os_stream *stream, void *buffer, size_t size);
uint64_t os_stream_skip(struct os_stream *stream, uint64_t size);

/*
 * Read all remaining bytes into memory and return them as *file. Returns 0 or an errno value; EFBIG
 * if there are more than OS_FILE_READ_MAX bytes.
 */
CAIRN_MUST_USE int os_stream_rest(struct os_stream *stream, struct os_file *file);

/*
 * Consume and return the buffered bytes, refilling an empty buffer first. Returns empty bytes at
 * the end of the input.
 */
struct cairn_bytes os_stream_take(struct os_stream *stream);

#endif
