/* SPDX-License-Identifier: MIT */
/*
 * An input that functions come from, whatever its format: an ELF file with DWARF or symbols, a
 * Breakpad file, a GSYM file, a symbfile of ranges.  Those who write symbol formats read it in one
 * way:
 *
 *	struct function_source origin;
 *	if (!function_source_open(path, &options, &origin, &status))
 *		return status;                                     a message was printed
 *	status = function_source_read(&origin, &takers);
 *	...
 *	function_source_close(&origin);
 *
 * It may be read again, and gives the same functions then.  Their texts live until it is closed.
 */
#ifndef CAIRN_CLI_SOURCE_FUNCTION_SOURCE_H
#define CAIRN_CLI_SOURCE_FUNCTION_SOURCE_H

#include "cli/front/cli.h"
#include "model/function.h"
#include "symbols/cache/gsym_image.h"
#include "symbols/index/build.h"
#include "symbols/sources/breakpad/breakpad.h"

enum { FUNCTION_SOURCE_JOBS_MAX = 256, FUNCTION_SOURCE_DROPS_MAX = 24 };

struct function_source_options {
	uint64_t jobs;       /* threads, at least 1 */
	const char *folders; /* of debugging information, DIR:DIR...; may be NULL */
	bool folded;         /* also give symbols of the same code */
	bool calls;          /* also give calls that are still calls */
	bool verbose;        /* every flaw, not the first few */
	bool quiet;          /* no word about damage that costs little */
	bool progress;       /* a line about how far it is, even so */
	bool strict;         /* damage that costs a part of the input is an error */
	bool few;            /* addresses will be asked for: of an ELF file nothing is read ahead */
	bool every_row;      /* of one address, and where statements begin if it is known */
	/* asked for the debug file of a program without DWARF when there is none here; NULL: nobody is; *path
	   is good until the next call */
	bool (*fetch)(void *context, struct cairn_bytes build_id, const char **path);
	void *fetch_context;
	uint64_t base; /* added to addresses that count from the module's beginning */
	const char
		*symbols; /* the ELF file whose symbols count in place of the input's; NULL: none */
};

/* Rows of a table of options, for whoever reads an origin. */
#define OPTIONS_FUNCTION_SOURCE(input)                                               \
	{ .name = "strict",                                                          \
	  .help = "fail when damage loses a part of the input",                      \
	  .flag = &(input).strict },                                                 \
		{ .name = "jobs",                                                    \
		  .letter = 'j',                                                     \
		  .argument = "N",                                                   \
		  .help = "threads",                                                 \
		  .number = &(input).jobs },                                         \
		{ .name = "verbose",                                                 \
		  .letter = 'v',                                                     \
		  .help = "print every flaw, not only the first few",                \
		  .flag = &(input).verbose },                                        \
	{                                                                            \
		.name = "quiet", .help = "print errors only", .flag = &(input).quiet \
	}

enum function_source_kind {
	FUNCTION_SOURCE_GSYM,
	FUNCTION_SOURCE_BREAKPAD,
	FUNCTION_SOURCE_ELF,
	FUNCTION_SOURCE_SYMBFILE,
};

/* Something that is not among the functions, and why. */
struct function_source_drop {
	const char *what; /* in the plural: "lines outside of their functions" */
	uint64_t count;
};

struct function_source {
	const char *path;
	struct function_source_options options;
	enum function_source_kind kind;
	struct os_file file;

	struct cairn_bytes build_id;
	bool big;
	uint64_t base; /* of the module, as linked */

	/* set by reading, anew each time */
	struct function_source_drop drop[FUNCTION_SOURCE_DROPS_MAX];
	size_t drops;
	bool damaged; /* a message reported which part of the input is lost */

	struct gsym_image gsym;
	struct breakpad_file *breakpad;
	struct symbfile_built symbfile;
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
};

/* False, with a message printed and *status set, when it is none. */
bool function_source_open(const char *path, const struct function_source_options *options,
                          struct function_source *origin, int *status);
void function_source_close(struct function_source *origin);

/* CAIRN_OK; or a message was printed. */
CAIRN_MUST_USE enum cairn_status function_source_read(struct function_source *origin,
                                                      const struct function_source_sinks *takers);

/* Reads on one thread, so that the sink need not be safe for several.  Errors as above. */
CAIRN_MUST_USE enum cairn_status function_source_read_serially(struct function_source *origin,
                                                               struct function_sink sink);

/* Which name of the same code is better: below 0 for `a`, 0 when the input does not show it. */
int function_source_compare_names(const struct function_source *origin, uint64_t va,
                                  struct cairn_bytes a, struct cairn_bytes b);

/* As many threads as there are processors, up to a few. */
uint64_t function_source_default_jobs(void);

/* Counts what was dropped; nothing for a count of 0. */
static inline void function_source_add_drop(struct function_source *origin, const char *what,
                                            uint64_t count)
{
	if (count > 0 && origin->drops < FUNCTION_SOURCE_DROPS_MAX)
		origin->drop[origin->drops++] = (struct function_source_drop){ what, count };
}

#endif
