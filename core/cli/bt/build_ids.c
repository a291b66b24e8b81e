/* SPDX-License-Identifier: MIT */
/* `cairn bt --build-ids`: the build IDs of the modules that the stacks come through, each once. */
#include "bt.h"

#include "base/bisect.h"
#include "base/bytes_compare.h"
#include "output/digits.h"

#include <stdlib.h>
#include <string.h>

/* The number of the module that holds `pc`, of those by address; `count` for none. */
static size_t find_module_number(const struct bt *bt, size_t count, uint64_t pc)
{
	struct cairn_loaded_module module;
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, cairn_stacks_module(bt->opened, search.middle, &module) &&
		                               module.low <= pc);
	return search.low > 0 && cairn_stacks_module(bt->opened, search.low - 1, &module) &&
	                       pc - module.low < module.high - module.low
	               ? search.low - 1
	               : count;
}

/* Has an earlier module that is printed the same ID? */
static bool is_repeated(const struct bt *bt, const bool *seen, size_t number, struct cairn_bytes id)
{
	struct cairn_loaded_module module;

	for (size_t i = 0; i < number && cairn_stacks_module(bt->opened, i, &module); i++)
		if (seen[i] && bytes_equal(module.build_id, id))
			return true;
	return false;
}

bool bt_print_build_ids(struct bt *bt)
{
	const size_t count = cairn_stacks_modules(bt->opened);
	bool *seen = calloc(count + 1, sizeof(*seen));
	struct cairn_loaded_module module;
	bool any = false;

	if (!seen)
		return false;
	/* seen[count] stands for no module */
	for (size_t i = 0; i < bt->stack_count; i++)
		for (size_t k = 0; k < bt->stacks[i].count; k++)
			seen[find_module_number(bt, count, bt->stacks[i].frames[k].lookup)] = true;
	for (size_t k = 0; cairn_stacks_module(bt->opened, k, &module); k++) {
		/* the vDSO is in the core itself: nobody else has it */
		if (!seen[k] || module.build_id.size == 0 || module.path.size == 0 ||
		    module.path.data[0] == '[' || is_repeated(bt, seen, k, module.build_id))
			continue;
		const struct cairn_bytes id = bt_printed_id(bt, module.build_id);
		print_hex(stdout, id);
		putchar('\n');
		any = true;
	}
	free(seen);
	return any;
}
