/* SPDX-License-Identifier: MIT */
/*
 * Rows of a line table that GDB passes over because of discriminators, which symbol formats do not record:
 * it would take them from us.
 */
#ifndef CAIRN_DEBUGINFO_DWARF_SKIPPED_ROWS_H
#define CAIRN_DEBUGINFO_DWARF_SKIPPED_ROWS_H

#include "formats/dwarf/line.h"

/* The row before, as GDB sees it; `any` is unset where a sequence begins. */
struct passed {
	bool any;       /* there was one in this sequence */
	bool statement; /* one begins at the address */
	uint64_t va, file;
	uint32_t line;
};

/*
 * Does the row go on with the line of the one before, whose blocks have discriminators?  To be asked of
 * each row in turn.
 */
bool passed_over(struct passed *before, const struct dwarf_row *row);

#endif
