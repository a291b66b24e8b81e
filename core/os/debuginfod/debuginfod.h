/* SPDX-License-Identifier: MIT */
/*
 * A client of debuginfod, for verbs whose user asks for it: first the cache of earlier downloads, which all clients
 * on the machine share, then the servers of DEBUGINFOD_URLS through libdebuginfod, which is opened then. Of all processes with one cache one
 * fetches a file, and the others wait for it (fetched.h); the cache has a bound; what servers do not have is remembered for a while, and what they could
 * not say is not.
 *
 *	struct debuginfod asked = { .deadline = 10 };
 *	if (debuginfod_find(&asked, CAIRN_FILE_PROGRAM, build_id, &path) == DEBUGINFOD_FOUND)
 *		... open path; it is good until the next question
 *	debuginfod_close(&asked);
 *
 * It limits waiting by variables of the environment, so it is for programs of our own, not for
 * libraries in somebody's process.
 */
#ifndef CAIRN_OS_DEBUGINFOD_DEBUGINFOD_H
#define CAIRN_OS_DEBUGINFOD_DEBUGINFOD_H

#include "counts.h"

#include "os/module/symbol_path.h"

#include <time.h>

enum { DEBUGINFOD_DEADLINE = 10 }; /* seconds for each file, unless the user has another wish */

enum debuginfod_answer {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_NONE,        /* no server has it */
	DEBUGINFOD_UNREACHABLE, /* a server did not say whether it has it */
	DEBUGINFOD_LATE,        /* the deadline has passed */
	DEBUGINFOD_LATE_BEFORE, /* it had passed for another file, and nobody was asked */
	DEBUGINFOD_NO_SERVER,   /* DEBUGINFOD_URLS names none */
	DEBUGINFOD_NO_LIBRARY,  /* libdebuginfod cannot be opened */
	DEBUGINFOD_NO_ROOM,     /* a server sent it, and the cache cannot be written */
};

struct debuginfod_client;

/* What is used of the library. */
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
	void (*set_log)(struct debuginfod_client *client, int fd); /* NULL: it is older */
};

/* All zero but the deadline at first; it stays where it is from the first question on. */
struct debuginfod {
	uint64_t deadline; /* seconds for each file; once it has passed no server is asked again */
	struct debuginfod_library library;
	struct debuginfod_client *client;
	struct timespec until;
	bool late;
	bool told; /* a message said why it does not help; whoever prints one sets this */
	const char *
		unanswered; /* why the first answer was missing that may come another time; whoever wants to know clears it before */
	struct debuginfod_counts counts; /* of all questions */
	int log;     /* a file without a name, of what the library says; set with `client` */
	char *found; /* by the library */
	char folder[SYMBOL_PATH_MAX]; /* of the cache */
	char cached[SYMBOL_PATH_MAX]; /* found without it */
};

/*
 * `kind` is CAIRN_FILE_PROGRAM or CAIRN_FILE_DEBUG. *path is set with DEBUGINFOD_FOUND only, and good until the next call.
 */
enum debuginfod_answer debuginfod_find(struct debuginfod *asked, enum cairn_module_file kind,
                                       struct cairn_bytes build_id, const char **path);

/*
 * Writes the path of the cache's folder, which libdebuginfod makes when it needs it. False: the environment names none, or the
 * path does not fit.
 */
bool debuginfod_cache_folder(char *path, size_t size);

/*
 * What the search of a symbolizer asks for: servers have programs and debug files, and nothing else. The path goes to `path`, which has room
 * for `size` bytes; false: there is none, and *answer tells why.
 */
bool debuginfod_fetch(struct debuginfod *asked, enum cairn_module_file wanted,
                      struct cairn_bytes build_id, char *path, size_t size,
                      enum debuginfod_answer *answer);

/*
 * Lets a client that was late ask again, once as much time has passed as it may wait. For processes that answer many, one after the other, each of
 * which would wait as long again.
 */
void debuginfod_recover(struct debuginfod *asked);

/* Returns for a message why there is no file; NULL: the file was found. */
const char *debuginfod_explain(enum debuginfod_answer answer);
void debuginfod_close(struct debuginfod *asked);

#endif
