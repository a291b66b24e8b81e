/* SPDX-License-Identifier: MIT */
/* Conversion of offsets in a module or its file to addresses. */
#include "lookup.h"

bool request_lookup_begin(struct request_lookup *lookup, enum request_origin origin)
{
	struct cairn_open_file program;

	lookup->origin = origin;
	lookup->module.from_lowest = origin == REQUEST_MODULE_OFFSET;
	lookup->places.count = 0;
	if (origin != REQUEST_FILE_OFFSET)
		return true;
	if (!cairn_symbolizer_file(lookup->symbolizer, &lookup->module, CAIRN_FILE_PROGRAM,
	                           &program))
		return false;
	lookup->places = elf_places_read(program.bytes);
	return true;
}

bool request_lookup_va(const struct request_lookup *lookup, uint64_t address, uint64_t *va)
{
	*va = address;
	return lookup->origin != REQUEST_FILE_OFFSET ||
	       elf_places_find(&lookup->places, address, va);
}
