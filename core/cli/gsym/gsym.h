/* SPDX-License-Identifier: MIT */
/*
 * Shared by the verbs of `cairn gsym`: opening the input, finding functions by name, and limiting
 * the printed output.
 */
#ifndef CAIRN_CLI_GSYM_GSYM_H
#define CAIRN_CLI_GSYM_GSYM_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "formats/gsym/gsym.h"
#include "output/location.h"
#include "symbols/symbols.h"
#include <stdio.h>

struct gsym_source {
	const char *binary;      /* program that the symbols must belong to; may be NULL */
	const char *directories; /* directories to search if FILE is a program */
	bool force;              /* accept symbols with another build ID */
};

#define OPTIONS_GSYM_SOURCE(source)                                                         \
	OPTION_TEXT("binary", "FILE", "reject symbols that do not belong to this program",  \
	            &(source)->binary),                                                     \
		OPTION_DIRECTORIES("directory", "DIR[:DIR...]",                             \
	                           "search these directories for the symbols of a program", \
	                           &(source)->directories),                                 \
		OPTION_FLAG("force", "use symbols that belong to another build", &(source)->force)
#define OPTION_LINKAGE_NAMES(where) \
	OPTION_FLAG("linkage-names", "in text, names as they are in the file", where)

struct gsym_input {
	const char *path;
	/* path of the file with the symbols if FILE is a program; otherwise empty */
	char found[4096];
	struct os_file file;
	void *decompressed; /* contents of a compressed section; otherwise NULL */
	struct cairn_symbols *symbols;
	const struct gsym *gsym;
};

/*
 * Open FILE: a GSYM file, a file with a GSYM section, or a program whose GSYM file must be searched
 * for. If there are no symbols, or they belong to a different build, print a diagnostic, set
 * *status, return false and leave nothing open.
 */
bool gsym_input_open(const char *path, const struct gsym_source *source, struct gsym_input *input,
                     int *status);

void gsym_input_close(struct gsym_input *input);

/*
 * Like gsym_input_open(), for verbs that check a file. A fault in the data is not printed but
 * stored in *fault. For other errors, a diagnostic is printed and fault->status is CAIRN_OK.
 */
bool gsym_input_try(const char *path, struct gsym_input *input, struct cairn_fault *fault,
                    int *status);

/* Return a string in the string table, or an empty string if `offset` is outside the table. */
struct cairn_bytes gsym_text(const struct gsym *gsym, uint64_t offset);

/*
 * Return the print limit for a file. If its string table is stored outside of the file, the size of
 * the table raises the limit.
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
 * Index of functions by linkage name, or by demangled name with or without parameters
 * ("ns::area(int) const", "ns::area"). GSYM contains no such index, so it is built on the first
 * lookup. Zero-initialize struct functions_by_name and set `gsym`.
 */

struct name_entry {
	uint64_t hash;
	uint32_t index;
};

struct functions_by_name {
	const struct gsym *gsym;
	struct name_entry *entries; /* sorted by hash, then by function index */
	size_t count;
	bool made;
	struct allowance readable; /* limit on the bytes of demangled names */
};

/*
 * Find the function with this name, or the first one by address if there are several. Return false
 * if no function has the name or allocation fails.
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
