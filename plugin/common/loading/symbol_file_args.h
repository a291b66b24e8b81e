/* SPDX-License-Identifier: MIT */
/*
 * The words of add-gsym, add-symbfile and add-breakpad: a file of symbols that the user gives, and
 * for which module.  It reads words, and asks nobody.
 *
 *	struct symbol_file_args args;
 *	if (!symbol_file_args_read(call, format, &args))
 *		return;                             the reason was printed
 *	... args.path, args.module
 */
#ifndef CAIRN_COMMON_LOADING_SYMBOL_FILE_ARGS_H
#define CAIRN_COMMON_LOADING_SYMBOL_FILE_ARGS_H

#include "common/session/session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SYMBOL_FILE_ARGS_PATH_MAX = 4096 };

struct symbol_file_args {
	enum cairn_symbol_format format;
	char path[SYMBOL_FILE_ARGS_PATH_MAX];
	struct cairn_file_id id; /* of the executable that a symbfile is for, */
	bool has_id;             /* if its name or the user gives it */
	bool fetched;            /* the user named that ID, and no file */
	const char *module;      /* NULL: not given */
	const char *url;         /* of a symbol server; NULL: none */
	uint64_t offset;         /* added to its addresses */
	bool force, only;
};

bool symbol_file_args_read(struct command_call *call, enum cairn_symbol_format format,
                           struct symbol_file_args *args);

/* "add-gsym", "GSYM": the command, and what it takes. */
const char *symbol_file_args_command(enum cairn_symbol_format format);
const char *symbol_file_args_format(enum cairn_symbol_format format);

#ifdef __cplusplus
}
#endif

#endif
