/* SPDX-License-Identifier: MIT */
/*
 * A debuginfod client, which commands use only at the user's request. It first searches the
 * download cache that all clients on the machine share, then queries the servers in DEBUGINFOD_URLS
 * through libdebuginfod, which is loaded on first use. If several processes with the same cache
 * need a file, one process downloads it while the others wait (see fetched.h). The size of the
 * cache is bounded. Negative answers are cached for a while; failures are not.
 *
 *	struct debuginfod asked = { .deadline = 10 };
 *	if (debuginfod_find(&asked, CAIRN_FILE_PROGRAM, build_id, &path) == DEBUGINFOD_FOUND)
 *		... open path; valid until the next call
 *	debuginfod_close(&asked);
 *
 * The client sets environment variables to limit waiting. Therefore it is only for cairn's own
 * programs, not for libraries inside other processes.
 */
#ifndef CAIRN_OS_DEBUGINFOD_H
#define CAIRN_OS_DEBUGINFOD_H

#include "fetched.h"
#include "symbol_path.h"

#include <cairn.h>

#include <time.h>

enum { DEBUGINFOD_DEADLINE = 10 }; /* default deadline per file, in seconds */

enum debuginfod_answer {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_NONE,
	DEBUGINFOD_UNREACHABLE, /* at least one server has given no conclusive answer */
	DEBUGINFOD_LATE,
	DEBUGINFOD_LATE_BEFORE, /* an earlier file timed out, so no server has been queried */
	DEBUGINFOD_NO_SERVER,
	DEBUGINFOD_NO_LIBRARY,
	DEBUGINFOD_DISK_FULL, /* a server has sent the file, but the cache is not writable */
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
	/* NULL in old versions of the library */
	void (*set_log)(struct debuginfod_client *client, int fd);
};

/*
 * A debuginfod client. Initialize everything except the deadline with zeros. Must not be moved
 * after the first lookup.
 */
struct debuginfod {
	/*
	 * time limit per file in seconds; after a timeout, no server is queried until
	 * debuginfod_recover()
	 */
	uint64_t deadline;
	struct debuginfod_library library;
	struct debuginfod_client *client;
	struct timespec until;
	bool late;
	/* set by the caller once it has told the user why debuginfod provides no files */
	bool told;
	const char *unanswered; /* first temporary failure; reset by callers that read it */
	struct debuginfod_counts counts;
	int log;     /* unnamed file for the library's log; opened together with `client` */
	char *found; /* path that the library has allocated for the latest file, or NULL */
	char directory[SYMBOL_PATH_MAX];
	/* path of a file found in the cache without using the library */
	char cached[SYMBOL_PATH_MAX];
};

/*
 * Find the program (CAIRN_FILE_PROGRAM) or debug file (CAIRN_FILE_DEBUG) with this build ID. *path
 * is set only if the result is DEBUGINFOD_FOUND, and stays valid until the next call.
 */
enum debuginfod_answer debuginfod_find(struct debuginfod *asked, enum cairn_module_file kind,
                                       struct cairn_bytes build_id, const char **path);

/*
 * Write the path of the cache directory, which libdebuginfod creates on demand. Returns false if
 * the environment does not define the directory or the path does not fit.
 */
bool debuginfod_cache_directory(char *path, size_t size);

/*
 * Fetch a file for the symbolizer's search, and write its path to the `size` bytes at `path`.
 * Servers provide only programs and debug files. Returns false with the reason in *answer if no
 * file is found.
 */
bool debuginfod_fetch(struct debuginfod *asked, enum cairn_module_file wanted,
                      struct cairn_bytes build_id, char *path, size_t size,
                      enum debuginfod_answer *answer);

/*
 * Allow a client that has timed out to query servers again, once another deadline has passed.
 * Long-running servers need this pause, because otherwise each of their requests would wait for a
 * slow debuginfod server.
 */
void debuginfod_recover(struct debuginfod *asked);

/*
 * Return the reason for a missing file, as a phrase for a message, or NULL if the file was found.
 */
const char *debuginfod_explain(enum debuginfod_answer answer);
void debuginfod_close(struct debuginfod *asked);

/*
 * Classifies server responses by means of libdebuginfod's log. The library reports a file as absent
 * for every response that is not a file, be it 404, 503 or a closed connection. The log contains,
 * among others, these lines for each queried server:
 *
 *	server response TEXT        from libcurl
 *	url N TEXT                  libcurl's description: "The requested URL returned error: 404"
 *
 * It contains the servers' HTTP headers too, each prefixed with "header ".
 */

enum server_log {
	SERVER_LOG_EMPTY,
	SERVER_LOG_ABSENT,
	/* no server has the file, but at least one has refused access (403 or similar) */
	SERVER_LOG_REFUSED,
	SERVER_LOG_FAILED, /* a server has not answered or has failed temporarily */
};

enum server_log server_log_read(struct cairn_bytes log);

#endif
