/* SPDX-License-Identifier: MIT */
/* What the sources of names that only stacks have do alike: Breakpad files in trees, and tables of Go programs. */
#include "stacks.h"

void stacks_take_names(const struct cairn_symbol_taker *taker, size_t index,
                       const struct cairn_location *locations, size_t count)
{
	const struct cairn_symbol_found answer = { .locations = locations,
		                                   .count = count,
		                                   .all = count };

	if (count > 0)
		taker->take(taker->context, index, &answer);
}

void stacks_leave_names(void *opened)
{
	(void)opened;
}
