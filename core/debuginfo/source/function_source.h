/* SPDX-License-Identifier: MIT */
/*
 * An input that functions come from, whatever its format: an ELF file with DWARF or symbols, a Breakpad file, a GSYM file, a
 * symbfile of ranges.  The writers of cairn/functions.h read it in one way:
 *
 *	status = function_source_read(functions, &takers, &error);
 *
 * It may be read again, and gives the same functions then.  Their texts live until it is closed.
 */
#ifndef CAIRN_DEBUGINFO_SOURCE_FUNCTION_SOURCE_H
#define CAIRN_DEBUGINFO_SOURCE_FUNCTION_SOURCE_H

#include "base/error.h"
#include "os/file/file.h"
#include "symbols/lookup/symbol_input.h"

#include <cairn/functions.h>

enum { FUNCTION_SOURCE_DROPS_MAX = 24 };

struct cairn_functions {
	const char *path;
	struct cairn_functions_options options;
	bool columns; /* keep the columns of rows and inlined calls; to be set before the input is read */
	enum cairn_symbol_format kind;
	struct os_file file;
	bool packed; /* the file was unpacked */

	struct cairn_bytes build_id;
	bool big;
	uint64_t base; /* lowest address of the module, as linked */

	/* set anew by each reading */
	struct cairn_functions_drop drop[FUNCTION_SOURCE_DROPS_MAX];
	size_t drops;
	bool damaged;      /* a message reported which part of the input is lost */
	uint64_t no_split; /* units whose split half was not found */
	uint64_t repeated; /* copies of functions that were left out; see the sinks' `once` */
	struct cairn_error *error; /* of the current call */

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
 * Pass all functions to the sinks.  Returns CANCELLED if the host ended the call; *error says why any other status than
 * OK is returned.
 */
CAIRN_MUST_USE enum cairn_status function_source_read(struct cairn_functions *origin,
                                                      const struct function_source_sinks *takers,
                                                      struct cairn_error *error);

/* Read on one thread, so that the sink need not be safe for several. */
CAIRN_MUST_USE enum cairn_status function_source_read_serially(struct cairn_functions *origin,
                                                               struct function_sink sink,
                                                               struct cairn_error *error);

/* Open another file that the options name. */
CAIRN_MUST_USE enum cairn_status function_source_open_file(
	const struct cairn_functions_options *options, const char *path, struct os_file *file,
	struct cairn_error *error);

/* Return false if the host wants to end the call. */
bool function_source_go_on(const struct cairn_functions *origin, uint64_t done, uint64_t all);

/* Compare names of the same code: below 0 if `a` is the better one, 0 if the input does not show it. */
int function_source_compare_names(const void *functions, uint64_t va, struct cairn_bytes a,
                                  struct cairn_bytes b);

/* Count what was dropped; nothing for a count of 0. */
static inline void function_source_add_drop(struct cairn_functions *origin, const char *what,
                                            uint64_t count)
{
	if (count > 0 && origin->drops < FUNCTION_SOURCE_DROPS_MAX)
		origin->drop[origin->drops++] = (struct cairn_functions_drop){ what, count };
}

/* Messages to the host while the input is read.  Only those of a level that the host wants are formatted. */
void message_tell(const struct cairn_functions *origin, enum cairn_message_level level,
                  const char *path, const char *format, ...) ERROR_FORMAT(4);

/* Report a word that is in the file. */
void message_tell_word(const struct cairn_functions *origin, enum cairn_message_level level,
                       const char *path, const char *word, const char *why);

/* Report a fault; `part` and `next` may be NULL. */
void message_tell_fault(const struct cairn_functions *origin, enum cairn_message_level level,
                        const char *path, const char *part, const struct cairn_fault *fault,
                        const char *next);

/*
 * Copy the fields of the caller's struct that *own has.  Both begin with their size, because the caller may be older or
 * newer than the library.  `given` may be NULL.
 */
void functions_take_options(void *own, size_t size, const void *given);

/* Copy in the other direction; `wanted` may be NULL. */
void functions_give_summary(const void *own, size_t size, void *wanted);

/* The destination of a file that is written: a copy of the caller's. */
struct functions_output {
	struct cairn_output to;
	const char *input; /* subject of errors if there is no path */
	struct cairn_error *error;
};

struct functions_output functions_output_of(const struct cairn_output *output, const char *input,
                                            struct cairn_error *error);

/* Return the path of the output, or that of the input if a function of the host takes the bytes. */
const char *functions_output_path(const struct functions_output *output);

/* Write one file to the path, extended by `suffix`: fill() writes to the descriptor, and returns 0 or an errno value. */
CAIRN_MUST_USE enum cairn_status functions_output_fill(const struct functions_output *output,
                                                       const char *suffix,
                                                       int (*fill)(void *context, int fd),
                                                       void *context);

/* Write one file, whose path is extended by `suffix`. */
CAIRN_MUST_USE enum cairn_status functions_output_write(const struct functions_output *output,
                                                        const char *suffix,
                                                        const struct cairn_bytes *parts,
                                                        size_t count);

#endif
