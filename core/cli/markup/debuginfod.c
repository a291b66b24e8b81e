/* SPDX-License-Identifier: MIT */
/*
 * debuginfod, when the user asks for it: first the cache of earlier downloads, then the servers
 * of DEBUGINFOD_URLS through libdebuginfod, which is opened then.  When the deadline has passed
 * once, no server is asked again in this run.
 */
#include "markup.h"

#include "os/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, ID_MAX = 64 };

struct client;

/* What is used of the library. */
struct library {
	bool tried;
	struct client *(*begin)(void);
	void (*end)(struct client *client);
	int (*find)(struct client *client, const unsigned char *id, int size, char **path);
	void (*set_progress)(struct client *client,
	                     int (*progress)(struct client *client, long a, long b));
	struct client *client;
};

static struct library library;
static struct timespec until;
static bool is_late;

static bool check_deadline(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	is_late = now.tv_sec > until.tv_sec ||
	          (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec);
	return is_late;
}

static int check_progress(struct client *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return check_deadline();
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

static bool open_library(void)
{
	if (library.tried)
		return library.client != NULL;
	library.tried = true;
	void *handle = os_library_open("libdebuginfod.so.1");
	if (!handle)
		return false;
	if (resolve_symbol(handle, "debuginfod_begin", (void *)&library.begin) &&
	    resolve_symbol(handle, "debuginfod_end", (void *)&library.end) &&
	    resolve_symbol(handle, "debuginfod_find_debuginfo", (void *)&library.find) &&
	    resolve_symbol(handle, "debuginfod_set_progressfn", (void *)&library.set_progress))
		library.client = library.begin();
	if (library.client)
		library.set_progress(library.client, check_progress);
	return library.client != NULL;
}

/* Where libdebuginfod keeps what it has downloaded; false when it does not. */
static bool is_cached(struct cairn_bytes id, char path[PATH_ROOM])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	char hex[2 * ID_MAX + 1];
	struct stat file;
	int size;

	if (id.size > ID_MAX || (!own && !cache && !home))
		return false;
	for (size_t i = 0; i < id.size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id.data[i]);
	if (own)
		size = snprintf(path, PATH_ROOM, "%s/%s/debuginfo", own, hex);
	else
		size = snprintf(path, PATH_ROOM, "%s%s/debuginfod_client/%s/debuginfo",
		                cache ? cache : home, cache ? "" : "/.cache", hex);
	/* an empty file remembers that no server has it; the library knows for how long */
	return size > 0 && size < PATH_ROOM && stat(path, &file) == 0 && file.st_size > 0;
}

const char *markup_debuginfod(uint64_t deadline, struct cairn_bytes id, const char **why)
{
	static char cached[PATH_ROOM];
	static char *found;

	if (is_cached(id, cached))
		return cached;
	if (is_late)
		*why = "no file with symbols was found; debuginfod did not answer in time before";
	else if (!getenv("DEBUGINFOD_URLS"))
		*why = "no file with symbols was found; DEBUGINFOD_URLS names no server";
	else if (!open_library())
		*why = "no file with symbols was found; libdebuginfod.so.1 cannot be opened";
	if (is_late || *why)
		return NULL;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)deadline;
	limit_waiting(deadline);
	free(found);
	found = NULL;
	int descriptor = library.find(library.client, id.data, (int)id.size, &found);
	if (descriptor >= 0) {
		close(descriptor);
		return found;
	}
	*why = check_deadline()
	               ? "no file with symbols was found; debuginfod did not answer in time"
	               : "no file with symbols was found, and debuginfod has none";
	return NULL;
}
