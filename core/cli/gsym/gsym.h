/* SPDX-License-Identifier: MIT */
/* What the verbs of `cairn gsym` share: which file serves, and how an answer is printed. */
#ifndef CAIRN_CLI_GSYM_GSYM_H
#define CAIRN_CLI_GSYM_GSYM_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "formats/gsym/walk.h"
#include "output/location.h"
#include "symbols/lookup/symbols.h"
#include <stdio.h>

/* How FILE is to be taken. */
struct gsym_source {
	const char *binary;      /* the program that the symbols must belong to */
	const char *directories; /* where to look when FILE is that program itself */
	bool force;              /* whatever the build IDs say */
};

#define OPTIONS_GSYM_SOURCE(source)                                                        \
	OPTION_TEXT("binary", "FILE", "reject symbols that do not belong to this program", \
	            &(source)->binary),                                                    \
		OPTION_FOLDERS("directory", "DIR[:DIR...]",                                \
	                       "search these folders for the symbols of a program",        \
	                       &(source)->directories),                                    \
		OPTION_FLAG("force", "use symbols that belong to another build", &(source)->force)
#define OPTION_LINKAGE_NAMES(where) \
	OPTION_FLAG("linkage-names", "in text, names as they are in the file", where)

struct gsym_input {
	const char *path; /* as given */
	char found[4096]; /* where it was found, when FILE is a program; else empty */
	struct os_file file;
	void *decompressed; /* the section, when it was compressed; else NULL */
	struct cairn_symbols *symbols;
	const struct gsym *gsym;
};

/*
 * Opens FILE: a GSYM file, one that holds GSYM in a section, or a program, whose GSYM file is then
 * looked for.  False, with a message printed and *status set, when there is none or it must not
 * serve; nothing is left open then.
 */
bool gsym_input_open(const char *path, const struct gsym_source *source, struct gsym_input *input,
                     int *status);

void gsym_input_close(struct gsym_input *input);

/* The same for checking a file: the fault of one that does not open is not printed but given. */
bool gsym_input_try(const char *path, struct gsym_input *input, struct cairn_fault *fault,
                    int *status);

/* A text of the string table; empty when it is outside. */
struct cairn_bytes gsym_text(const struct gsym *gsym, uint64_t offset);

/* What may be printed of it: its strings may be outside of it. */
static inline struct allowance gsym_printed(const struct gsym *gsym)
{
	const bool inside = gsym->strings.data >= gsym->bytes.data &&
	                    gsym->strings.data < gsym->bytes.data + gsym->bytes.size;
	struct allowance printed = printed_of(gsym->bytes.size);

	if (!inside)
		printed_credit(&printed, gsym->strings.size);
	return printed;
}

/*
 * Functions of GSYM data by their names: the linkage name, or the readable one with or without its parameters
 * ("ns::area(int) const", "ns::area").  GSYM has no table of names, so that one is made when the first name is asked for.
 */

struct name_entry {
	uint64_t hash;
	uint32_t index; /* of the function */
};

/* Zeros with `gsym` set are ready to use. */
struct functions_by_name {
	const struct gsym *gsym;
	struct name_entry *entries; /* sorted */
	size_t count;
	bool made;
	struct allowance readable; /* bytes of names that may be made readable */
};

/* The first function that is called so, by address; false if there is none, or memory is short. */
bool functions_by_name_find(struct functions_by_name *by_name, struct cairn_bytes name,
                            struct gsym_function *function);
void functions_by_name_finish(struct functions_by_name *by_name);

/* What a dump may still read, and print. */
struct gsym_dump {
	const struct gsym *gsym;
	struct gsym_walk walk;
	struct allowance printed;
};

int gsym_create(int argc, char **argv);

int gsym_diff_verb(int argc, char **argv);

int gsym_dump(int argc, char **argv);

int gsym_fetch(int argc, char **argv);

int gsym_find_verb(int argc, char **argv);

int gsym_lookup_verb(int argc, char **argv);

int gsym_stats(int argc, char **argv);

int gsym_verify(int argc, char **argv);

#endif
