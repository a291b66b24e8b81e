/* SPDX-License-Identifier: MIT */
/*
 * An input that functions come from, whatever its format: an ELF file with DWARF or symbols, a
 * Breakpad file, a GSYM file, a symbfile of ranges.  Those who write symbol formats read it in one
 * way:
 *
 *	struct origin origin;
 *	if (!origin_open(path, &options, &origin, &status))
 *		return status;                                     a message was printed
 *	status = origin_read(&origin, &takers);
 *	...
 *	origin_close(&origin);
 *
 * It may be read again, and gives the same functions then.  Their texts live until it is closed.
 */
#ifndef CAIRN_CLI_SOURCE_FUNCTION_SOURCE_H
#define CAIRN_CLI_SOURCE_FUNCTION_SOURCE_H

#include "cli/front/cli.h"
#include "engine/function_sources/breakpad.h"
#include "engine/symbfile_index/build.h"
#include "engine/symbols/gsym_image.h"
#include "model/function.h"

enum { ORIGIN_JOBS_MAX = 256, ORIGIN_DROPS_MAX = 24 };

struct origin_options {
	uint64_t jobs;       /* threads, at least 1 */
	const char *folders; /* of debugging information, DIR:DIR...; may be NULL */
	bool folded;         /* also give symbols of the same code */
	bool calls;          /* also give calls that are still calls */
	bool verbose;        /* every flaw, not the first few */
	bool quiet;          /* no word about damage that costs little */
	bool strict;         /* damage that costs a part of the input is an error */
	bool every_row;      /* of one address, and where statements begin if it is known */
	uint64_t base;       /* added to addresses that count from the module's beginning */
};

/* Rows of a table of options, for whoever reads an origin. */
#define OPTIONS_ORIGIN(input)                                                               \
	{ .name = "strict",                                                                 \
	  .help = "fail on damage that costs a part of the input",                          \
	  .flag = &(input).strict },                                                        \
		{ .name = "jobs",                                                           \
		  .letter = 'j',                                                            \
		  .argument = "N",                                                          \
		  .help = "threads",                                                        \
		  .number = &(input).jobs },                                                \
		{ .name = "verbose",                                                        \
		  .letter = 'v',                                                            \
		  .help = "tell of every flaw, not of the first few",                       \
		  .flag = &(input).verbose },                                               \
	{                                                                                   \
		.name = "quiet", .help = "print nothing but errors", .flag = &(input).quiet \
	}

enum origin_kind {
	ORIGIN_GSYM,
	ORIGIN_BREAKPAD,
	ORIGIN_ELF,
	ORIGIN_SYMBFILE,
};

/* Something that is not among the functions, and why. */
struct origin_drop {
	const char *what; /* in the plural: "lines outside of their functions" */
	uint64_t count;
};

struct origin {
	const char *path;
	struct origin_options options;
	enum origin_kind kind;
	struct os_file file;

	struct cairn_bytes build_id;
	bool big;
	uint64_t base; /* of the module, as linked */

	/* set by reading, anew each time */
	struct origin_drop drop[ORIGIN_DROPS_MAX];
	size_t drops;
	bool damaged; /* a message told which part of the input is lost */

	struct gsym_image gsym;
	struct breakpad_file *breakpad;
	struct symbfile_built symbfile;
	struct origin_elf *elf;
};

/*
 * Who takes the functions.  Each thread has its own sink, asked for before it begins; `unit` tells
 * it the number of the unit whose functions follow.  A unit belongs to one thread.
 */
struct origin_takers {
	bool (*sink)(void *context, unsigned thread, struct function_sink *sink);
	void (*unit)(void *context, unsigned thread, uint32_t unit);
	void *context;
};

/* False, with a message printed and *status set, when it is none. */
bool origin_open(const char *path, const struct origin_options *options, struct origin *origin,
                 int *status);
void origin_close(struct origin *origin);

/* CAIRN_OK; or a message was printed. */
CAIRN_MUST_USE enum cairn_status origin_read(struct origin *origin,
                                             const struct origin_takers *takers);

/* Which name of the same code is better: below 0 for `a`, 0 when the input does not say. */
int origin_compare_names(const struct origin *origin, uint64_t va, struct cairn_bytes a,
                         struct cairn_bytes b);

/* As many threads as there are processors, up to a few. */
uint64_t origin_usual_jobs(void);

/* Counts what was dropped; nothing for a count of 0. */
void origin_dropped(struct origin *origin, const char *what, uint64_t count);

#endif
