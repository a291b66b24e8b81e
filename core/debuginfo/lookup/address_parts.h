/* SPDX-License-Identifier: MIT */
/* What the files of address_functions.h share. */
#ifndef CAIRN_DEBUGINFO_LOOKUP_ADDRESS_PARTS_H
#define CAIRN_DEBUGINFO_LOOKUP_ADDRESS_PARTS_H

#include "address_functions.h"
#include "symbol_set.h"

#include "debuginfo/budget/string_store.h"
#include "symbols/lookup/kept_functions.h"

struct address_functions {
	struct address_files files;
	struct symbol_set symbols;
	struct program *program; /* NULL: there is no DWARF */
	bool is_open, damaged;
	const char *flaw;
	unsigned passes;  /* times that units were read for a few addresses */
	size_t few_asked; /* addresses that were looked up without an index */
	struct budget_pool pool;
	struct budget budget;
	struct string_store texts;  /* of answers, whose readers are gone */
	struct kept_functions kept; /* of the last pass, or all that was read of whole units */

	/* once all units are listed */
	bool is_indexed;
	struct program_reader *reader;
	bool *was_read; /* by the unit */
	size_t reads;   /* of units */
	const uint64_t
		*asked; /* during a call, sorted: no function without one of these is kept whole */
	size_t asked_count;         /* 0: all are kept whole */
	struct kept_functions near; /* what only symbols know, around the last address */
	struct cairn_range gap;     /* between symbols, of which ->near holds all; empty: none */
};

/* How long units are read for single addresses; then an index and whole units are worth it. */
enum {
	ADDRESS_FEW = 2048,    /* addresses that are looked up together */
	ADDRESS_SEVERAL = 256, /* addresses in the questions before */
	ADDRESS_PASSES = 8,    /* over the units */
};

/* Addresses that are looked up together. */
struct few_addresses {
	uint64_t va[ADDRESS_FEW];
	size_t index[ADDRESS_FEW]; /* in the caller's list */
	size_t count;
	const struct cairn_symbol_taker *taker;
};

/* Answers what can be known of them without an index, and leaves the others in the list. */
void few_functions_find(struct address_functions *f, struct few_addresses *asked);

/* Gives locations, if there are any. */
void address_give(const struct cairn_location *locations, size_t count, size_t index,
                  const struct cairn_symbol_taker *taker);

/* Gives the locations of an address in ->kept, with texts that stay.  False: there are none. */
bool few_functions_answer(struct address_functions *f, uint64_t va, size_t index,
                          const struct cairn_symbol_taker *taker);

/* What is there by the functions that were kept; NULL: nothing. */
const struct kept_function *address_kept_at(const struct address_functions *f,
                                            const struct kept_functions *kept, uint64_t va);

/* Makes the index.  False: memory is short. */
bool unit_functions_open(struct address_functions *f);
void unit_functions_close(struct address_functions *f);

/* If addresses come in their order, what was read for earlier ones is not kept, and of functions only what the next ones need. */
void unit_functions_begin(struct address_functions *f, const uint64_t *vas, size_t count);

/* Reads the units with code at the addresses, unless they have been read. */
void unit_functions_read(struct address_functions *f, const uint64_t *vas, size_t count);

/* The locations of an address whose units have been read, which are lent until the next call; returns how many. */
size_t unit_functions_find(struct address_functions *f, uint64_t va,
                           struct cairn_location locations[KEPT_LOCATIONS_MAX]);

/*
 * May no symbol know the address better than the function that was found there?  `alone`: nor may the linker have folded
 * others into it.
 */
bool address_is_held(const struct symbol_set *symbols, struct cairn_range found, uint64_t va,
                     bool alone);

/*
 * How far symbols decide what is at an address, and the gap between the one before it and the next, which is empty before
 * the first.  False: a table is damaged.
 */
bool address_window(const struct symbol_set *symbols, uint64_t va, struct cairn_range *window,
                    struct cairn_range *gap);

#endif
