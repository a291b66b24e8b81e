/* SPDX-License-Identifier: MIT */
/*
 * Functions of GSYM data by their names: the linkage name, or the readable one with or without its parameters
 * ("ns::area(int) const", "ns::area").  GSYM has no table of names, so that one is made when the first name is asked for.
 */
#ifndef CAIRN_CLI_GSYM_FUNCTIONS_BY_NAME_H
#define CAIRN_CLI_GSYM_FUNCTIONS_BY_NAME_H

#include "gsym.h"

struct name_entry {
	uint64_t hash;
	uint32_t index; /* of the function */
};

/* Zeros with `gsym` set are ready to use. */
struct functions_by_name {
	const struct gsym *gsym;
	struct name_entry *entries; /* sorted */
	size_t count;
	bool made;
	struct allowance readable; /* bytes of names that may be made readable */
};

/* The first function that is called so, by address; false if there is none, or memory is short. */
bool functions_by_name_find(struct functions_by_name *by_name, struct cairn_bytes name,
                            struct gsym_function *function);
void functions_by_name_finish(struct functions_by_name *by_name);

/* Is a function of this linkage name meant by its readable name? */
bool is_readable_name(struct cairn_bytes linkage, struct cairn_bytes name,
                      struct allowance *readable);

/* Is the text at this offset of the string table the name?  No more of it is read than that. */
bool is_linkage_name(const struct gsym *gsym, uint64_t offset, struct cairn_bytes name);

#endif
