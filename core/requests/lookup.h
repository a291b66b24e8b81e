/* SPDX-License-Identifier: MIT */
/*
 * Addresses of one module, from wherever they count, as those that a symbolizer looks up:
 *
 *	struct request_lookup lookup = { .symbolizer = symbolizer, .module = module };
 *	if (!request_lookup_begin(&lookup, REQUEST_FILE_OFFSET))
 *		... the program is missing, and no address is found
 *	if (request_lookup_va(&lookup, address, &va))
 *		... cairn_symbolizer_find(symbolizer, &lookup.module, &va, 1, &answer)
 */
#ifndef CAIRN_REQUESTS_LOOKUP_H
#define CAIRN_REQUESTS_LOOKUP_H

#include "request.h"

#include "formats/elf/places.h"

struct request_lookup {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_module module;
	enum request_origin origin;
	struct elf_places
		places; /* of the module's program, where offsets in its file are asked for */
};

/* False: only the program itself tells where a byte of its file is, and it is missing. */
bool request_lookup_begin(struct request_lookup *lookup, enum request_origin origin);

/* False: no segment of the program has this byte. */
bool request_lookup_va(const struct request_lookup *lookup, uint64_t address, uint64_t *va);

#endif
