/* SPDX-License-Identifier: MIT */
/*
 * Converts symbfiles of ranges, Breakpad files and Go's tables, which cannot be looked up directly, to GSYM in
 * memory, so that struct cairn_symbols handles one format. It reads all of the file, and nothing of
 * the file is used any more when it is done.
 *
 *	if (symbols_must_convert(file, &format))
 *		status = symbols_convert(file, format, &polling, &converted, &fault);
 *	... free(converted.data)
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_CONVERT_H
#define CAIRN_SYMBOLS_LOOKUP_CONVERT_H

#include "base/polling.h"

#include <cairn.h>

struct symbols_converted {
	uint8_t *data; /* a GSYM file; free() gives it back */
	size_t size;
	struct cairn_fault damage; /* what ended the reading; OK when the file is whole */
};

/* By its first bytes: is it of such a format, and which one? */
bool symbols_must_convert(struct cairn_bytes file, enum cairn_symbol_format *format);

/*
 * NOT_FOUND: no function is in it.  Else as the readers of the formats say, or NO_MEMORY.  Damage
 * is an error only when there is nothing before it.
 */
CAIRN_MUST_USE enum cairn_status symbols_convert(struct cairn_bytes file,
                                                 enum cairn_symbol_format format,
                                                 struct polling *polling,
                                                 struct symbols_converted *converted,
                                                 struct cairn_fault *fault);

#endif
