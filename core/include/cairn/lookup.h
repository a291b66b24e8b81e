/* SPDX-License-Identifier: MIT */
/* Part of <cairn.h>: looks up addresses in the symbols of one module. */
#ifndef CAIRN_INCLUDE_LOOKUP_H
#define CAIRN_INCLUDE_LOOKUP_H

#include <cairn/base.h>
#include <cairn/location.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Result for one address: its locations, innermost first, and the locations of other functions that
 * the linker folded into the same code.
 *
 *	struct cairn_lookup_result answer;
 *	struct cairn_location location;
 *	if (cairn_symbols_find(symbols, va, &answer) == CAIRN_OK)
 *		do
 *			while (cairn_lookup_result_next(&answer, &location))
 *				...
 *		while (cairn_lookup_result_next_folded(&answer));
 *
 * The struct is large and meant to be on the stack; there is nothing to free. It is valid until the
 * next call with the same symbols; strings in its locations are valid as long as the file.
 */
struct cairn_lookup_result {
	/*
	 * damage in the data, final after the last location; locations before the damage are
	 * returned
	 */
	struct cairn_fault fault;
	uint64_t va;
	const struct cairn_symbols *symbols;
	uint64_t state[640]; /* private to cairn */
};

/*
 * Look up `va` and fill *answer. Returns NOT_FOUND if no function covers `va`. If the data is
 * damaged, returns the status of the fault; *answer then contains the fault but no locations.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_lookup_result *answer);

/*
 * Look up `va` without the cache. This is slower, but allocates nothing and writes only to *answer.
 * It is safe to call from signal handlers, and from several threads with the same symbols. The
 * results are the same as from cairn_symbols_find().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_uncached(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_lookup_result *answer);

/*
 * Look up only the function, without file, line and inlined calls. This is fast and, like
 * cairn_symbols_find_uncached(), safe to call from signal handlers and from several threads. The
 * statuses are the same; *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_function(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_location *location,
	struct cairn_fault *fault);

/*
 * Get the next location in *location, from the innermost inlined call to the function. Returns
 * false after the last location.
 */
CAIRN_API bool cairn_lookup_result_next(struct cairn_lookup_result *answer,
                                        struct cairn_location *location);

/*
 * Move to the next function that the linker has folded into the same code. Returns false after the
 * last function; otherwise cairn_lookup_result_next() lists the function's locations.
 */
CAIRN_API bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer);

/* results for many addresses, in the same order as the addresses */
struct cairn_batch {
	size_t count;
	struct cairn_batch_item {
		/* fault.status is NOT_FOUND if no function covers the address */
		struct cairn_fault fault;
		size_t first, count; /* range of the address's elements in `locations` */
		/*
		 * the linker has folded other functions into the same code; cairn_symbols_find()
		 * lists them
		 */
		bool has_folded;
	} * items;
	struct cairn_location *locations;
};

/*
 * Look up `count` addresses at once, in any order; each function is decoded only once. The caller
 * frees *batch with cairn_batch_free(); the strings in its locations are valid as long as the file.
 * Returns NO_MEMORY or CAIRN_OK; problems with an address are reported in its item.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols,
                                                                   const uint64_t *vas,
                                                                   size_t count,
                                                                   struct cairn_batch *batch);

/* Free a batch's arrays. Harmless after cairn_symbols_find_many() has failed. */
CAIRN_API void cairn_batch_free(struct cairn_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
