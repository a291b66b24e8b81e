/* SPDX-License-Identifier: MIT */
/*
 * Shared by the verbs that write tables: writes the file and reports how much of the code it
 * describes. The functions at the end are shared by the files of `cairn sframe create`.
 */
#ifndef CAIRN_CLI_SFRAME_CREATE_MADE_H
#define CAIRN_CLI_SFRAME_CREATE_MADE_H

#include "cli/front/cli.h"
#include "formats/elf/elf.h"

enum { SFRAME_PATH = 4096 };

struct sframe_making {
	const char *out; /* NULL for the default name */
	const char *as;  /* "rows" for a row table, NULL for SFrame */
	uint64_t version;
	bool by_section, share, join, report, quiet;
	enum form form;
};

#define OPTIONS_MADE(making)                                                                      \
	OPTION_OUTPUT('o', "output", "OUT", "write there; - is standard output", &(making)->out), \
		OPTION_FLAG("by-section",                                                         \
	                    "version 2: starts count from the section, for binutils before 2.45", \
	                    &(making)->by_section),                                               \
		OPTION_FLAG("share-rows",                                                         \
	                    "functions with equal rows share them; some objdump refuse that",     \
	                    &(making)->share),                                                    \
		OPTION_FLAG("join-functions", "functions without a gap between them become one",  \
	                    &(making)->join),                                                     \
		OPTION_FLAG("report", "count the code that is left out, by reason",               \
	                    &(making)->report),                                                   \
		OPTION_FLAG("quiet", "print no summary", &(making)->quiet),                       \
		OPTION_JSON(&(making)->form)

/*
 * Check that the options do not contradict each other. Return EXIT_CLEAN, or EXIT_USAGE after a
 * message. `option` is the name of the version's option.
 */
int sframe_check_making(const struct command *command, const struct sframe_making *making,
                        const char *option);

struct cairn_sframe_options sframe_making_options(const struct sframe_making *making);

int sframe_report_unmade(const char *input, enum cairn_status status,
                         const struct cairn_fault *fault);

/*
 * Write the table to `path`, print the summary and free the table. The file gets the permissions of
 * the file `like`, which may be NULL. Return the exit status.
 */
int sframe_finish_made(const struct sframe_making *making, const char *input, const char *path,
                       const char *like, struct cairn_sframe_file *made);

void sframe_print_made(const struct sframe_making *making, const char *input, const char *path,
                       const struct cairn_sframe_file *made);

/*
 * Set `path` to the --output option, or otherwise to INPUT with the suffix. Print a message and
 * return false if it is too long.
 */
bool sframe_name_output(const struct sframe_making *making, const char *input, const char *ending,
                        char path[SFRAME_PATH]);

struct sframe_creation {
	struct sframe_making making;
	const char *tree; /* directory of inputs; if set, making.out is the directory of a store */
	/* core whose modules get tables; if set, making.out is the directory of a store */
	const char *core;
	/* DIR:DIR to search for module files of the core, besides the system tree; may be NULL */
	const char *directory;
	uint64_t jobs;
};

/* Create the table of one input. Return the exit status; *made is set if it is EXIT_CLEAN. */
int sframe_create_file(const struct sframe_making *making, const char *input, const char *path,
                       struct cairn_sframe_file *made);

int sframe_create_tree(const struct sframe_creation *creation);

/*
 * Rate a file as a source of frames: 2 for a program, 1 for a debug file with its own call frame
 * information, 0 for neither.
 */
uint8_t sframe_rate_frames(const struct elf *elf);

int sframe_create_core(const struct sframe_creation *creation);

#endif
