/* SPDX-License-Identifier: MIT */
/*
 * A file or pipe, line by line, in as much memory as its longest line takes.
 *
 *	struct line_reader lines = { .fd = fd };
 *	while ((kind = line_reader_next(&lines, &line)) != LINE_READER_END)
 *		...
 *	if (lines.error)
 *		... it could not be read to its end
 *	line_reader_finish(&lines);
 */
#ifndef CAIRN_CLI_FRONT_LINE_READER_H
#define CAIRN_CLI_FRONT_LINE_READER_H

#include <cairn.h>

enum { LINE_READER_MAX = 1 << 27 }; /* bytes of a line; a stack of 100,000 frames has some 35 MB */

enum line_reader_kind {
	LINE_READER_LINE,
	LINE_READER_TOO_LONG, /* passed over; it comes with no bytes */
	LINE_READER_END,
};

struct line_reader {
	int fd;
	int error;       /* an errno value, after LINE_READER_END */
	uint64_t offset; /* of the line that was given, in bytes from the beginning */
	uint8_t *data;
	size_t begin, end, room; /* bytes that were read and not given yet */
	uint64_t next;           /* the offset of `begin` */
	bool ended;
};

/* The next line without its line feed; it lives until the next call. */
enum line_reader_kind line_reader_next(struct line_reader *lines, struct cairn_bytes *line);

/* Return true if the next line has been read already, so that line_reader_next() does not wait for it. */
bool line_reader_has_line(const struct line_reader *lines);

void line_reader_finish(struct line_reader *lines);

#endif
