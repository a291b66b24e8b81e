/* SPDX-License-Identifier: MIT */
/*
 * Reads symbfiles of ranges, Breakpad files, Go's tables and JIT code, which cannot be looked up where they are, as functions
 * in memory.  It reads all of the file, and nothing of the file is used any more when it is done.
 *
 *	if (symbols_must_read(file, &format))
 *		status = symbols_read_functions(file, format, &polling, &functions, &fault);
 *	... symbols_functions_finish(&functions)
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_READ_FUNCTIONS_H
#define CAIRN_SYMBOLS_LOOKUP_READ_FUNCTIONS_H

#include "base/polling.h"
#include "symbols/functions/kept_functions.h"

struct symbols_functions {
	struct kept_functions list; /* sorted, and in the order of preference */
	uint8_t *texts;             /* of all functions */
	struct cairn_bytes build_id;
	struct cairn_fault damage; /* what ended the reading; OK when the file is whole */
};

/* By its first bytes: is it of such a format, and which one? */
bool symbols_must_read(struct cairn_bytes file, enum cairn_symbol_format *format);

/*
 * NOT_FOUND: no function is in it.  Else as the readers of the formats say, or NO_MEMORY.  Damage
 * is an error only when there is nothing before it.  `*read` is to be finished in any case.
 */
CAIRN_MUST_USE enum cairn_status symbols_read_functions(struct cairn_bytes file,
                                                        enum cairn_symbol_format format,
                                                        struct polling *polling,
                                                        struct symbols_functions *read,
                                                        struct cairn_fault *fault);
void symbols_functions_finish(struct symbols_functions *read);

#endif
