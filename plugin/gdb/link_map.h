/* SPDX-License-Identifier: MIT */
/*
 * A decoder for the dynamic linker's list of modules (<link.h>) in the target's memory. It finds
 * the list and computes a hash that changes when the list does. The memory may be damaged or
 * hostile, so the number of reads of each walk is limited, and an address range that wraps is not
 * read.
 *
 *	struct link_map_memory memory = { read_memory, has_symbols, context, big_endian };
 *	uint64_t slot, hash;
 *
 *	if (link_map_find_slot(&memory, program, bias, &slot) &&
 *	    link_map_hash(&memory, program, slot, &hash))
 *		... the list is known
 */
#ifndef CAIRN_GDB_LINK_MAP_H
#define CAIRN_GDB_LINK_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LINK_MAP_HEADERS = 16,     /* program headers that are read; programs have about 12 */
	LINK_MAP_DYNAMIC = 512,    /* entries of the dynamic section; programs have about 30 */
	LINK_MAP_NAMESPACES = 16,  /* limit of the C library */
	LINK_MAP_LIBRARIES = 4096, /* in all namespaces together; processes have a few hundred */
	/* bytes at the start of a module: its headers, and usually its build ID */
	LINK_MAP_HEAD = 1024,
	LINK_MAP_LARGEST_READ = LINK_MAP_HEAD,
	LINK_MAP_SLOT_READS = 1 + LINK_MAP_HEADERS + LINK_MAP_DYNAMIC,
	/*
	 * The program and the slot; two reads for each namespace, and for each library two with its
	 * head.
	 */
	LINK_MAP_HASH_READS = 2 + 2 * LINK_MAP_NAMESPACES + 2 * LINK_MAP_LIBRARIES,
};

/*
 * Access to the target, lent by the caller. Each function receives `context`; `bytes` has a
 * capacity of `size`.
 */
struct link_map_memory {
	bool (*read)(void *context, uint64_t address, uint8_t *bytes, int size);
	/*
	 * Return true if the debugger holds symbols for a library with this load bias. The
	 * library's head is then part of the hash.
	 */
	bool (*has_symbols)(void *context, uint64_t bias);
	void *context;
	bool big_endian;
};

/*
 * Find the address of the word in which the dynamic linker stores the address of its list: the
 * value of DT_DEBUG. `program` is the address of the program's ELF header, `bias` its load bias.
 * Returns false and leaves *slot unchanged if the program does not have DT_DEBUG or it cannot be
 * read.
 */
bool link_map_find_slot(const struct link_map_memory *memory, uint64_t program, uint64_t bias,
                        uint64_t *slot);

/*
 * Return true if the program has neither a dynamic section nor an interpreter, so that no other
 * module is loaded. Returns false also if its headers cannot be read or exceed the limit above.
 */
bool link_map_is_alone(const struct link_map_memory *memory, uint64_t program);

/*
 * Compute the hash for such a program, which changes if another program is loaded. Returns false if
 * it cannot be read.
 */
bool link_map_hash_alone(const struct link_map_memory *memory, uint64_t program, uint64_t *hash);

/*
 * Compute a hash of the loaded modules. Returns false if there is no list yet, part of the list
 * cannot be read, an element does not point back to its predecessor, or the limits above are
 * exceeded.
 */
bool link_map_hash(const struct link_map_memory *memory, uint64_t program, uint64_t slot,
                   uint64_t *hash);

#endif
