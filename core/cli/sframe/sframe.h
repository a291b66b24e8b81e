/* SPDX-License-Identifier: MIT */
/* What the verbs of `cairn sframe` share: where the tables come from, and how addresses read. */
#ifndef CAIRN_CLI_SFRAME_SFRAME_H
#define CAIRN_CLI_SFRAME_SFRAME_H

#include "cli/front/cli.h"
#include "unwind/sframe/rules.h"
#include "unwind/sframe/section.h"
#include <stdio.h>

/* How FILE is to be read. */
struct sframe_source {
	bool raw;         /* bare bytes of a section, no ELF file */
	bool hex;         /* written as hexadecimal digits */
	uint64_t address; /* of the bare bytes */
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
	struct elf elf; /* when it is one */
	struct sframe_section section;
	struct cairn_rules *rules;
};

/*
 * Opens FILE and the tables in it.  False, with a message printed and *status set, when there
 * are none; nothing is left open then.  A damaged table is left to the caller (rules->walk).
 */
bool sframe_input_open(const char *path, const struct sframe_source *source,
                       struct sframe_input *input, int *status);

void sframe_input_close(struct sframe_input *input);

/* Are addresses offsets in sections? */
bool sframe_is_relocatable(const struct sframe_input *input);

/* 0x401000; .text+0x20 in relocatable files; ? for a start that is not known. */
void sframe_print_va(const struct sframe_input *input, uint64_t va);

/*
 * An address as it is printed: a number, or SECTION+NUMBER in relocatable files.  +N or -N may
 * follow, as for the call before a return address.
 */
bool sframe_parse_va(const struct sframe_input *input, const char *text, uint64_t *va);

/* Did sframe_section_rules() change what the table's own flags mean for the base? */
bool sframe_was_rebased(const struct sframe_input *input, const struct sframe_table *table);

/* An address as --json has it: in relocatable files the offset in its section. */
uint64_t sframe_offset(const struct sframe_input *input, uint64_t va);

/* The name of the section that `va` is in; false but in relocatable files. */
bool sframe_section_name(const struct sframe_input *input, uint64_t va, struct cairn_bytes *name);

/*
 * Rows take two bytes at least, so functions of their own have at most half as many rows as there
 * are bytes.  Many functions that point at the same rows could make a small file endless: they may have each row twice.
 */
static inline uint64_t sframe_rows_allowed(const struct sframe_table *table)
{
	return (uint64_t)table->rows_size + 1;
}

/* none, amd64, aarch64, aarch64_be or s390x. */
const char *sframe_machine_name(const struct sframe_table *table);

/* "field", "section" or "reloc". */
const char *sframe_base_name(enum sframe_base base);

/* Say that something is wrong at an offset of the section. */
void sframe_print_fault(const struct sframe_input *input, const struct cairn_fault *fault,
                        const char *next);

int sframe_convert(int argc, char **argv);

int sframe_create(int argc, char **argv);

int sframe_dump(int argc, char **argv);

int sframe_lookup(int argc, char **argv);

int sframe_merge(int argc, char **argv);

int sframe_stats(int argc, char **argv);

int sframe_verify(int argc, char **argv);

#endif
