/* SPDX-License-Identifier: MIT */
/* Splits input into lines, in a buffer that grows to the longest line. */
#include "line_reader.h"

#include "base/memory.h"

#include <errno.h>
#include <unistd.h>

enum { PIECE = 1 << 17 };

static void read_more(struct line_reader *lines)
{
	ssize_t got;

	if (lines->begin > 0) {
		memmove(lines->data, lines->data + lines->begin, lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->begin = 0;
	}
	if (!array_grow(&lines->data, &lines->capacity, lines->end + PIECE, 1)) {
		lines->error = ENOMEM;
		lines->ended = true;
		return;
	}
	do {
		got = read(lines->fd, lines->data + lines->end, lines->capacity - lines->end);
	} while (got < 0 && errno == EINTR);
	lines->error = got < 0 ? errno : 0;
	lines->ended = got <= 0;
	lines->end += got > 0 ? (size_t)got : 0;
}

static void pass_bytes(struct line_reader *lines, size_t size)
{
	lines->begin += size;
	lines->next += size;
}

/*
 * Return the line feed at the end of the first unread line, or NULL if it is not in the buffer. The
 * caller knows that the first `seen` bytes contain no line feed.
 */
static const uint8_t *find_line_feed(const struct line_reader *lines, size_t seen)
{
	const size_t size = lines->end - lines->begin;

	return size > seen ? memchr(lines->data + lines->begin + seen, '\n', size - seen) : NULL;
}

static enum line_reader_kind pass_long_line(struct line_reader *lines)
{
	const uint8_t *end = find_line_feed(lines, 0);

	while (!end && !lines->ended) {
		pass_bytes(lines, lines->end - lines->begin);
		read_more(lines);
		end = find_line_feed(lines, 0);
	}
	pass_bytes(lines, end ? (size_t)(end - (lines->data + lines->begin)) + 1
	                      : lines->end - lines->begin);
	return LINE_READER_TOO_LONG;
}

enum line_reader_kind line_reader_next(struct line_reader *lines, struct cairn_bytes *line)
{
	const uint8_t *end = find_line_feed(lines, 0);
	size_t seen = lines->end - lines->begin;

	lines->offset = lines->next;
	*line = (struct cairn_bytes)CAIRN_NO_BYTES;
	while (!end && !lines->ended && seen <= LINE_READER_MAX) {
		read_more(lines);
		end = find_line_feed(lines, seen);
		seen = lines->end - lines->begin;
	}
	const size_t size = end ? (size_t)(end - (lines->data + lines->begin)) : seen;
	if (size > LINE_READER_MAX)
		return pass_long_line(lines);
	if (!end && (size == 0 || lines->error))
		return LINE_READER_END;
	*line = (struct cairn_bytes){ lines->data + lines->begin, size };
	pass_bytes(lines, size + (end != NULL));
	return LINE_READER_LINE;
}

bool line_reader_has_line(const struct line_reader *lines)
{
	return find_line_feed(lines, 0) != NULL;
}

void line_reader_finish(struct line_reader *lines)
{
	free(lines->data);
	*lines = (struct line_reader){ 0 };
}
