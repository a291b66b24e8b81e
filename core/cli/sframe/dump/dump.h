/* SPDX-License-Identifier: MIT */
/* The walk of `cairn sframe dump`, and the three forms it can take. */
#ifndef CAIRN_CLI_SFRAME_DUMP_DUMP_H
#define CAIRN_CLI_SFRAME_DUMP_DUMP_H

#include "cli/front/progress.h"
#include "cli/sframe/sframe.h"
#include "output/json.h"
#include "output/rule.h"

struct dump {
	const struct sframe_input *input;
	const struct dump_form *form;
	struct json json;
	struct progress progress;
	int status;
};

/*
 * One function for each thing that is met, called in the order of the section.  Rules come without
 * the flags that belong to the whole function.  `file` and `end` (of a function) may be NULL.
 */
struct dump_form {
	void (*file)(struct dump *dump, bool several);
	void (*table)(struct dump *dump, const struct sframe_table *table);
	void (*function)(struct dump *dump, const struct sframe_table *table,
	                 const struct sframe_function *function);
	void (*row)(struct dump *dump, const struct sframe_function *function,
	            const struct sframe_row *row, const struct cairn_rule *rule);
	void (*end)(struct dump *dump, bool sound);
};

extern const struct dump_form dump_text, dump_lines, dump_json;

#endif
