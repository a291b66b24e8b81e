/* SPDX-License-Identifier: MIT */
/*
 * Names in modules of a log that the session has not loaded. They come from files that the user
 * gave for the module's build, and otherwise from files that a symbolizer finds by build ID.
 */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_OTHER_MODULES_H
#define CAIRN_COMMON_COMMANDS_MARKUP_OTHER_MODULES_H

#include "common/session/session.h"

/* Zero-initialize it; the symbolizer is created at the first query. */
struct other_modules {
	struct cairn_symbolizer *symbolizer;
};

/*
 * Find the locations of an address, innermost first. Returns their number, at most `room`. They are
 * valid until the next query.
 */
size_t other_modules_code(struct other_modules *modules, const struct session *session,
                          const struct cairn_markup_query *question,
                          struct cairn_location *locations, size_t room);

/*
 * Find the variable or function at or below the address. Returns false if there is no such symbol.
 */
bool other_modules_data(struct other_modules *modules, const struct session *session,
                        const struct cairn_markup_query *question, struct cairn_location *location);

void other_modules_finish(struct other_modules *modules);

#endif
