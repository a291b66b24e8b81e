/* SPDX-License-Identifier: MIT */
/*
 * Reads a file or pipe line by line. The buffer grows to the longest line.
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

/* maximum size of a line in bytes; a JSON stack with 100,000 frames takes about 35 MB */
enum { LINE_READER_MAX = 1 << 27 };

enum line_reader_kind {
	LINE_READER_LINE,
	LINE_READER_TOO_LONG, /* the line was skipped, and no bytes are returned */
	LINE_READER_END,
};

struct line_reader {
	int fd;
	int error;       /* errno value of a read error; valid after LINE_READER_END */
	uint64_t offset; /* offset of the returned line in the input */
	uint8_t *data;
	size_t begin, end, capacity; /* range of unread bytes in `data`, and capacity of `data` */
	uint64_t next;               /* offset of the first unread byte in the input */
	bool ended;
};

/* Read the next line, without its line feed. It is valid until the next call. */
enum line_reader_kind line_reader_next(struct line_reader *lines, struct cairn_bytes *line);

/*
 * Return true if the whole next line is in the buffer, so that line_reader_next() will not block.
 */
bool line_reader_has_line(const struct line_reader *lines);

void line_reader_finish(struct line_reader *lines);

#endif
