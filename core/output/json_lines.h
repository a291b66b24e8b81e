/* SPDX-License-Identifier: MIT */
/*
 * Many records at once, which differ in a number and a text alone: a log has as many as lines, and one value after
 * the other costs several times the text.
 */
#ifndef CAIRN_OUTPUT_JSON_LINES_H
#define CAIRN_OUTPUT_JSON_LINES_H

#include <cairn.h>
#include <stdio.h>

enum { JSON_LINE_HEAD = 64 }; /* the greatest size of each of the two texts below */

/* What is the same in each record: {"type":"text","line": and ,"column":1,"text":" */
struct json_line {
	const char *before, *between;
	size_t before_size, between_size;
};

/*
 * Writes a record for each line that is not empty: `before`, its number, `between`, the line as the inside of a
 * string, and "}.  Each line ends with a line feed.  Returns how many lines there were, the empty ones too.
 */
uint64_t json_lines(FILE *out, const struct json_line *form, uint64_t first,
                    struct cairn_bytes lines);

#endif
