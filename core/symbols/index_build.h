/* SPDX-License-Identifier: MIT */
/*
 * Builds an index of symbfiles (index.h) in memory.
 *
 *	struct symbfile_built built;
 *	status = symbfile_build(files, count, NULL, &built);
 *	... built.index
 *	symbfile_built_free(&built);
 *
 * Records may be in any order, repeated, overlapping and split. If several records with the same
 * depth contain an address, the one that begins last wins; among those, the shortest, then the last
 * in the file. If a return pad is repeated, the first one wins.
 *
 * The index takes 12 bytes per segment, 24 per range, and the strings. If the trees are not in
 * ascending order, sorting takes another 40 bytes per tree and 12 per segment of trees that overlap
 * without being identical. For compilers' output, the total is less than twice the file size.
 * Ranges that overlap in ways no compiler produces are rejected before the index grows past
 * SYMBFILE_GROWTH frames per range.
 */
#ifndef CAIRN_SYMBOLS_INDEX_BUILD_H
#define CAIRN_SYMBOLS_INDEX_BUILD_H

#include "index.h"

#include "base/polling.h"
#include "formats/symbfile.h"

enum {
	SYMBFILE_FILES_MAX = SYMBFILE_SOURCES_MAX,
	/* maximum number of frames per range; the whole index may have 4096 more */
	SYMBFILE_GROWTH = 8,
	/* maximum number of nested ranges at one address; compilers stay below 100 */
	SYMBFILE_LEVELS = 1024,
};

struct symbfile_built {
	struct symbfile_index index;
	/* first damage in each file, if any; records before it are in the index */
	struct cairn_fault fault[SYMBFILE_FILES_MAX];
	uint64_t ranges, pads;
	void *memory[16];
};

/*
 * Build the index of `count` files. The strings are copied, so the files need not outlive the call.
 * Returns NO_MEMORY, or UNSUPPORTED if ranges overlap too much (see above) or the number of
 * segments, frames or strings exceeds 32 bits. In both cases, calling symbfile_built_free() is
 * allowed but not required. `polling` may be NULL.
 */
CAIRN_MUST_USE enum cairn_status symbfile_build(const struct cairn_bytes *files, size_t count,
                                                struct polling *polling,
                                                struct symbfile_built *built);
void symbfile_built_free(struct symbfile_built *built);

#endif
