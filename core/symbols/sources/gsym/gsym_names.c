/* SPDX-License-Identifier: MIT */
/* Charges the bytes of every function name against a budget. */
#include "gsym_names.h"

#include "model/function.h"

static const char too_much[] = "names share too many of their bytes";

struct gsym_names gsym_names(const struct gsym *gsym)
{
	uint64_t strings = gsym->strings.size;

	return (struct gsym_names){ gsym,
		                    GSYM_NAMES_TIMES * (strings + gsym->bytes.size) +
		                            GSYM_NAMES_LEAST,
		                    GSYM_NAMES_TAILS * strings + GSYM_NAMES_LEAST };
}

/* Counts the bytes and their end; false, and nothing is left, when there are not so many. */
static bool consume_name_budget(uint64_t *left, uint64_t size)
{
	bool fits = size < *left;

	*left = fits ? *left - size - 1 : 0;
	return fits;
}

const char *gsym_names_read(struct gsym_names *names, uint64_t offset, struct cairn_bytes *text)
{
	const struct gsym *gsym = names->gsym;
	struct cairn_bytes all = gsym->strings;

	*text = (struct cairn_bytes){ all.data, 0 };
	if (!gsym_has_string(gsym, offset))
		return "a name outside the string table";
	if (offset == 0)
		return NULL;
	bool tail = all.data[offset - 1] != 0;
	if (names->left == 0 || (tail && names->tails == 0))
		return too_much;
	struct cairn_bytes found;
	gsym_string(gsym, offset, &found);
	if (!consume_name_budget(&names->left, found.size) ||
	    (tail && !consume_name_budget(&names->tails, found.size)))
		return too_much;
	*text = found;
	return NULL;
}

uint32_t gsym_names_path(struct gsym_names *names, struct cairn_bytes name)
{
	const struct cairn_bytes all = names->gsym->strings;
	struct cairn_bytes path;
	const size_t at = (size_t)(name.data - all.data) + name.size + 1;

	if (name.size == 0 || at >= all.size || all.data[at] != FUNCTION_PATH_MARK ||
	    !gsym_has_string(names->gsym, at + 1))
		return 0;
	gsym_string(names->gsym, at + 1, &path);
	if (path.size > UINT32_MAX || !consume_name_budget(&names->left, path.size))
		return 0;
	return (uint32_t)path.size;
}
