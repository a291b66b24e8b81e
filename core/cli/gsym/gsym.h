/* SPDX-License-Identifier: MIT */
/*
 * Shared by the verbs of `cairn gsym`: opening input, finding functions by name, and printing
 * within bounds.
 */
#ifndef CAIRN_CLI_GSYM_GSYM_H
#define CAIRN_CLI_GSYM_GSYM_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "formats/gsym/gsym.h"
#include "output/location.h"
#include "symbols/lookup/symbols.h"
#include <stdio.h>

struct gsym_source {
	const char *binary;      /* program that the symbols must belong to; may be NULL */
	const char *directories; /* directories to search if FILE is itself a program */
	bool force;              /* ignore the build IDs */
};

#define OPTIONS_GSYM_SOURCE(source)                                                        \
	OPTION_TEXT("binary", "FILE", "reject symbols that do not belong to this program", \
	            &(source)->binary),                                                    \
		OPTION_FOLDERS("directory", "DIR[:DIR...]",                                \
	                       "search these directories for the symbols of a program",    \
	                       &(source)->directories),                                    \
		OPTION_FLAG("force", "use symbols that belong to another build", &(source)->force)
#define OPTION_LINKAGE_NAMES(where) \
	OPTION_FLAG("linkage-names", "in text, names as they are in the file", where)

struct gsym_input {
	const char *path;
	char found[4096]; /* path of the symbols if FILE is a program, otherwise empty */
	struct os_file file;
	void *decompressed; /* content of a compressed section, otherwise NULL */
	struct cairn_symbols *symbols;
	const struct gsym *gsym;
};

/*
 * Open FILE: a GSYM file, a file with a GSYM section, or a program whose GSYM file is then searched
 * for. If there are no symbols or they belong to another build, print a diagnostic, set *status and
 * return false; nothing is left open then.
 */
bool gsym_input_open(const char *path, const struct gsym_source *source, struct gsym_input *input,
                     int *status);

void gsym_input_close(struct gsym_input *input);

/*
 * Like gsym_input_open() for verbs that check a file. A fault of the data is returned in *fault
 * instead of printed; after other errors, which are printed, fault->status is CAIRN_OK.
 */
bool gsym_input_try(const char *path, struct gsym_input *input, struct cairn_fault *fault,
                    int *status);

/* Return a string of the string table, or an empty one if `offset` is outside the table. */
struct cairn_bytes gsym_text(const struct gsym *gsym, uint64_t offset);

/*
 * Return the print allowance for a file. If the string table lies outside the bytes of the file,
 * its size counts as well.
 */
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
 * Index of GSYM functions by name: the linkage name, or the demangled name with or without
 * parameters ("ns::area(int) const", "ns::area"). GSYM has no name table, so the index is built for
 * the first lookup.
 */

struct name_entry {
	uint64_t hash;
	uint32_t index;
};

/* Zero-initialize, and set `gsym`. */
struct functions_by_name {
	const struct gsym *gsym;
	struct name_entry *entries; /* sorted by hash, then by function index */
	size_t count;
	bool made;
	struct allowance readable; /* bytes of names that may still be demangled */
};

/*
 * Find the function with this name that has the lowest address. Return false if there is no such
 * function or memory is short.
 */
bool functions_by_name_find(struct functions_by_name *by_name, struct cairn_bytes name,
                            struct gsym_function *function);
void functions_by_name_finish(struct functions_by_name *by_name);

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
