/* SPDX-License-Identifier: MIT */
/* Shared by the verbs of `cairn symbfile`: reading records in order, and printing. */
#ifndef CAIRN_CLI_SYMBFILE_SYMBFILE_H
#define CAIRN_CLI_SYMBFILE_SYMBFILE_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "output/json.h"
#include "symbols/index/index.h"

#include <stdio.h>

struct symbfile_input {
	const char *path;
	struct os_file file;
	struct symbfile symbfile;
	struct symbfile_string_table texts;
	struct allowance printed; /* limit for commands that print all strings */
	struct progress progress; /* progress line; disabled if zeroed */
	bool keep_going;
	bool out_of_memory;
	uint64_t faults;
	/* called for each skipped fault and for the last one; NULL prints a diagnostic instead */
	void (*tell)(struct symbfile_input *input);
	void *context;
};

#define OPTION_KEEP_GOING(where) OPTION_FLAG("keep-going", "skip damaged records", where)

/*
 * Open a file. A compressed file is unpacked, except for --lines, which shows how the library reads
 * the bytes of the file itself. On failure print a diagnostic and return false.
 */
bool symbfile_input_open(const char *path, enum form form, bool keep_going,
                         struct symbfile_input *input);
void symbfile_input_close(struct symbfile_input *input);

/*
 * Read the next range, pad or table; tables are also loaded into input->texts. Return false at the
 * end, or at a fault that ends the reading.
 */
bool symbfile_input_next(struct symbfile_input *input, struct symbfile_record *record);

int symbfile_input_status(const struct symbfile_input *input);

/*
 * Return a string for printing. Once the print limit is reached, it is empty and
 * input->printed.over is set.
 */
struct cairn_bytes symbfile_printed(struct symbfile_input *input, const struct symbfile_text *text);
struct cairn_bytes symbfile_printed_at(struct symbfile_input *input, uint32_t index);

/*
 * Print a TAB and one field of a --lines record: "-" if it is absent, "\e" if it is empty,
 * otherwise the string with escapes for bytes that would end the field.
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
