/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions at addresses of an ELF file, from DWARF and symbols, with the same result as
 * a GSYM file of all its functions. Nothing is read before the first lookup.
 *
 * The first few lookups find the units that contain the address and read only the functions around
 * it. After many lookups, an index of all units is built and all symbols are sorted; from then on,
 * each unit is read completely, once.
 */
#ifndef CAIRN_DEBUGINFO_ADDRESS_FUNCTIONS_H
#define CAIRN_DEBUGINFO_ADDRESS_FUNCTIONS_H

#include "program.h"

/* The files of a program, borrowed until address_functions_close(). */
struct address_files {
	/* `debug` is the file with DWARF; may be the same as `own` */
	struct cairn_bytes own, debug;
	struct cairn_bytes alt;
	struct program_dwo_source split;
	bool mapped, relative; /* see struct program_input */
	enum cairn_name_style names;
	bool lines_alone,
		in_order; /* see accept_unnamed and in_order in struct cairn_symbolizer_options */
};

struct address_functions;

struct address_functions *address_functions_open(const struct address_files *files);
void address_functions_close(struct address_functions *functions);

/*
 * Look up `count` addresses, and pass the locations of each address that was found to `sink`. The
 * locations are valid during the call, their strings until address_functions_close().
 */
void address_functions_find(struct address_functions *functions, const uint64_t *vas, size_t count,
                            const struct cairn_symbol_taker *sink);

/* Return why some DWARF was not read (it exceeds the work allowed for its size), or NULL. */
const char *address_functions_flaw(const struct address_functions *functions);

bool address_functions_damaged(const struct address_functions *functions);

uint64_t address_functions_memory(const struct address_functions *functions);

#endif
