/* SPDX-License-Identifier: MIT */
/*
 * What the verbs that make tables share: they write the file, and say what became of the code.  At the end is what the
 * files of `cairn sframe create` share.
 */
#ifndef CAIRN_CLI_SFRAME_CREATE_MADE_H
#define CAIRN_CLI_SFRAME_CREATE_MADE_H

#include "cli/front/cli.h"
#include "formats/elf/elf.h"

enum { SFRAME_PATH = 4096 };

/* How a file with a table is made and announced. */
struct sframe_making {
	const char *out; /* NULL: the verb's own choice */
	const char *as;  /* "rows": a row table; NULL: SFrame */
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

/* EXIT_CLEAN, or EXIT_USAGE with a message when the options contradict each other; `option` names the version's. */
int sframe_check_making(const struct command *command, const struct sframe_making *making,
                        const char *option);

struct cairn_sframe_options sframe_making_options(const struct sframe_making *making);

/* Says that none could be made; an exit status. */
int sframe_report_unmade(const char *input, enum cairn_status status,
                         const struct cairn_fault *fault);

/*
 * Writes what was made to `path`, with the permissions of the file `like` unless that is NULL, says what it is, and
 * frees it; an exit status.
 */
int sframe_finish_made(const struct sframe_making *making, const char *input, const char *path,
                       const char *like, struct cairn_sframe_file *made);

/* Says what was made of the input, in the form that was asked for. */
void sframe_print_made(const struct sframe_making *making, const char *input, const char *path,
                       const struct cairn_sframe_file *made);

/* INPUT with an ending, or what was asked for; false with a message when it is too long. */
bool sframe_name_output(const struct sframe_making *making, const char *input, const char *ending,
                        char path[SFRAME_PATH]);

/* One run of `cairn sframe create`. */
struct sframe_creation {
	struct sframe_making making;
	const char *tree; /* a folder of inputs; then making.out is the folder of a store */
	const char *
		core; /* a core, of whose modules tables are made; then making.out is such a folder, too */
	const char *
		directory; /* DIR:DIR, where files of its modules are looked for; NULL: in the system's tree alone */
	uint64_t jobs;
};

/* create.c: makes the table of one input; an exit status, and *made is filled if it is EXIT_CLEAN. */
int sframe_create_file(const struct sframe_making *making, const char *input, const char *path,
                       struct cairn_sframe_file *made);

/* tree.c: all of a folder; an exit status. */
int sframe_create_tree(const struct sframe_creation *creation);

/* 2: the program itself; 1: a debug file with call frame information of its own; 0: there is none */
uint8_t sframe_rate_frames(const struct elf *elf);

/* core.c: all modules of a core; an exit status. */
int sframe_create_core(const struct sframe_creation *creation);

#endif
