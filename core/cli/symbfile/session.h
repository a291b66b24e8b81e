/* SPDX-License-Identifier: MIT */
/*
 * Opens symbfiles for lookups. Their index is read from the cache if it was made of exactly these
 * files; otherwise it is built and written to the cache, in $XDG_CACHE_HOME/cairn or
 * ~/.cache/cairn. If neither is known or writable, the index is built each time.
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

/*
 * Open the files. If one cannot be read or indexed, print a diagnostic, set *status and return
 * false.
 */
bool symbfile_session_open(const struct option_words *paths, bool use_cache,
                           struct symbfile_session *session, int *status);
void symbfile_session_close(struct symbfile_session *session);

/*
 * Explain the answer for an address from the records of all files. `printed` limits their strings.
 */
void symbfile_explain(const struct symbfile_session *session, uint64_t va,
                      struct allowance *printed);

#endif
