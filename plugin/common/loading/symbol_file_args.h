/* SPDX-License-Identifier: MIT */
/*
 * The arguments of add-gsym, add-symbfile and add-breakpad: a symbol file and the module that it is
 * for. Parsing them makes no queries to the debugger.
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
	/* FileID of the executable that a symbfile is for; valid with has_id */
	struct cairn_file_id id;
	bool has_id;        /* the file name or the user gave the FileID */
	bool fetched;       /* the user gave a FileID instead of a file */
	const char *module; /* may be NULL */
	const char *url;    /* URL of a symbol server, or NULL */
	uint64_t offset;    /* added to the addresses of the file */
	bool force, only;
};

bool symbol_file_args_read(struct command_call *call, enum cairn_symbol_format format,
                           struct symbol_file_args *args);

/* Return the command for a format ("add-gsym"), and the name of the format ("GSYM"). */
const char *symbol_file_args_command(enum cairn_symbol_format format);
const char *symbol_file_args_format(enum cairn_symbol_format format);

#ifdef __cplusplus
}
#endif

#endif
