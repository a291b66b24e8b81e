/* SPDX-License-Identifier: MIT */
/* What the files of lines.h share: the file table of a unit, and rows that add nothing. */
#ifndef CAIRN_DEBUGINFO_DWARF_LINES_PARTS_H
#define CAIRN_DEBUGINFO_DWARF_LINES_PARTS_H

#include "lines.h"

/* Reads the directories and files of `line` into *lines; false when memory or the budget is short. */
bool lines_read_files(struct lines *lines, const struct lines_source *source,
                      struct dwarf_line *line);

/* Adds a file that the line program itself defines; false as above. */
bool lines_add_file(struct lines *lines, const struct lines_source *source,
                    const struct dwarf_line_entry *entry);

/*
 * Return whether the row adds nothing to the last of `count` rows.  With ->every_row one of another address does:
 * debuggers that step look at their place at each address with a row.
 */
bool lines_repeats_last_row(const struct lines *lines, const struct function_row *rows,
                            size_t count, const struct function_row *row);

#endif
