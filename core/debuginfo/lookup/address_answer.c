/* SPDX-License-Identifier: MIT */
/* Gives the locations of an address to whoever asked for them. */
#include "address_parts.h"

/* A text that outlives its reader; empty if memory is short. */
static struct cairn_bytes keep_text(struct address_functions *f, struct cairn_bytes text)
{
	struct cairn_bytes kept;

	return string_store_add(&f->texts, &text, 1, &kept)
	               ? kept
	               : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

void address_give(const struct cairn_location *locations, size_t count, size_t index,
                  const struct cairn_symbol_taker *taker)
{
	const struct cairn_symbol_found found = { .locations = locations,
		                                  .count = count,
		                                  .all = count };

	if (count > 0)
		taker->take(taker->context, index, &found);
}

static int compare_symbol_names(const void *aliases, uint64_t va, struct cairn_bytes a,
                                struct cairn_bytes b)
{
	return aliases_compare(aliases, va, a, b);
}

const struct kept_function *address_kept_at(const struct address_functions *f,
                                            const struct kept_functions *kept, uint64_t va)
{
	const struct function_order order = { compare_symbol_names, &f->symbols.aliases };

	return kept_functions_at(kept, va, &order);
}

bool few_functions_answer(struct address_functions *f, uint64_t va, size_t index,
                          const struct cairn_symbol_taker *taker)
{
	struct cairn_location locations[KEPT_LOCATIONS_MAX];
	const struct kept_function *function = address_kept_at(f, &f->kept, va);
	const size_t count =
		function ? kept_functions_locate(&f->kept, function, va, locations) : 0;

	for (size_t i = 0; i < count; i++) {
		locations[i].function = keep_text(f, locations[i].function);
		locations[i].directory = keep_text(f, locations[i].directory);
		locations[i].file = keep_text(f, locations[i].file);
	}
	address_give(locations, count, index, taker);
	return count > 0;
}
