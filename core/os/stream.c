/* SPDX-License-Identifier: MIT */
/* Reads a descriptor in large pieces, and skips with splice() or lseek() where possible. */
#define _GNU_SOURCE
#include "stream.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CAPACITY = 1 << 16, /* capacity of a pipe */
	/* maximum number of bytes to skip per call; signals are handled between calls */
	PIECE = 1 << 20
};

int os_stream_open(struct os_stream *stream, int fd)
{
	struct stat about;

	*stream = (struct os_stream){ .fd = fd, .drain = -1 };
	if (fstat(fd, &about) != 0)
		return errno;
	if (S_ISDIR(about.st_mode))
		return EISDIR;
	stream->buffer = malloc(CAPACITY);
	if (!stream->buffer)
		return ENOMEM;
	stream->regular = S_ISREG(about.st_mode);
	if (S_ISFIFO(about.st_mode))
		stream->drain = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return 0;
}

void os_stream_close(struct os_stream *stream)
{
	free(stream->buffer);
	if (stream->drain >= 0)
		close(stream->drain);
	*stream = (struct os_stream){ .fd = -1, .drain = -1 };
}

static size_t read_descriptor(struct os_stream *stream, void *buffer, size_t size)
{
	ssize_t got;

	do
		got = read(stream->fd, buffer, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		stream->error = errno;
	return got > 0 ? (size_t)got : 0;
}

static bool read_ahead(struct os_stream *stream)
{
	memmove(stream->buffer, stream->buffer + stream->at, stream->count - stream->at);
	stream->count -= stream->at;
	stream->at = 0;
	size_t got =
		read_descriptor(stream, stream->buffer + stream->count, CAPACITY - stream->count);
	stream->count += got;
	return got > 0;
}

struct cairn_bytes os_stream_peek(struct os_stream *stream, size_t size)
{
	while (stream->count - stream->at < size && read_ahead(stream))
		;
	const size_t have = stream->count - stream->at;
	return (struct cairn_bytes){ stream->buffer + stream->at, have < size ? have : size };
}

struct cairn_bytes os_stream_take(struct os_stream *stream)
{
	if (stream->at == stream->count)
		read_ahead(stream);
	const struct cairn_bytes bytes = { stream->buffer + stream->at,
		                           stream->count - stream->at };
	stream->at = stream->count;
	return bytes;
}

static size_t take_ahead(struct os_stream *stream, uint64_t size)
{
	const size_t have = stream->count - stream->at;
	const size_t part = size < have ? (size_t)size : have;

	stream->at += part;
	return part;
}

size_t os_stream_read(struct os_stream *stream, void *buffer, size_t size)
{
	uint8_t *out = buffer;
	size_t done = 0;

	while (done < size) {
		const size_t left = size - done;
		if (stream->at == stream->count && left >= CAPACITY) {
			size_t got = read_descriptor(stream, out + done, left);
			done += got;
			if (got == 0)
				break;
			continue;
		}
		if (stream->at == stream->count && !read_ahead(stream))
			break;
		const uint8_t *from = stream->buffer + stream->at;
		const size_t part = take_ahead(stream, left);
		memcpy(out + done, from, part);
		done += part;
	}
	return done;
}

int os_stream_rest(struct os_stream *stream, struct os_file *file)
{
	size_t capacity = 0, size = 0;
	uint8_t *memory = NULL;

	for (;;) {
		const struct cairn_bytes bytes = os_stream_take(stream);
		int error = bytes.size == 0 ? stream->error : 0;
		if (bytes.size > 0 && size + bytes.size > OS_FILE_READ_MAX)
			error = EFBIG;
		else if (!array_grow(&memory, &capacity, size + bytes.size + 1, 1))
			error = ENOMEM;
		if (error) {
			free(memory);
			return error;
		}
		if (bytes.size == 0)
			break;
		memcpy(memory + size, bytes.data, bytes.size);
		size += bytes.size;
	}
	*file = (struct os_file){ .bytes = { memory, size }, .memory = memory };
	return 0;
}

static uint64_t seek_ahead(struct os_stream *stream, uint64_t size)
{
	struct stat about;
	off_t at = lseek(stream->fd, 0, SEEK_CUR);

	if (at < 0 || fstat(stream->fd, &about) != 0 || about.st_size <= at)
		return 0;
	const uint64_t left = (uint64_t)(about.st_size - at);
	const uint64_t part = size < left ? size : left;
	return lseek(stream->fd, (off_t)part, SEEK_CUR) < 0 ? 0 : part;
}

/*
 * Skip at most `size` bytes without copying them to user space, and return the number of skipped
 * bytes. Returns 0 at the end of the input or if splice() does not work.
 */
static uint64_t splice_ahead(struct os_stream *stream, uint64_t size)
{
	ssize_t got;

	if (stream->drain < 0)
		return 0;
	do
		got = splice(stream->fd, NULL, stream->drain, NULL,
		             size < PIECE ? (size_t)size : PIECE, SPLICE_F_MOVE);
	while (got < 0 && errno == EINTR);
	return got > 0 ? (uint64_t)got : 0;
}

uint64_t os_stream_skip(struct os_stream *stream, uint64_t size)
{
	uint64_t done = take_ahead(stream, size);

	if (done < size && stream->regular)
		return done + seek_ahead(stream, size - done);
	while (done < size) {
		uint64_t part = size - done >= CAPACITY ? splice_ahead(stream, size - done) : 0;
		if (part == 0) {
			if (stream->at == stream->count && !read_ahead(stream))
				break;
			part = take_ahead(stream, size - done);
		}
		done += part;
	}
	return done;
}
