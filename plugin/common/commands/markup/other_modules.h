/* SPDX-License-Identifier: MIT */
/*
 * Names in modules of a log that the session has not loaded: from the files that a symbolizer finds by their build IDs, and before
 * these from those that the user gave for such a build.
 */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_OTHER_MODULES_H
#define CAIRN_COMMON_COMMANDS_MARKUP_OTHER_MODULES_H

#include "common/session/session.h"

/* Zeros are one that has not been asked yet. */
struct other_modules {
	struct cairn_symbolizer *symbolizer;
};

/*
 * The locations of an address, innermost first, `room` at most; how many.  What they point to lives until the next question.
 */
size_t other_modules_code(struct other_modules *modules, const struct session *session,
                          const struct cairn_markup_query *question,
                          struct cairn_location *locations, size_t room);

/* The variable or function at or below the address; false: there is none. */
bool other_modules_data(struct other_modules *modules, const struct session *session,
                        const struct cairn_markup_query *question, struct cairn_location *location);

void other_modules_finish(struct other_modules *modules);

#endif
