/* SPDX-License-Identifier: MIT */
/* Shared by the verbs of `cairn symbfile`: reading records in file order, and printing strings. */
#ifndef CAIRN_CLI_SYMBFILE_SYMBFILE_H
#define CAIRN_CLI_SYMBFILE_SYMBFILE_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "output/json.h"
#include "symbols/index.h"

#include <stdio.h>

struct symbfile_input {
	const char *path;
	struct os_file file;
	struct symbfile symbfile;
	struct symbfile_string_table texts;
	struct allowance printed; /* print limit, for verbs that print all strings */
	struct progress progress; /* all zeros if progress is not shown */
	bool keep_going;
	bool out_of_memory;
	uint64_t faults;
	/*
	 * called for each skipped fault, and for the fault that ends reading; NULL prints a
	 * diagnostic
	 */
	void (*tell)(struct symbfile_input *input);
	void *context;
};

#define OPTION_KEEP_GOING(where) OPTION_FLAG("keep-going", "skip damaged records", where)

/*
 * Open a file. A compressed file is decompressed unless the form is --lines, which shows how the
 * library reads the bytes of the file itself. On failure, print a diagnostic and return false.
 */
bool symbfile_input_open(const char *path, enum form form, bool keep_going,
                         struct symbfile_input *input);
void symbfile_input_close(struct symbfile_input *input);

/*
 * Read the next range, return pad or string table. A string table is also loaded into input->texts.
 * Return false at the end of the file, or at a fault that ends reading.
 */
bool symbfile_input_next(struct symbfile_input *input, struct symbfile_record *record);

int symbfile_input_status(const struct symbfile_input *input);

/*
 * Return a string to print. Once the print limit is reached, the string is empty and
 * input->printed.over is set.
 */
struct cairn_bytes symbfile_printed(struct symbfile_input *input, const struct symbfile_text *text);
struct cairn_bytes symbfile_printed_at(struct symbfile_input *input, uint32_t index);

/*
 * Print a tab and one field of a record in --lines form: "-" if the field is absent, "\e" if it is
 * empty, otherwise the string, with escapes for bytes that would end the field.
 */
void symbfile_print_field(bool present, struct cairn_bytes text);
int symbfile_lookup_verb(int argc, char **argv);
int symbfile_create_verb(int argc, char **argv);
int symbfile_dump_verb(int argc, char **argv);
int symbfile_fetch_verb(int argc, char **argv);
int symbfile_push_verb(int argc, char **argv);
int symbfile_serve_verb(int argc, char **argv);
int symbfile_stats_verb(int argc, char **argv);
int symbfile_verify_verb(int argc, char **argv);

#endif
