/* SPDX-License-Identifier: MIT */
/*
 * Reads all functions in symbfiles through the index, which resolves overlapping and split records.
 * Adjacent segments of one function are joined again. Return pads are ignored because ranges
 * contain the same information.
 */
#ifndef CAIRN_SYMBOLS_SYMBFILE_H
#define CAIRN_SYMBOLS_SYMBFILE_H

#include "base/function.h"
#include "symbols/index.h"

/*
 * Limits for crafted files: one string may be the name of every record, and sinks read every byte
 * of each name.
 */
enum {
	/* maximum total size of names, per byte of strings and records; real files need about 10 */
	SYMBFILE_NAMES_TIMES = 64,
	/*
	 * constant part of the limit on the total size of names, which makes the limit sufficient
	 * for small files
	 */
	SYMBFILE_NAMES_LEAST = 1 << 16,
	/* maximum number of rows per function; the largest known function has about 100,000 */
	SYMBFILE_ROWS_MAX = 1 << 19,
};

/*
 * Pass all functions to `sink` in ascending order of address. Returns CAIRN_OK, NO_MEMORY,
 * MALFORMED if the limits above are exceeded, or the status of the sink.
 */
CAIRN_MUST_USE enum cairn_status symbfile_functions(const struct symbfile_index *index,
                                                    const struct function_sink *sink);

#endif
