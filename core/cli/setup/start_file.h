/* SPDX-License-Identifier: MIT */
/*
 * A debugger's start-up file as text, and the one line in it that loads cairn.  The line is known by
 * its command and by the name of the file that it loads, wherever that file is, so that the line of
 * an older installation is replaced, and never doubled.
 */
#ifndef CAIRN_CLI_SETUP_START_FILE_H
#define CAIRN_CLI_SETUP_START_FILE_H

#include "base/byte_buffer.h"

#include <stdio.h>

struct start_line {
	const char *command;   /* "source" */
	const char *file_name; /* "cairn.gdb", without its folder */
};

/*
 * Appends `before` to *after with `wanted` as the only line that loads cairn: the first such line is
 * replaced, others are left out, and where there is none it is the last line.  With `wanted` NULL
 * all such lines are left out.  Each line that differs is printed on `out` (NULL: nowhere), after "-" or "+".
 * Returns how many differ.
 */
size_t start_file_edit(struct cairn_bytes before, const struct start_line *line, const char *wanted,
                       struct byte_buffer *after, FILE *out);

/* Is there a line that loads cairn? */
bool start_file_loads(struct cairn_bytes text, const struct start_line *line);

#endif
