/* SPDX-License-Identifier: MIT */
/*
 * The functions of a Breakpad symbol file, as writers of other formats take them.
 *
 *	struct breakpad_file *file = breakpad_file_new(bytes, NULL);
 *	status = breakpad_functions(file, 0, &sink, &notice, &report);
 *	... report.malformed lines were passed over
 *	breakpad_file_free(file);
 *
 * The rules by which records are joined are those of docs/formats/breakpad.md.  Nothing that is
 * wrong with a line ends the reading; it is for the caller to take offence.  Unwind rules are not
 * read.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_BREAKPAD_H
#define CAIRN_SYMBOLS_SOURCES_BREAKPAD_H

#include "base/polling.h"
#include "model/function.h"

struct breakpad_file;

/* Reads what may be used before it is defined: files and names.  NULL when memory is short; `polling` may be NULL. */
struct breakpad_file *breakpad_file_new(struct cairn_bytes bytes, struct polling *polling);
void breakpad_file_free(struct breakpad_file *file);

/* Empty when the file has none. */
struct cairn_bytes breakpad_file_build_id(const struct breakpad_file *file);

/* What went wrong with a line; `what` is NULL for an unknown keyword. */
struct breakpad_notice {
	void (*notice)(void *context, uint64_t line, const char *what);
	void *context;
};

struct breakpad_summary {
	uint64_t malformed, unknown; /* lines that were passed over */
	uint64_t lines_outside, lines_empty, lines_covered;
	uint64_t inlines_outside, inlines_cut; /* with those inside them */
	bool names_shared;                     /* too many bytes of names; some calls have none */
	uint64_t symbols_covered;              /* PUBLIC inside of a function, or at 0 */
	uint64_t shared, parameters, unwind;   /* present, but nothing a writer would take */
};

/*
 * `base` is where the module's beginning is linked; `notice` may be NULL.  CAIRN_OK, NO_MEMORY, or
 * what the sink returned.
 */
CAIRN_MUST_USE enum cairn_status breakpad_functions(struct breakpad_file *file, uint64_t base,
                                                    const struct function_sink *sink,
                                                    const struct breakpad_notice *notice,
                                                    struct breakpad_summary *report);

#endif
