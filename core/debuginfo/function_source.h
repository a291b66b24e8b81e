/* SPDX-License-Identifier: MIT */
/*
 * A source of functions in any format: an ELF file with DWARF or symbols, or a Breakpad, GSYM or
 * symbfile file. The writers in cairn/functions.h read all formats with
 *
 *	status = function_source_read(functions, &takers, &error);
 *
 * A source may be read several times and yields the same functions each time. A function's strings
 * stay valid until the source is closed.
 */
#ifndef CAIRN_DEBUGINFO_FUNCTION_SOURCE_H
#define CAIRN_DEBUGINFO_FUNCTION_SOURCE_H

#include "base/error.h"
#include "os/file.h"
#include "symbols/symbol_input.h"

#include <cairn/functions.h>

enum { FUNCTION_SOURCE_DROPS_MAX = 24 };

struct cairn_functions {
	const char *path;
	struct cairn_functions_options options;
	bool columns; /* keep columns of rows and inlined calls; set before reading */
	enum cairn_symbol_format kind;
	struct os_file file;
	bool packed;

	struct cairn_bytes build_id;
	bool big;
	uint64_t base; /* lowest link-time address of the module */

	/* The fields below are reset by each read. */
	struct cairn_functions_drop drop[FUNCTION_SOURCE_DROPS_MAX];
	size_t drops;
	bool damaged; /* part of the input was lost, and a message has reported it */
	uint64_t no_split;
	/* number of duplicate functions that were skipped; see function_source_sinks.once */
	uint64_t repeated;
	struct cairn_error *error;

	struct symbol_input input;
	struct elf_source *elf;
};

/*
 * Receivers of functions. `sink` provides a thread with its sink before the thread begins; `unit`
 * announces the unit of the functions that follow. Each unit is read by a single thread.
 */
struct function_source_sinks {
	bool (*sink)(void *context, unsigned thread, struct function_sink *sink);
	void (*unit)(void *context, unsigned thread, uint32_t unit);
	void *context;
	/* skip functions with the same range and name as an earlier one */
	bool once;
};

/*
 * Pass all functions to the sinks. Returns CANCELLED if the host cancelled the call. *error is set
 * unless CAIRN_OK is returned.
 */
CAIRN_MUST_USE enum cairn_status function_source_read(struct cairn_functions *origin,
                                                      const struct function_source_sinks *sinks,
                                                      struct cairn_error *error);

/* Read on one thread. The sink need not be thread-safe. */
CAIRN_MUST_USE enum cairn_status function_source_read_serially(struct cairn_functions *origin,
                                                               struct function_sink sink,
                                                               struct cairn_error *error);

CAIRN_MUST_USE enum cairn_status function_source_open_file(
	const struct cairn_functions_options *options, const char *path, struct os_file *file,
	struct cairn_error *error);

bool function_source_continue(const struct cairn_functions *origin, uint64_t done, uint64_t all);

/*
 * Compare two names for the same code. Returns a negative value if `a` is better, 0 if the input
 * has no preference.
 */
int function_source_compare_names(const void *functions, uint64_t va, struct cairn_bytes a,
                                  struct cairn_bytes b);

static inline void function_source_add_drop(struct cairn_functions *origin, const char *what,
                                            uint64_t count)
{
	if (count > 0 && origin->drops < FUNCTION_SOURCE_DROPS_MAX)
		origin->drop[origin->drops++] = (struct cairn_functions_drop){ what, count };
}

void message_tell(const struct cairn_functions *origin, enum cairn_message_level level,
                  const char *path, const char *format, ...) ERROR_FORMAT(4);

void message_tell_word(const struct cairn_functions *origin, enum cairn_message_level level,
                       const char *path, const char *word, const char *why);

/*
 * Send the host a message about a fault. `part` names the faulty part of the file `path`, and
 * `next` tells the user what to do; both may be NULL.
 */
void message_tell_fault(const struct cairn_functions *origin, enum cairn_message_level level,
                        const char *path, const char *part, const struct cairn_fault *fault,
                        const char *next);

struct functions_output {
	struct cairn_output to;
	/* name of the input, for error messages if the output has no path */
	const char *input;
	struct cairn_error *error;
};

struct functions_output functions_output_of(const struct cairn_output *output, const char *input,
                                            struct cairn_error *error);

/* Return the output path, or the input path if the host receives the output through a callback. */
const char *functions_output_path(const struct functions_output *output);

/*
 * Write one file whose path is the output path plus `suffix`. fill() writes to the descriptor and
 * returns 0 or an errno value.
 */
CAIRN_MUST_USE enum cairn_status functions_output_fill(const struct functions_output *output,
                                                       const char *suffix,
                                                       int (*fill)(void *context, int fd),
                                                       void *context);

CAIRN_MUST_USE enum cairn_status functions_output_write(const struct functions_output *output,
                                                        const char *suffix,
                                                        const struct cairn_bytes *parts,
                                                        size_t count);

#endif
