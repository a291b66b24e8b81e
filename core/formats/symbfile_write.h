/* SPDX-License-Identifier: MIT */
/*
 * Writes symbfiles, message by message, into a sink supplied by the caller:
 *
 *	struct symbfile_writer writer = { 0 };
 *	symbfile_put_start(&out);
 *	symbfile_put_table(&out, texts, count);
 *	code = symbfile_put_range(&writer, &out, &range, &lines);
 *
 * The output is deterministic. It follows the conventions of the main producer, because some
 * readers depend on them: fields are in the same order, the first address is absolute and all
 * others are relative, and references to string 0 are not omitted. Before referring to a string,
 * the caller must write it into a string table.
 */
#ifndef CAIRN_FORMATS_SYMBFILE_WRITE_H
#define CAIRN_FORMATS_SYMBFILE_WRITE_H

#include "symbfile.h"

#include "base/byte_buffer.h"

struct symbfile_writer {
	uint64_t previous;
	bool has_previous;
};

/* A line table. Offsets ascend and are relative to the start of the range. */
struct symbfile_line_rows {
	const struct symbfile_row *row;
	size_t count;
};

struct symbfile_pad_frames {
	const struct symbfile_frame *frame;
	size_t count;
};

void symbfile_put_start(struct sink *out);

/*
 * Write a string table. If it is too large for one message, write nothing and return
 * SYMBFILE_MESSAGE_TOO_BIG.
 */
CAIRN_MUST_USE enum symbfile_code symbfile_put_table(struct sink *out,
                                                     const struct cairn_bytes *texts, size_t count);

/* Return an upper bound for the encoded size of one string. */
static inline size_t symbfile_table_cost(size_t size)
{
	return size + 5;
}

/*
 * Write a range or a return pad. range->lines is ignored. Return SYMBFILE_LINES_UNSORTED if the
 * offsets in `lines` do not ascend, or if the difference between two adjacent offsets exceeds 32
 * bits. On failure, nothing is written.
 */
CAIRN_MUST_USE enum symbfile_code symbfile_put_range(struct symbfile_writer *writer,
                                                     struct sink *out,
                                                     const struct symbfile_range *range,
                                                     const struct symbfile_line_rows *lines);

CAIRN_MUST_USE enum symbfile_code symbfile_put_pad(struct symbfile_writer *writer, struct sink *out,
                                                   uint64_t address,
                                                   const struct symbfile_pad_frames *frames);

#endif
