/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a message about modules without symbols, for the host's user.
 *
 *	struct cairn_missing_symbols missing = CAIRN_MISSING_SYMBOLS;
 *	missing.modules = modules;
 *	missing.module_count = missing.count = count;
 *	missing.without_id = missing.by_hand = "set a directory with --directory";
 *	missing.write = write_text;
 *	cairn_missing_symbols_write(&missing);
 */
#ifndef CAIRN_INCLUDE_MISSING_H
#define CAIRN_INCLUDE_MISSING_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A module for which no symbols have been found. */
struct cairn_missing_module {
	struct cairn_bytes name;     /* module name; if empty, `low` identifies the module */
	uint64_t low;                /* pc of its first byte */
	struct cairn_bytes build_id; /* empty if the module has no build ID */
};

/*
 * Contents of a message about modules without symbols, for the host's user. Initialize with
 * CAIRN_MISSING_SYMBOLS; everything is borrowed during the call.
 */
struct cairn_missing_symbols {
	size_t size;
	/* modules without symbols; the message mentions the first one */
	const struct cairn_missing_module *modules;
	size_t module_count;
	size_t count; /* total number of modules without symbols, at least module_count */
	/* the host's term for directories set by the user; NULL if the user has not set any */
	const char *directories;
	const char *without_id; /* advice for a module without a build ID */
	/*
	 * advice if DEBUGINFOD_URLS lists servers; NULL if these servers have already been queried
	 */
	const char *by_servers;
	const char *by_hand; /* advice in all other cases */
	/*
	 * Write the next piece of the message. `is_name` is true for bytes of a module's name,
	 * which are arbitrary and may need escaping.
	 */
	void (*write)(void *context, const char *bytes, size_t size, bool is_name);
	void *context;
};
#define CAIRN_MISSING_SYMBOLS CAIRN_SIZED(struct cairn_missing_symbols)

/*
 * Write a message about modules without symbols, without a line feed: "no symbols for NAME (build
 * ID HEX) and 3 more: none beside them, in FOLDERS, in /usr/lib/debug or in the cache; ADVICE". The
 * message lists the directories that cairn_symbols_search() searches.
 */
CAIRN_API void cairn_missing_symbols_write(const struct cairn_missing_symbols *missing);

/* Return the host's advice string that ends the message about a module with this build ID. */
CAIRN_API const char *cairn_missing_symbols_help(const struct cairn_missing_symbols *missing,
                                                 struct cairn_bytes build_id);

#ifdef __cplusplus
}
#endif

#endif
