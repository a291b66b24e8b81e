/* SPDX-License-Identifier: MIT */
/*
 * Symbfiles opened for look-ups: their index, from the cache when it is there and made of just
 * these files, else made now and put into the cache.  The cache is $XDG_CACHE_HOME/cairn, or
 * ~/.cache/cairn; without either, or where it cannot be written, an index is made each time.
 */
#ifndef CAIRN_CLI_SYMBFILE_SESSION_H
#define CAIRN_CLI_SYMBFILE_SESSION_H

#include "symbfile.h"

#include "base/allowance.h"
#include "symbols/index/build.h"

struct symbfile_session {
	const char *path[SYMBFILE_FILES_MAX];
	struct os_file file[SYMBFILE_FILES_MAX];
	struct symbfile_source source[SYMBFILE_FILES_MAX];
	size_t count;
	bool use_cache;
	char cache_path[4096];
	struct os_file cache;
	struct symbfile_built built;
	struct symbfile_index index;
	bool from_cache;
};

/* False, with a message and *status set, when a file cannot be read or indexed at all. */
bool symbfile_session_open(const struct option_words *paths, bool use_cache,
                           struct symbfile_session *session, int *status);
void symbfile_session_close(struct symbfile_session *session);

/* Why an address has the answer that it has, from the records of all files; `printed` is for their texts. */
void symbfile_explain(const struct symbfile_session *session, uint64_t va,
                      struct allowance *printed);

#endif
