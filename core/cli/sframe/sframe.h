/* SPDX-License-Identifier: MIT */
/* Shared by the verbs of `cairn sframe`: opening the tables, and printing and parsing addresses. */
#ifndef CAIRN_CLI_SFRAME_SFRAME_H
#define CAIRN_CLI_SFRAME_SFRAME_H

#include "cli/front/cli.h"
#include "formats/elf/elf.h"
#include "unwind/tables/sframe_rules.h"

#include <stdio.h>

struct sframe_source {
	bool raw; /* the file is the bare contents of a section, not an ELF file */
	bool hex;
	uint64_t address; /* link-time address of a section stored without an ELF file (`raw`) */
};

#define OPTIONS_SOURCE(source)                                                             \
	OPTION_FLAG("raw", "FILE contains the bare bytes of a section", &(source)->raw),   \
		OPTION_FLAG("hex", "FILE contains hexadecimal digits; # begins a comment", \
	                    &(source)->hex),                                               \
		OPTION_NUMBER("address", "A",                                              \
	                      "the address of the bare bytes as linked (default 0)",       \
	                      &(source)->address)

struct sframe_input {
	const char *path;
	struct os_file file;
	bool is_elf;
	struct elf elf;
	struct sframe_section section;
	struct cairn_rules *rules;
};

/*
 * Open FILE and its tables. If FILE has no tables, print a message, set *status, return false and
 * leave nothing open. Damage in a table is not printed, but stored in rules->walk.
 */
bool sframe_input_open(const char *path, const struct sframe_source *source,
                       struct sframe_input *input, int *status);

void sframe_input_close(struct sframe_input *input);

/* Return true if addresses are offsets in sections, as in relocatable files. */
bool sframe_is_relocatable(const struct sframe_input *input);

/* Print an address: 0x401000, or .text+0x20 in relocatable files, or ? if it is unknown. */
void sframe_print_va(const struct sframe_input *input, uint64_t va);

/*
 * Parse an address in the format of sframe_print_va(): a number, or SECTION+NUMBER in relocatable
 * files. +N or -N may follow, for example to refer to the call before a return address.
 */
bool sframe_parse_va(const struct sframe_input *input, const char *text, uint64_t *va);

/*
 * Return true if sframe_section_rules() has found that the function starts are relative to a base
 * other than the one that the table's flags specify.
 */
bool sframe_was_rebased(const struct sframe_input *input, const struct sframe_table *table);

/*
 * Return the address to print. In relocatable files, this is the offset in the section that
 * contains it.
 */
uint64_t sframe_offset(const struct sframe_input *input, uint64_t va);

/* Find the name of the section that contains `va`. Return false if the file is not relocatable. */
bool sframe_section_name(const struct sframe_input *input, uint64_t va, struct cairn_bytes *name);

/*
 * Return the maximum number of rows to read. Many functions can share the same rows, so reading a
 * small file could otherwise take very long. A row takes at least two bytes, so this limit allows
 * reading each row twice.
 */
static inline uint64_t sframe_rows_allowed(const struct sframe_table *table)
{
	return (uint64_t)table->rows_size + 1;
}

const char *sframe_machine_name(const struct sframe_table *table);

const char *sframe_base_name(enum sframe_base base);

void sframe_print_fault(const struct sframe_input *input, const struct cairn_fault *fault,
                        const char *next);

int sframe_convert(int argc, char **argv);

int sframe_create(int argc, char **argv);

int sframe_dump(int argc, char **argv);

int sframe_lookup(int argc, char **argv);

int sframe_merge(int argc, char **argv);

int sframe_stats(int argc, char **argv);

int sframe_verify(int argc, char **argv);

/*
 * Functions for the verbs that write tables. They write the file, and report how much of the code
 * its rows cover.
 */

enum { SFRAME_PATH = 4096 };

struct sframe_making {
	const char *out; /* output path; NULL selects the default */
	const char *as;  /* "rows" for a row table; NULL for an SFrame table */
	uint64_t version;
	bool by_section, share, join, report, quiet;
	enum form form;
};

#define OPTIONS_MADE(making)                                                                      \
	OPTION_OUTPUT('o', "output", "OUT", "write to OUT; '-' is standard output",               \
	              &(making)->out),                                                            \
		OPTION_FLAG("by-section",                                                         \
	                    "version 2: count starts from the section, for binutils before 2.45", \
	                    &(making)->by_section),                                               \
		OPTION_FLAG(                                                                      \
			"share-rows",                                                             \
			"share equal rows between functions; some objdump versions refuse this",  \
			&(making)->share),                                                        \
		OPTION_FLAG("join-functions", "join adjacent functions", &(making)->join),        \
		OPTION_FLAG("report", "count the omitted code by reason", &(making)->report),     \
		OPTION_FLAG("quiet", "print no summary", &(making)->quiet),                       \
		OPTION_JSON(&(making)->form)

struct sframe_creation {
	struct sframe_making making;
	/*
	 * directory with input files, or core whose modules get tables; if either is set,
	 * making.out is the store's directory
	 */
	const char *tree;
	const char *core;
	/*
	 * DIR:DIR with files of the core's modules, searched in addition to the system's; may be
	 * NULL
	 */
	const char *directory;
	uint64_t jobs;
};

#endif
