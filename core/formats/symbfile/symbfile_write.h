/* SPDX-License-Identifier: MIT */
/*
 * Writes symbfiles, message by message, into a buffer that the caller lends:
 *
 *	struct symbfile_writer writer = { 0 };
 *	symbfile_put_start(&out);
 *	symbfile_put_table(&out, texts, count);
 *	code = symbfile_put_range(&writer, &out, &range, &lines);
 *
 * The same calls make the same bytes.  They follow the one big producer, so that its readers and
 * those that only know its habits take them: fields in its order, the first address absolute and
 * all others relative, references given though they are 0.  Which texts are in the table is for
 * the caller to say, by the references that it gives.
 */
#ifndef CAIRN_FORMATS_SYMBFILE_WRITE_H
#define CAIRN_FORMATS_SYMBFILE_WRITE_H

#include "symbfile.h"

#include "base/sink.h"

struct symbfile_writer {
	uint64_t previous;
	bool has_previous;
};

/* A line table, its offsets from the range's start, ascending. */
struct symbfile_line_rows {
	const struct symbfile_row *row;
	size_t count;
};

/* What one frame of a return pad refers to: struct symbfile_frame. */
struct symbfile_pad_frames {
	const struct symbfile_frame *frame;
	size_t count;
};

/* The magic and the header. */
void symbfile_put_start(struct sink *out);

/* A string table.  MESSAGE_TOO_BIG, and nothing written, when it has no room in a message. */
CAIRN_MUST_USE enum symbfile_code symbfile_put_table(struct sink *out,
                                                     const struct cairn_bytes *texts, size_t count);

/* What a text takes in a table, at most. */
static inline size_t symbfile_table_cost(size_t size)
{
	return size + 5;
}

/*
 * range->lines is not looked at.  LINES_UNSORTED: `lines` goes backwards, or by more than 32 bits
 * at once.  After a refusal nothing is written.
 */
CAIRN_MUST_USE enum symbfile_code symbfile_put_range(struct symbfile_writer *writer,
                                                     struct sink *out,
                                                     const struct symbfile_range *range,
                                                     const struct symbfile_line_rows *lines);

CAIRN_MUST_USE enum symbfile_code symbfile_put_pad(struct symbfile_writer *writer, struct sink *out,
                                                   uint64_t address,
                                                   const struct symbfile_pad_frames *frames);

#endif
