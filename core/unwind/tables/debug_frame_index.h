/* SPDX-License-Identifier: MIT */
/*
 * Finds the FDE of an address in .debug_frame, which has no search table, with a list of all its
 * ranges that is built once.
 *
 *	struct debug_frame_index *index = debug_frame_index_new(bytes, big, 8);
 *	if (index && debug_frame_index_find(index, va, &offset))
 *		... debug_frame_read(index->section, index->big, index->word, offset, ...)
 *	debug_frame_index_free(index);
 */
#ifndef CAIRN_UNWIND_TABLES_DEBUG_FRAME_INDEX_H
#define CAIRN_UNWIND_TABLES_DEBUG_FRAME_INDEX_H

#include <cairn.h>

enum { DEBUG_FRAME_INDEX_MAX = 1 << 22 }; /* FDEs beyond this number are ignored */

struct debug_frame_index_entry {
	uint64_t low, high; /* va */
	uint64_t fde;       /* offset in the section */
};

struct debug_frame_index {
	struct cairn_bytes section;
	bool big;
	uint8_t word; /* address size in bytes, by the ELF class */
	struct debug_frame_index_entry *list;
	size_t count, room;
};

/*
 * Build the list. Return NULL if memory is short. Entries behind an entry of unknown length are
 * ignored.
 */
struct debug_frame_index *debug_frame_index_new(struct cairn_bytes section, bool big, uint8_t word);
void debug_frame_index_free(struct debug_frame_index *index);

/* Find the offset of the FDE that covers `va`. Return false if not found. */
bool debug_frame_index_find(const struct debug_frame_index *index, uint64_t va, uint64_t *fde);

#endif
