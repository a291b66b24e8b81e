/* SPDX-License-Identifier: MIT */
/*
 * A debuginfod client, used by verbs only on request. It looks in the cache of earlier downloads,
 * which all clients on the machine share, then queries the servers of DEBUGINFOD_URLS through
 * libdebuginfod, which is opened on first use. Of all processes that share a cache, one fetches a
 * file and the others wait for it (fetched.h). The size of the cache is bounded. Negative answers
 * are remembered for a while; failures are not.
 *
 *	struct debuginfod asked = { .deadline = 10 };
 *	if (debuginfod_find(&asked, CAIRN_FILE_PROGRAM, build_id, &path) == DEBUGINFOD_FOUND)
 *		... open path; it is good until the next question
 *	debuginfod_close(&asked);
 *
 * The client limits waiting through environment variables. It is therefore for cairn's own
 * programs, not for libraries inside other processes.
 */
#ifndef CAIRN_OS_DEBUGINFOD_H
#define CAIRN_OS_DEBUGINFOD_H

#include "fetched.h"
#include "symbol_path.h"

#include <cairn.h>

#include <time.h>

enum { DEBUGINFOD_DEADLINE = 10 }; /* seconds per file, unless the user sets another deadline */

enum debuginfod_answer {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_NONE,
	DEBUGINFOD_UNREACHABLE, /* no conclusive answer from at least one server */
	DEBUGINFOD_LATE,
	DEBUGINFOD_LATE_BEFORE, /* timed out for an earlier file; no server was queried */
	DEBUGINFOD_NO_SERVER,
	DEBUGINFOD_NO_LIBRARY,
	DEBUGINFOD_NO_ROOM, /* a server sent the file, but the cache is not writable */
};

struct debuginfod_client;

struct debuginfod_library {
	bool tried;
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find_debug)(struct debuginfod_client *client, const unsigned char *id, int size,
	                  char **path);
	int (*find_program)(struct debuginfod_client *client, const unsigned char *id, int size,
	                    char **path);
	void (*set_progress)(struct debuginfod_client *client,
	                     int (*progress)(struct debuginfod_client *client, long a, long b));
	void (*set_log)(struct debuginfod_client *client, int fd); /* NULL in older versions */
};

/* A client. All zero but the deadline initially; must not move after the first lookup. */
struct debuginfod {
	uint64_t deadline; /* seconds per file; after it passed no server is queried again */
	struct debuginfod_library library;
	struct debuginfod_client *client;
	struct timespec until;
	bool late;
	bool told;              /* set by the caller that printed why debuginfod does not help */
	const char *unanswered; /* first temporary failure; cleared by callers that read it */
	struct debuginfod_counts counts;
	int log;     /* unnamed file for the library's log; opened with `client` */
	char *found; /* path allocated by the library */
	char folder[SYMBOL_PATH_MAX];
	char cached[SYMBOL_PATH_MAX]; /* path of a file found in the cache, without the library */
};

/*
 * Find the program (CAIRN_FILE_PROGRAM) or debug file (CAIRN_FILE_DEBUG) of a build. Sets *path
 * only if it returns DEBUGINFOD_FOUND; the path is valid until the next call.
 */
enum debuginfod_answer debuginfod_find(struct debuginfod *asked, enum cairn_module_file kind,
                                       struct cairn_bytes build_id, const char **path);

/*
 * Write the path of the cache directory, which libdebuginfod creates on demand. Returns false if
 * the environment does not define it or the path does not fit.
 */
bool debuginfod_cache_directory(char *path, size_t size);

/*
 * Fetch a file for the symbolizer's search. Servers have programs and debug files only. Writes the
 * path to `path`, which holds `size` bytes. If it returns false, *answer has the reason.
 */
bool debuginfod_fetch(struct debuginfod *asked, enum cairn_module_file wanted,
                      struct cairn_bytes build_id, char *path, size_t size,
                      enum debuginfod_answer *answer);

/*
 * Let a client that timed out query servers again once another deadline's time has passed. This is
 * for processes that serve many requests, each of which would otherwise wait for a slow server.
 */
void debuginfod_recover(struct debuginfod *asked);

/* Return the reason why there is no file, for a message, or NULL if it was found. */
const char *debuginfod_explain(enum debuginfod_answer answer);
void debuginfod_close(struct debuginfod *asked);

/*
 * Classifies the answers of servers from libdebuginfod's log. The library reports a build as absent
 * whatever a server answers other than a file, be it 404, 503 or a closed connection. For each
 * queried server the log has, among other lines,
 *
 *	server response TEXT        of libcurl
 *	url N TEXT                  libcurl's description: "The requested URL returned error: 404"
 *
 * It contains the servers' HTTP headers too, each prefixed with "header ".
 */

enum server_log {
	SERVER_LOG_EMPTY,
	SERVER_LOG_ABSENT,  /* every server answered that it does not have the file */
	SERVER_LOG_REFUSED, /* like ABSENT, but a server refused access: 403 and similar */
	SERVER_LOG_FAILED,  /* a server did not answer or had a temporary failure */
};

enum server_log server_log_read(struct cairn_bytes log);

#endif
