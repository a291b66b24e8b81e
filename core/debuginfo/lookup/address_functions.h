/* SPDX-License-Identifier: MIT */
/*
 * What is at an address of an ELF file, as a GSYM file of all its functions would have it: those of DWARF, and those that
 * only symbols know.  Nothing is read before it is asked for.
 *
 * A few questions are answered from the units around the address, of which the functions there are read.  After many
 * questions an index of all units is made and all symbols are sorted; then each unit is read whole, once.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_ADDRESS_FUNCTIONS_H
#define CAIRN_DEBUGINFO_LOOKUP_ADDRESS_FUNCTIONS_H

#include "debuginfo/program/program.h"

/* The files of a program; all are borrowed until address_functions_close(). */
struct address_files {
	struct cairn_bytes own, debug; /* debug: the file with DWARF, which may be the same */
	struct cairn_bytes alt;
	struct program_dwo_source split;
	bool mapped, relative; /* as in struct program_input */
	enum cairn_name_style names;
	bool lines_alone, in_order; /* as in struct cairn_symbolizer_options */
};

struct address_functions;

/* NULL: memory is short. */
struct address_functions *address_functions_open(const struct address_files *files);
void address_functions_close(struct address_functions *functions);

/*
 * Looks up `count` addresses, and gives the taker the locations of each that is known.  The locations are lent during the
 * call, their texts until the functions are closed.
 */
void address_functions_find(struct address_functions *functions, const uint64_t *vas, size_t count,
                            const struct cairn_symbol_taker *taker);

/* Why not all of the DWARF was read: reading it takes more than its size allows.  NULL: nothing was too much so far. */
const char *address_functions_flaw(const struct address_functions *functions);

/* Was something damaged, or missing, where addresses were looked up? */
bool address_functions_damaged(const struct address_functions *functions);

/* Bytes that are held, beside those of the files. */
uint64_t address_functions_memory(const struct address_functions *functions);

#endif
