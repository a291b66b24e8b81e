/* SPDX-License-Identifier: MIT */
/* Hands a difference to who asked for the comparison, until that has enough. */
#include "parts.h"

void gsym_diff_report(struct gsym_diff *diff, const struct gsym_difference *difference)
{
	diff->differs = true;
	if (!diff->ended)
		diff->ended = !diff->sink->take(diff->sink->context, difference);
}
