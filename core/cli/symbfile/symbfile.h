/* SPDX-License-Identifier: MIT */
/* What the verbs of `cairn symbfile` share: reading a file through, and how things are printed. */
#ifndef CAIRN_CLI_SYMBFILE_SYMBFILE_H
#define CAIRN_CLI_SYMBFILE_SYMBFILE_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "output/json.h"
#include "symbols/index/string_table.h"

#include <stdio.h>

/* A file that is read from its first message to its last. */
struct symbfile_input {
	const char *path;
	struct os_file file;
	struct symbfile symbfile;
	struct symbfile_string_table texts;
	struct allowance printed; /* for a command that prints all texts */
	struct progress progress; /* of a command that reads to the end; none unless it is set */
	bool keep_going;
	bool out_of_memory;
	uint64_t faults;
	/* receives each fault that is passed over, and the last one; NULL: it is complained of */
	void (*tell)(struct symbfile_input *input);
	void *context;
};

#define OPTION_KEEP_GOING(where) OPTION_FLAG("keep-going", "skip damaged records", where)

/*
 * False, with a message, when the file cannot be read at all.  A packed file is unpacked, but not
 * for --lines: those show what the library makes of the bytes that are there.
 */
bool symbfile_input_open(const char *path, enum form form, bool keep_going,
                         struct symbfile_input *input);
void symbfile_input_close(struct symbfile_input *input);

/*
 * The next range, pad or table; tables are loaded into input->texts.  False at the end, or at a
 * fault that ends the reading.
 */
bool symbfile_input_next(struct symbfile_input *input, struct symbfile_record *record);

/* What the program should return: EXIT_BROKEN when there was any fault. */
int symbfile_input_status(const struct symbfile_input *input);

/* A text that is printed; empty when too much is printed already, and then input->printed.over. */
struct cairn_bytes symbfile_printed(struct symbfile_input *input, const struct symbfile_text *text);
struct cairn_bytes symbfile_printed_at(struct symbfile_input *input, uint32_t index);

/*
 * One field of a --lines record, a TAB before it: "-" for what is absent, "\e" for an empty one,
 * and no byte in it that would end the field.
 */
void symbfile_print_field(bool present, struct cairn_bytes text);
int symbfile_lookup_verb(int argc, char **argv);
int symbfile_create_verb(int argc, char **argv);
int symbfile_name_verb(int argc, char **argv);
int symbfile_dump_verb(int argc, char **argv);
int symbfile_fetch_verb(int argc, char **argv);
int symbfile_id_verb(int argc, char **argv);
int symbfile_push_verb(int argc, char **argv);
int symbfile_serve_verb(int argc, char **argv);
int symbfile_stats_verb(int argc, char **argv);
int symbfile_verify_verb(int argc, char **argv);

#endif
