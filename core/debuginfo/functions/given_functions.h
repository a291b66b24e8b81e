/* SPDX-License-Identifier: MIT */
/*
 * Which functions were given already, for those who want only the first of equal ones.  Each unit of C++ has the
 * functions of headers that it uses; the linker keeps the code of one, which the entries of all of them describe.  In large
 * programs half of all functions are such copies, with all of their inlined calls.
 *
 * The readers of a program share the table, and units come to them in any order.  So a copy is known for one when
 * it has rows and is of the same unit, further in front, or of one before it: then it stands in the order of all writers
 * before the others, whoever reads first.
 */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_GIVEN_FUNCTIONS_H
#define CAIRN_DEBUGINFO_FUNCTIONS_GIVEN_FUNCTIONS_H

#include <cairn.h>

/* A function of one range.  The name is lent. */
struct given_function {
	struct cairn_range range;
	struct cairn_bytes name;
	uint64_t lost; /* inlined calls without an address in it */
	size_t unit;
	bool has_rows;
};

enum {
	GIVEN_FUNCTION_COST = 2 * sizeof(struct given_function)
}; /* bytes that one takes, at most */

struct given_functions;

/* For so many threads that use it at a time.  NULL: memory is short. */
struct given_functions *given_functions_new(size_t threads);
void given_functions_free(struct given_functions *given);

/* Was one with this range and name given that stands before one of this unit, read now? */
bool given_functions_has(struct given_functions *given, struct cairn_range range,
                         struct cairn_bytes name, size_t unit);

/* One more.  False: memory is short. */
bool given_functions_add(struct given_functions *given, const struct given_function *function);

/* The sum of what was lost in the copies that stand first, once all are there. */
uint64_t given_functions_lost(const struct given_functions *given);

#endif
