/* SPDX-License-Identifier: MIT */
/*
 * Makes an index of symbfiles (index.h), in memory.
 *
 *	struct symbfile_built built;
 *	status = symbfile_build(files, count, NULL, &built);
 *	... built.index
 *	symbfile_built_free(&built);
 *
 * Records may come in any order, come twice, overlap, and be split.  Where two of one depth hold an
 * address, the one that begins later counts, then the shorter one, then the one that comes later.
 * A return pad that comes twice counts as it came first.
 *
 * Memory: 12 bytes for each segment, 24 for each range, and the texts.  Where trees do not come in
 * ascending order, 40 bytes more for each tree while they are put in order, and 12 for each segment
 * of those that overlap and are not the same.  For files as compilers give them that is less than
 * twice their size.  Ranges that
 * overlap in a way that no compiler makes are refused before the index grows past SYMBFILE_GROWTH
 * frames for each.
 */
#ifndef CAIRN_SYMBOLS_INDEX_BUILD_H
#define CAIRN_SYMBOLS_INDEX_BUILD_H

#include "index.h"

#include "base/polling.h"
#include "formats/symbfile/symbfile.h"

enum {
	SYMBFILE_FILES_MAX = SYMBFILE_SOURCES_MAX,
	SYMBFILE_GROWTH = 8,    /* frames of the index for each range, and 4096 */
	SYMBFILE_LEVELS = 1024, /* depths around one address; compilers stay below 100 */
};

struct symbfile_built {
	struct symbfile_index index;
	/* the first damage of each file, if any; what came before it is in the index */
	struct cairn_fault fault[SYMBFILE_FILES_MAX];
	uint64_t ranges, pads;
	void *memory[16]; /* for symbfile_built_free() */
};

/*
 * NO_MEMORY, or UNSUPPORTED: overlaps as above, or more than 2^32 of something.  The texts are
 * copied; the files are not needed any more.  Then symbfile_built_free() is harmless.
 * `polling` may be NULL.
 */
CAIRN_MUST_USE enum cairn_status symbfile_build(const struct cairn_bytes *files, size_t count,
                                                struct polling *polling,
                                                struct symbfile_built *built);
void symbfile_built_free(struct symbfile_built *built);

#endif
