/* SPDX-License-Identifier: MIT */
/* The search for a module's file of symbols, as cairn_symbol_file_find() documents it, with more rules. */
#ifndef CAIRN_OS_MODULE_SYMBOL_FILE_H
#define CAIRN_OS_MODULE_SYMBOL_FILE_H

#include <cairn.h>

struct symbol_file_rules {
	const char *directories;    /* DIR:DIR...; NULL: none */
	bool no_cache;              /* what cairn has made or fetched is not used */
	bool no_system;             /* nor is /usr/lib/debug */
	struct cairn_bytes program; /* the file at `binary`; empty: it is opened */
};

/* *refused is of the last file that was there and was not accepted, see cairn_symbol_file_find(). */
CAIRN_MUST_USE enum cairn_status symbol_file_search(const char *binary,
                                                    const struct symbol_file_rules *rules,
                                                    const struct cairn_symbols_options *options,
                                                    struct cairn_symbol_file **file,
                                                    struct cairn_error *refused);

/* Is it a conversion of a program's DWARF and symbols, which cairn has kept? */
bool symbol_file_is_conversion(const struct cairn_symbol_file *file);

#endif
