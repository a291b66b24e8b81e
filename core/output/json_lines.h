/* SPDX-License-Identifier: MIT */
/*
 * Writes many JSON records that differ only in a number and a string. A log has one record per
 * line, and writing such records value by value with json.h would cost several times as much.
 */
#ifndef CAIRN_OUTPUT_JSON_LINES_H
#define CAIRN_OUTPUT_JSON_LINES_H

#include <cairn.h>
#include <stdio.h>

enum { JSON_LINE_HEAD = 64 }; /* maximum size of `before` and of `between` */

/* Constant parts of a record, for example {"type":"text","line": and ,"column":1,"text":" */
struct json_line {
	const char *before, *between;
	size_t before_size, between_size;
};

/*
 * Write one record per non-empty line: `before`, the line number, `between`, the escaped line, and
 * "}. Lines are numbered from `first`. Each line must end with a line feed. Return the number of
 * lines, including empty ones.
 */
uint64_t json_lines(FILE *out, const struct json_line *form, uint64_t first,
                    struct cairn_bytes lines);

#endif
