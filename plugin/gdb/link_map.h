/* SPDX-License-Identifier: MIT */
/*
 * Decodes the dynamic linker's list of modules (<link.h>) in the target's memory. Finds the list
 * and computes a hash that changes when a module is loaded or unloaded. The memory may be damaged
 * or hostile, so the number of reads is limited and address ranges that wrap are not read.
 *
 *	struct link_map_memory memory = { read_memory, has_symbols, context, big_endian };
 *	uint64_t slot, hash;
 *
 *	if (link_map_find_slot(&memory, program, bias, &slot) &&
 *	    link_map_hash(&memory, program, slot, &hash))
 *		... compare hash with the hash of the last stop
 */
#ifndef CAIRN_GDB_LINK_MAP_H
#define CAIRN_GDB_LINK_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* maximum number of program headers to read; programs have about 12 */
	LINK_MAP_HEADERS = 16,
	/* maximum number of dynamic section entries to read; programs have about 30 */
	LINK_MAP_DYNAMIC = 512,
	LINK_MAP_NAMESPACES = 16, /* maximum number of namespaces, which is glibc's limit */
	/* maximum number of libraries in all namespaces together; processes have a few hundred */
	LINK_MAP_LIBRARIES = 4096,
	/*
	 * number of bytes to read at the start of a module: its headers, and usually its build ID
	 */
	LINK_MAP_HEAD = 1024,
	LINK_MAP_LARGEST_READ = LINK_MAP_HEAD,
	LINK_MAP_SLOT_READS = 1 + LINK_MAP_HEADERS + LINK_MAP_DYNAMIC,
	/*
	 * maximum number of reads for a hash: the program, the slot, two reads per namespace, and
	 * two per library if its first bytes are hashed
	 */
	LINK_MAP_HASH_READS = 2 + 2 * LINK_MAP_NAMESPACES + 2 * LINK_MAP_LIBRARIES,
};

/*
 * Access to the target's memory. Each callback receives `context`; `bytes` has a capacity of
 * `size`.
 */
struct link_map_memory {
	bool (*read)(void *context, uint64_t address, uint8_t *bytes, int size);
	/*
	 * Return true if the debugger has symbols for a library with this load bias. The hash then
	 * includes the library's first bytes.
	 */
	bool (*has_symbols)(void *context, uint64_t bias);
	void *context;
	bool big_endian;
};

/*
 * Find DT_DEBUG in the program and store the address of its value in *slot. The dynamic linker sets
 * this value to the address of its list. `program` is the address of the program's ELF header, and
 * `bias` is its load bias. Returns false and leaves *slot unchanged if the program lacks DT_DEBUG
 * or cannot be read.
 */
bool link_map_find_slot(const struct link_map_memory *memory, uint64_t program, uint64_t bias,
                        uint64_t *slot);

/*
 * Return true if the program has neither a dynamic section nor an interpreter, so that no other
 * module is loaded. Returns false if the headers cannot be read or there are more than
 * LINK_MAP_HEADERS.
 */
bool link_map_is_alone(const struct link_map_memory *memory, uint64_t program);

/*
 * Compute the hash for a program without other modules. The hash changes if another program is
 * loaded. Returns false if the program cannot be read.
 */
bool link_map_hash_alone(const struct link_map_memory *memory, uint64_t program, uint64_t *hash);

/*
 * Compute a hash of the loaded modules. Returns false if the dynamic linker has not created its
 * list yet, a range in the list cannot be read, an element does not point back to its predecessor,
 * or a limit above is exceeded.
 */
bool link_map_hash(const struct link_map_memory *memory, uint64_t program, uint64_t slot,
                   uint64_t *hash);

#endif
