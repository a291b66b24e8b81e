/* SPDX-License-Identifier: MIT */
/*
 * Converts addresses of one module, whatever they are relative to, into addresses that a symbolizer
 * looks up:
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

#include "formats/elf/elf.h"

struct request_lookup {
	struct cairn_symbolizer *symbolizer;
	struct cairn_symbol_module module;
	enum request_origin origin;
	struct elf_places places; /* segments of the program; only for REQUEST_FILE_OFFSET */
};

/*
 * Prepare the conversion of addresses of kind `origin`. Return false if the program file is needed
 * and cannot be found: only its program headers map file offsets to addresses.
 */
bool request_lookup_begin(struct request_lookup *lookup, enum request_origin origin);

/* Convert `address` to *va. Return false if no segment of the program contains that file offset. */
bool request_lookup_va(const struct request_lookup *lookup, uint64_t address, uint64_t *va);

#endif
