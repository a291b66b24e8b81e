/* SPDX-License-Identifier: MIT */
/*
 * An input that functions come from, whatever its format: an ELF file with DWARF or symbols, a
 * Breakpad file, a GSYM file, a symbfile of ranges.  Those who write symbol formats read it in one
 * way:
 *
 *	struct function_source origin;
 *	status = function_source_open(path, &options, &origin, &error);
 *	if (status == CAIRN_OK)
 *		status = function_source_read(&origin, &takers, &error);
 *	...
 *	function_source_close(&origin);
 *
 * It may be read again, and gives the same functions then.  Their texts live until it is closed.
 */
#ifndef CAIRN_CONVERT_SOURCE_FUNCTION_SOURCE_H
#define CAIRN_CONVERT_SOURCE_FUNCTION_SOURCE_H

#include "model/function.h"
#include "os/file/file.h"
#include "symbols/lookup/symbol_input.h"

#include <cairn/functions.h>

enum { FUNCTION_SOURCE_DROPS_MAX = 24 };

struct function_source {
	const char *path;
	struct cairn_functions_options options; /* `jobs` as it is: 0 is this thread alone */
	bool columns; /* rows and inlined calls have them, where the input does; to be set before it is read */
	enum cairn_symbol_format kind;
	struct os_file file;
	bool packed; /* it was unpacked */

	struct cairn_bytes build_id;
	bool big;
	uint64_t base; /* of the module, as linked */

	/* set by reading, anew each time */
	struct cairn_functions_drop drop[FUNCTION_SOURCE_DROPS_MAX];
	size_t drops;
	bool damaged;      /* a message reported which part of the input is lost */
	uint64_t no_split; /* units whose split half was not found */
	uint64_t repeated; /* copies of functions that were left out; see the sinks' `once` */
	struct cairn_error *error; /* of the call that is going on */

	struct symbol_input input; /* of any format but ELF */
	struct elf_source *elf;
};

/*
 * The receivers of the functions.  Each thread has its own sink, asked for before it begins; `unit` tells
 * it the number of the unit whose functions follow.  A unit belongs to one thread.
 */
struct function_source_sinks {
	bool (*sink)(void *context, unsigned thread, struct function_sink *sink);
	void (*unit)(void *context, unsigned thread, uint32_t unit);
	void *context;
	bool once; /* of functions with one range and name only the first one, in the first unit, is needed */
};

/*
 * Opens the input; `origin` is to be closed only after OK.  `path` and what the options point to are borrowed until then.
 * *error says why another status is returned.
 */
CAIRN_MUST_USE enum cairn_status function_source_open(const char *path,
                                                      const struct cairn_functions_options *options,
                                                      struct function_source *origin,
                                                      struct cairn_error *error);
void function_source_close(struct function_source *origin);

/* Gives all functions to the sinks.  CANCELLED: the host said so; else what is wrong, as above. */
CAIRN_MUST_USE enum cairn_status function_source_read(struct function_source *origin,
                                                      const struct function_source_sinks *takers,
                                                      struct cairn_error *error);

/* Reads on one thread, so that the sink need not be safe for several. */
CAIRN_MUST_USE enum cairn_status function_source_read_serially(struct function_source *origin,
                                                               struct function_sink sink,
                                                               struct cairn_error *error);

/* Opens another file that the options name. */
CAIRN_MUST_USE enum cairn_status function_source_open_file(
	const struct cairn_functions_options *options, const char *path, struct os_file *file,
	struct cairn_error *error);

/* Asks the host whether to go on; false: it does not want to. */
bool function_source_go_on(const struct function_source *origin, uint64_t done, uint64_t all);

/* Which name of the same code is better: below 0 for `a`, 0 when the input does not show it. */
int function_source_compare_names(const struct function_source *origin, uint64_t va,
                                  struct cairn_bytes a, struct cairn_bytes b);

/* As many threads as there are processors, up to a few. */
unsigned function_source_default_jobs(void);

/* Counts what was dropped; nothing for a count of 0. */
static inline void function_source_add_drop(struct function_source *origin, const char *what,
                                            uint64_t count)
{
	if (count > 0 && origin->drops < FUNCTION_SOURCE_DROPS_MAX)
		origin->drop[origin->drops++] = (struct cairn_functions_drop){ what, count };
}

#endif
