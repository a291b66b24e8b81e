/* SPDX-License-Identifier: MIT */
/*
 * All that symbfiles know, function by function, as writers of other formats take it.  It is read
 * from their index, so that whatever overlaps or was split has its one answer already; what is left
 * of one function in neighbouring pieces becomes one function again.
 *
 * Return pads know nothing that ranges do not, and are passed over.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_SYMBFILE_H
#define CAIRN_SYMBOLS_SOURCES_SYMBFILE_H

#include "model/function.h"
#include "symbols/index/index.h"

/* Whoever takes names looks at every byte of each, and one text may be the name of every record. */
enum {
	SYMBFILE_NAMES_TIMES = 64,      /* times texts and records; real files have some 10 */
	SYMBFILE_NAMES_LEAST = 1 << 16, /* bytes of names, of small files */
	SYMBFILE_ROWS_MAX = 1 << 19,    /* of one function; the largest known have some 100,000 */
};

/*
 * In the order of addresses.  CAIRN_OK, NO_MEMORY, MALFORMED when names share too many bytes or a function has too
 * many rows, or what the sink returned.
 */
CAIRN_MUST_USE enum cairn_status symbfile_functions(const struct symbfile_index *index,
                                                    const struct function_sink *sink);

#endif
