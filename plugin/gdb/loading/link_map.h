/* SPDX-License-Identifier: MIT */
/*
 * Decodes the dynamic linker's list of modules, <link.h>, in the target's memory: where the list
 * stands, and one number that changes when the list does.  The memory may be damaged or hostile, so
 * each walk has a stated number of reads, and an address that wraps is not read.
 *
 *	struct link_map_memory memory = { read_memory, has_symbols, context, big_endian };
 *	uint64_t slot, hash;
 *
 *	if (link_map_find_slot(&memory, program, bias, &slot) &&
 *	    link_map_hash(&memory, program, slot, &hash))
 *		... the list is known
 */
#ifndef CAIRN_GDB_LOADING_LINK_MAP_H
#define CAIRN_GDB_LOADING_LINK_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LINK_MAP_HEADERS = 16,     /* program headers that are looked at; programs have some 12 */
	LINK_MAP_DYNAMIC = 512,    /* entries of the dynamic section; programs have some 30 */
	LINK_MAP_NAMESPACES = 16,  /* as many as the C library has */
	LINK_MAP_LIBRARIES = 4096, /* in all namespaces together; processes have some hundred */
	LINK_MAP_HEAD = 1024,      /* bytes of a module: its headers, and as a rule its build ID */
	LINK_MAP_LARGEST_READ = LINK_MAP_HEAD,
	LINK_MAP_SLOT_READS = 1 + LINK_MAP_HEADERS + LINK_MAP_DYNAMIC,
	/* The program, the slot; two for a namespace; a library, and perhaps its head. */
	LINK_MAP_HASH_READS = 2 + 2 * LINK_MAP_NAMESPACES + 2 * LINK_MAP_LIBRARIES,
};

/* What the caller lends.  Each function gets `context`; `bytes` has room for `size`. */
struct link_map_memory {
	bool (*read)(void *context, uint64_t address, uint8_t *bytes, int size);
	/* Does the debugger hold symbols for a library with this load bias?  Then its head counts. */
	bool (*has_symbols)(void *context, uint64_t bias);
	void *context;
	bool big_endian;
};

/*
 * The address of the word that the dynamic linker sets to the address of its list: the value of
 * DT_DEBUG.  `program` is the address of the program's ELF header, `bias` its load bias.  False,
 * and *slot as it was, when the program has none or it cannot be read.
 */
bool link_map_find_slot(const struct link_map_memory *memory, uint64_t program, uint64_t bias,
                        uint64_t *slot);

/*
 * Has the program neither a dynamic section nor an interpreter?  Then nothing is loaded but itself.  False
 * also when its headers cannot be read, or are more than the limit above.
 */
bool link_map_is_alone(const struct link_map_memory *memory, uint64_t program);

/* The number for such a program: it changes when another one is there.  False when it cannot be read. */
bool link_map_hash_alone(const struct link_map_memory *memory, uint64_t program, uint64_t *hash);

/*
 * What is loaded, as a number.  False when that cannot be known: there is no list yet, some of it
 * cannot be read, an element does not point back to the one before it, or there are more than the
 * limits above.
 */
bool link_map_hash(const struct link_map_memory *memory, uint64_t program, uint64_t slot,
                   uint64_t *hash);

#endif
