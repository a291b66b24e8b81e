/* SPDX-License-Identifier: MIT */
/*
 * Reads all functions of symbfiles. They are read from the index, where overlapping and split
 * records have been resolved; adjacent pieces of one function are joined again. Return pads contain
 * nothing that ranges do not, so they are ignored.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_SYMBFILE_H
#define CAIRN_SYMBOLS_SOURCES_SYMBFILE_H

#include "model/function.h"
#include "symbols/index/index.h"

/* Limits. Sinks look at every byte of each name, and one string may be the name of every record. */
enum {
	/* limit of the names, per byte of strings and records; real files need about 10 */
	SYMBFILE_NAMES_TIMES = 64,
	SYMBFILE_NAMES_LEAST = 1 << 16, /* bytes added to this limit, for small files */
	SYMBFILE_ROWS_MAX = 1 << 19,    /* rows per function; the largest known has about 100,000 */
};

/*
 * Pass all functions to `sink` by ascending address. Returns CAIRN_OK, NO_MEMORY, MALFORMED if the
 * limits above are exceeded, or the sink's status.
 */
CAIRN_MUST_USE enum cairn_status symbfile_functions(const struct symbfile_index *index,
                                                    const struct function_sink *sink);

#endif
