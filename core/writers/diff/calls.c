/* SPDX-License-Identifier: MIT */
/* Compares the call sites of a function in two GSYM files. */
#include "parts.h"

static bool is_same_site(const struct function_call *a, const struct function_call *b)
{
	if (a->flags != b->flags || a->callees != b->callees)
		return false;
	for (uint32_t i = 0; i < a->callees; i++)
		if (bytes_order(a->callee[i], b->callee[i]) != 0)
			return false;
	return true;
}

static void report_site(struct gsym_diff *diff, const struct function_call *a,
                        const struct function_call *b)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;
	uint64_t va = f->start + (a ? a : b)->return_offset;
	const struct gsym_difference difference = { .kind = GSYM_DIFFERENT_CALL,
		                                    .low = va,
		                                    .high = va,
		                                    .first = { f, .site = a },
		                                    .second = { g, .site = b } };

	gsym_diff_report(diff, &difference);
}

/*
 * Merge the call sites in file order, which is the order of return addresses if the writer sorted
 * them.
 */
void gsym_diff_calls(struct gsym_diff *diff)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;
	size_t i = 0, j = 0;

	while (!diff->ended && (i < f->call_count || j < g->call_count)) {
		const struct function_call *a = i < f->call_count ? &f->calls[i] : NULL;
		const struct function_call *b = j < g->call_count ? &g->calls[j] : NULL;
		bool takes_a = a && (!b || a->return_offset <= b->return_offset);
		bool takes_b = b && (!a || b->return_offset <= a->return_offset);
		i += takes_a;
		j += takes_b;
		if (!takes_a || !takes_b || !is_same_site(a, b))
			report_site(diff, takes_a ? a : NULL, takes_b ? b : NULL);
	}
}
