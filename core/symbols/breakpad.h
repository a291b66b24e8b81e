/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions of a Breakpad symbol file.
 *
 *	struct breakpad_file *file = breakpad_file_new(bytes, NULL);
 *	status = breakpad_functions(file, 0, &sink, &notice, &report);
 *	... report.malformed lines were skipped
 *	breakpad_file_free(file);
 *
 * docs/formats/breakpad.md describes how records are combined. Invalid lines do not end reading;
 * the caller decides whether to reject the file. Unwind rules are ignored.
 */
#ifndef CAIRN_SYMBOLS_BREAKPAD_H
#define CAIRN_SYMBOLS_BREAKPAD_H

#include "base/function.h"
#include "base/polling.h"

struct breakpad_file;

/*
 * Read the FILE and INLINE_ORIGIN records first, because other records may refer to them before
 * they occur. Returns NULL if allocation fails. `polling` may be NULL.
 */
struct breakpad_file *breakpad_file_new(struct cairn_bytes bytes, struct polling *polling);
void breakpad_file_free(struct breakpad_file *file);

struct cairn_bytes breakpad_file_build_id(const struct breakpad_file *file);

/* Callback for each invalid line. `what` is NULL for an unknown keyword. */
struct breakpad_notice {
	void (*notice)(void *context, uint64_t line, const char *what);
	void *context;
};

struct breakpad_summary {
	uint64_t malformed, unknown;
	uint64_t lines_outside, lines_empty, lines_covered;
	/*
	 * number of calls outside their function, and number of calls dropped because of a limit;
	 * both counts include the calls nested in them
	 */
	uint64_t inlines_outside, inlines_cut;
	/* some calls have no name, because the names, counted once per call, exceed their limit */
	bool names_shared;
	uint64_t symbols_covered; /* number of PUBLIC symbols inside a function or at address 0 */
	/*
	 * numbers of valid records whose "shared" flag, parameter size or unwind rules are ignored
	 */
	uint64_t shared, parameters, unwind;
};

/*
 * Pass all functions to `sink`. `base` is the link-time address of the module's start. `notice` may
 * be NULL. Returns CAIRN_OK, NO_MEMORY, or the status of the sink.
 */
CAIRN_MUST_USE enum cairn_status breakpad_functions(struct breakpad_file *file, uint64_t base,
                                                    const struct function_sink *sink,
                                                    const struct breakpad_notice *notice,
                                                    struct breakpad_summary *report);

#endif
