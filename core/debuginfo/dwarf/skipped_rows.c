/* SPDX-License-Identifier: MIT */
/* GDB's choice of rows: record_line in its reader of DWARF. */
#include "skipped_rows.h"

bool passed_over(struct passed *before, const struct dwarf_row *row)
{
	const bool same = before->any && before->line == row->line && before->file == row->file;
	/* GDB ignores what is not a statement where one begins in another file: the row before stays */
	const bool ignored = before->any && before->va == row->va && !row->statement &&
	                     before->statement && before->file != row->file;

	if (!ignored) {
		before->file = row->file;
		before->line = row->line;
	}
	before->statement =
		row->statement || (before->any && before->va == row->va && before->statement);
	before->va = row->va;
	before->any = true;
	return same && row->discriminated;
}
