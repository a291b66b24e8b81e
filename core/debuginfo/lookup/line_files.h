/* SPDX-License-Identifier: MIT */
/*
 * The directories and files of one line table, for lookups: the path of a file is joined when it is
 * first asked for, because a small table may name many files in one long directory.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_LINE_FILES_H
#define CAIRN_DEBUGINFO_LOOKUP_LINE_FILES_H

#include "debuginfo/budget/string_store.h"
#include "formats/dwarf/line.h"

struct line_file {
	struct cairn_bytes name;
	struct cairn_bytes path; /* .data NULL until it is asked for */
	uint64_t directory;
};

struct line_files {
	struct cairn_bytes *directory; /* by its number */
	size_t directories, directory_room;
	struct line_file *file;
	size_t files, file_room;
	unsigned first; /* number of the first file: 0 in DWARF 5, 1 before */
};

/*
 * Reads both tables of a line table that was just opened, up to its first row.  `comp_dir` is
 * directory 0 before DWARF 5.  False when memory is short, or the budget used up.
 */
bool line_files_read(struct line_files *files, struct dwarf_line *line, struct cairn_bytes comp_dir,
                     struct budget *budget);
void line_files_finish(struct line_files *files);

/* Adds a file that the line number program defines (DW_LNE_define_file). */
bool line_files_add(struct line_files *files, const struct dwarf_line *line,
                    const struct dwarf_line_entry *entry, struct budget *budget);

/*
 * Directory and name of a file, kept in `texts`; empty when there is no such file, or no memory.  A
 * relative directory is not joined with that of the unit.
 */
struct cairn_bytes line_files_path(struct line_files *files, uint64_t number,
                                   struct string_store *texts);

#endif
