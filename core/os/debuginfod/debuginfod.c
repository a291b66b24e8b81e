/* SPDX-License-Identifier: MIT */
/* Asks the cache of debuginfod, then its servers by its library, with a deadline. */
#include "debuginfod.h"

#include "base/hex.h"
#include "os/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_MAX = 64 };

static bool check_deadline(struct debuginfod *asked)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	asked->late = now.tv_sec > asked->until.tv_sec ||
	              (now.tv_sec == asked->until.tv_sec && now.tv_nsec >= asked->until.tv_nsec);
	return asked->late;
}

/* The client that asked, because the library hands its progress function nothing that we could choose without calling
 * a further function of it. */
static struct debuginfod *waiting;

static int check_progress(struct debuginfod_client *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return check_deadline(waiting);
}

/*
 * Until a server begins to answer, elfutils 0.192 does not call check_progress(), and waits for as long as
 * DEBUGINFOD_TIMEOUT says (90 s), three times.  A user's shorter time stays.
 */
static void limit_waiting(uint64_t deadline)
{
	const char *own = getenv("DEBUGINFOD_TIMEOUT");
	uint64_t seconds = own ? strtoull(own, NULL, 10) : 0;
	char text[24];

	if (seconds == 0 || seconds > deadline) {
		/* 0 is for ever */
		snprintf(text, sizeof(text), "%llu", (unsigned long long)(deadline ? deadline : 1));
		setenv("DEBUGINFOD_TIMEOUT", text, 1);
	}
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1);
}

static bool resolve_symbol(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

static bool resolve_library(struct debuginfod_library *library, void *handle)
{
	return resolve_symbol(handle, "debuginfod_begin", (void *)&library->begin) &&
	       resolve_symbol(handle, "debuginfod_end", (void *)&library->end) &&
	       resolve_symbol(handle, "debuginfod_find_debuginfo", (void *)&library->find_debug) &&
	       resolve_symbol(handle, "debuginfod_find_executable",
	                      (void *)&library->find_program) &&
	       resolve_symbol(handle, "debuginfod_set_progressfn", (void *)&library->set_progress);
}

static bool open_client(struct debuginfod *asked)
{
	struct debuginfod_library *library = &asked->library;

	if (library->tried)
		return asked->client != NULL;
	library->tried = true;
	void *handle = os_library_open("libdebuginfod.so.1");
	if (!handle || !resolve_library(library, handle))
		return false;
	asked->client = library->begin();
	if (asked->client)
		library->set_progress(asked->client, check_progress);
	return asked->client != NULL;
}

bool debuginfod_cache_folder(char *path, size_t size)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	const char *folder = own ? "" : cache ? "/debuginfod_client" : "/.cache/debuginfod_client";

	if (!own && !cache && !home)
		return false;
	const int length = snprintf(path, size, "%s%s", own ? own : cache ? cache : home, folder);
	return length > 0 && (size_t)length < size;
}

enum cached { CACHED_NOT, CACHED_FILE, CACHED_OTHER };

/* What is where libdebuginfod keeps what it has downloaded: it would open anything that lies there. */
static enum cached find_cached(struct debuginfod *asked, enum debuginfod_kind kind,
                               struct cairn_bytes id)
{
	const char *name = kind == DEBUGINFOD_PROGRAM ? "executable" : "debuginfo";
	char hex[2 * ID_MAX + 1];
	struct stat file;

	if (!debuginfod_cache_folder(asked->cached, sizeof(asked->cached)))
		return CACHED_NOT;
	hex_encode(id, hex);
	const size_t used = strlen(asked->cached), room = sizeof(asked->cached) - used;
	const int size = snprintf(asked->cached + used, room, "/%s/%s", hex, name);
	if (size < 0 || (size_t)size >= room || stat(asked->cached, &file) != 0)
		return CACHED_NOT;
	if (!S_ISREG(file.st_mode))
		return CACHED_OTHER;
	/* an empty file remembers that no server has it; the library knows for how long */
	return file.st_size > 0 ? CACHED_FILE : CACHED_NOT;
}

static enum debuginfod_answer ask_servers(struct debuginfod *asked, enum debuginfod_kind kind,
                                          struct cairn_bytes id)
{
	clock_gettime(CLOCK_MONOTONIC, &asked->until);
	asked->until.tv_sec += (time_t)asked->deadline;
	limit_waiting(asked->deadline);
	free(asked->found);
	asked->found = NULL;
	waiting = asked;
	int descriptor = (kind == DEBUGINFOD_PROGRAM ? asked->library.find_program
	                                             : asked->library.find_debug)(
		asked->client, id.data, (int)id.size, &asked->found);
	if (descriptor < 0 && check_deadline(asked))
		return DEBUGINFOD_LATE;
	if (descriptor < 0)
		return descriptor == -ENOENT ? DEBUGINFOD_NONE : DEBUGINFOD_UNREACHABLE;
	close(descriptor);
	return DEBUGINFOD_FOUND;
}

enum debuginfod_answer debuginfod_find(struct debuginfod *asked, enum debuginfod_kind kind,
                                       struct cairn_bytes id, const char **path)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (id.size == 0 || id.size > ID_MAX)
		return DEBUGINFOD_NONE;
	*path = asked->cached;
	const enum cached cached = find_cached(asked, kind, id);
	if (cached != CACHED_NOT)
		return cached == CACHED_FILE ? DEBUGINFOD_FOUND : DEBUGINFOD_NONE;
	if (asked->late)
		return DEBUGINFOD_LATE_BEFORE;
	if (!servers || !*servers)
		return DEBUGINFOD_NO_SERVER;
	if (!open_client(asked))
		return DEBUGINFOD_NO_LIBRARY;
	enum debuginfod_answer answer = ask_servers(asked, kind, id);
	*path = asked->found;
	return answer;
}

bool debuginfod_fetch(struct debuginfod *asked, enum cairn_module_file wanted,
                      struct cairn_bytes build_id, char *path, size_t size,
                      enum debuginfod_answer *answer)
{
	const char *found;

	*answer = DEBUGINFOD_NONE;
	if (wanted == CAIRN_FILE_PROGRAM)
		*answer = debuginfod_find(asked, DEBUGINFOD_PROGRAM, build_id, &found);
	else if (wanted == CAIRN_FILE_DEBUG)
		*answer = debuginfod_find(asked, DEBUGINFOD_DEBUG, build_id, &found);
	return *answer == DEBUGINFOD_FOUND && (size_t)snprintf(path, size, "%s", found) < size;
}

const char *debuginfod_explain(enum debuginfod_answer answer)
{
	switch (answer) {
	case DEBUGINFOD_FOUND:
	case DEBUGINFOD_NONE:
	case DEBUGINFOD_UNREACHABLE:
		break;
	case DEBUGINFOD_LATE:
		return "debuginfod did not answer in time, and is not asked again";
	case DEBUGINFOD_NO_SERVER:
		return "DEBUGINFOD_URLS names no server";
	case DEBUGINFOD_NO_LIBRARY:
		return "libdebuginfod.so.1 cannot be opened";
	case DEBUGINFOD_LATE_BEFORE:
		break; /* it was reported when it was late */
	}
	return NULL;
}

void debuginfod_close(struct debuginfod *asked)
{
	if (asked->client)
		asked->library.end(asked->client);
	free(asked->found);
	asked->client = NULL;
	asked->found = NULL;
}
