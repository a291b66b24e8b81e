/* SPDX-License-Identifier: MIT */
/* GDB's choice of rows: record_line in its reader of DWARF. */
#include "skipped_rows.h"

/* GDB ignores what is not a statement where one begins in another file: the row before stays. */
static bool is_ignored(const struct passed *before, const struct dwarf_row *row)
{
	return before->any && before->va == row->va && !row->statement && before->statement &&
	       before->file != row->file;
}

bool passed_over(struct passed *before, const struct dwarf_row *row)
{
	bool same = before->any && before->line == row->line && before->file == row->file;

	if (!is_ignored(before, row)) {
		before->file = row->file;
		before->line = row->line;
	}
	before->statement =
		row->statement || (before->any && before->va == row->va && before->statement);
	before->va = row->va;
	before->any = true;
	return same && row->discriminated;
}
