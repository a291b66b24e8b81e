/* SPDX-License-Identifier: MIT */
/*
 * Edits a debugger's start-up file, which has one line that loads cairn. The line is recognized by
 * its command and the name of the loaded file, in any directory, so that the line of an older
 * installation is replaced instead of duplicated.
 */
#ifndef CAIRN_CLI_SETUP_START_FILE_H
#define CAIRN_CLI_SETUP_START_FILE_H

#include "base/byte_buffer.h"

#include <stdio.h>

struct start_line {
	const char *command;   /* such as "source" */
	const char *file_name; /* base name, such as "cairn.gdb" */
};

/*
 * Append `before` to *after, with `wanted` as the only line that loads cairn: the first such line
 * is replaced, others are removed, and if no such line exists, `wanted` is appended. If `wanted` is
 * NULL, all such lines are removed. Prints each difference on `out`, which may be NULL, with "-" or
 * "+" before it. Return the number of differences.
 */
size_t start_file_edit(struct cairn_bytes before, const struct start_line *line, const char *wanted,
                       struct byte_buffer *after, FILE *out);

bool start_file_loads(struct cairn_bytes text, const struct start_line *line);

#endif
