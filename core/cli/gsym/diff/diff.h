/* SPDX-License-Identifier: MIT */
/* One run of `cairn gsym diff`. */
#ifndef CAIRN_CLI_GSYM_DIFF_DIFF_H
#define CAIRN_CLI_GSYM_DIFF_DIFF_H

#include "cli/front/functions.h"
#include "cli/gsym/gsym.h"
#include "convert/gsym/build.h"
#include "convert/source/functions.h"
#include "writers/diff/diff.h"

/* As diff(1) and cmp(1) have them. */
enum { DIFF_EQUAL = 0, DIFF_DIFFERS = 1, DIFF_TROUBLE = 2 };

/* One of the two files: GSYM as it is, or what is made of another file. */
struct diff_file {
	struct gsym_input input;
	struct cairn_functions *functions; /* of which it was made; NULL: it was GSYM */
	const struct gsym *gsym;
};

struct diff {
	struct diff_file first, second;
	struct functions_input input;
	struct gsym_diff_options compare;
	bool quiet;
	enum form form;
	struct json json;
	struct allowance printed; /* names and paths of differences */
	struct gsym_diff_counts counts;
	bool differs;
	uint64_t head; /* the function whose name was printed last; see has_head */
	struct cairn_bytes head_name;
	bool has_head;
};

/* diff_input.c: false when a message was printed; then nothing is left open. */
bool diff_file_open(struct diff *diff, const char *path, struct diff_file *file);
void diff_file_close(struct diff_file *file);

/* diff_text.c and diff_json.c */
void diff_print_build_ids(struct diff *diff);
void diff_print_text(struct diff *diff, const struct gsym_difference *difference);
void diff_print_text_counts(const struct diff *diff);
void diff_print_json(struct diff *diff, const struct gsym_difference *difference);
void diff_print_json_build_ids(struct diff *diff);
void diff_print_json_counts(struct diff *diff);

/* The location of a row's or a call's place; without texts when too many were printed. */
struct cairn_location diff_place(struct diff *diff, const struct function *function, uint32_t file,
                                 uint32_t line);

#endif
