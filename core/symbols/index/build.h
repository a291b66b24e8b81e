/* SPDX-License-Identifier: MIT */
/*
 * Builds an index of symbfiles (index.h) in memory.
 *
 *	struct symbfile_built built;
 *	status = symbfile_build(files, count, NULL, &built);
 *	... built.index
 *	symbfile_built_free(&built);
 *
 * Records may come in any order, be repeated, overlap and be split. If several records of one depth
 * hold an address, the one that begins last wins, then the shortest, then the one that comes last.
 * If a return pad is repeated, the first one wins.
 *
 * The index takes 12 bytes per segment, 24 per range, and the strings. If the trees are not in
 * ascending order, sorting takes another 40 bytes per tree and 12 per segment of trees that overlap
 * without being identical. For files as compilers produce them, the total is less than twice the
 * file size. Ranges that overlap in ways no compiler produces are rejected before the index grows
 * past SYMBFILE_GROWTH frames per range.
 */
#ifndef CAIRN_SYMBOLS_INDEX_BUILD_H
#define CAIRN_SYMBOLS_INDEX_BUILD_H

#include "index.h"

#include "base/polling.h"
#include "formats/symbfile.h"

enum {
	SYMBFILE_FILES_MAX = SYMBFILE_SOURCES_MAX,
	SYMBFILE_GROWTH = 8,    /* maximum frames in the index per range, plus 4096 */
	SYMBFILE_LEVELS = 1024, /* maximum depth around one address; compilers stay below 100 */
};

struct symbfile_built {
	struct symbfile_index index;
	/* first damage of each file, if any; the index has the records before the damage */
	struct cairn_fault fault[SYMBFILE_FILES_MAX];
	uint64_t ranges, pads;
	void *memory[16];
};

/*
 * Build the index of `count` files. The strings are copied, so the files need not outlive the call.
 * Returns NO_MEMORY, or UNSUPPORTED if ranges overlap too much (see above) or there are more than
 * 2^32 of something; calling symbfile_built_free() is then harmless. `polling` may be NULL.
 */
CAIRN_MUST_USE enum cairn_status symbfile_build(const struct cairn_bytes *files, size_t count,
                                                struct polling *polling,
                                                struct symbfile_built *built);
void symbfile_built_free(struct symbfile_built *built);

#endif
