/* SPDX-License-Identifier: MIT */
/* Requests files through libdebuginfod, and classifies the servers' responses. */
#include "debuginfod.h"

#include "fetched.h"

#include "base/encoding.h"
#include "base/http_status.h"
#include "base/text_table.h"
#include "os/write.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Reads libdebuginfod's log line by line. An unknown line counts as a temporary failure, so that
 * the request is repeated later.
 */

static bool begins_with(struct cairn_bytes line, const char *word)
{
	const size_t size = strlen(word);

	return line.size >= size && memcmp(line.data, word, size) == 0;
}

static struct cairn_bytes take_log_line(struct cairn_bytes *log)
{
	const uint8_t *end = memchr(log->data, '\n', log->size);
	const size_t size = end ? (size_t)(end - log->data) : log->size;
	const struct cairn_bytes line = { log->data, size };

	log->data += size + (end ? 1 : 0);
	log->size -= size + (end ? 1 : 0);
	return line;
}

static unsigned read_status(struct cairn_bytes line)
{
	unsigned status = 0;

	if (line.size < 4 || line.data[line.size - 4] != ' ')
		return 0;
	for (size_t i = line.size - 3; i < line.size; i++) {
		if (line.data[i] < '0' || line.data[i] > '9')
			return 0;
		status = 10 * status + (unsigned)(line.data[i] - '0');
	}
	return status;
}

static enum server_log judge_status(unsigned status)
{
	const enum http_meaning meaning = http_read_status(status);

	return meaning == HTTP_ABSENT    ? SERVER_LOG_ABSENT
	       : meaning == HTTP_REFUSED ? SERVER_LOG_REFUSED
	                                 : SERVER_LOG_FAILED;
}

/*
 * Classify one server's response. `response` is its line in the log, and `next` is the following
 * line, which may contain an HTTP status.
 */
static enum server_log judge_server(struct cairn_bytes response, struct cairn_bytes next)
{
	if (begins_with(response, "server response HTTP response code said error"))
		return begins_with(next, "url ") ? judge_status(read_status(next))
		                                 : SERVER_LOG_FAILED;
	/* a local directory in DEBUGINFOD_URLS lacks the file */
	if (begins_with(response, "server response Couldn't read a file://"))
		return SERVER_LOG_ABSENT;
	return SERVER_LOG_FAILED;
}

enum server_log server_log_read(struct cairn_bytes log)
{
	enum server_log worst = SERVER_LOG_EMPTY;

	while (log.size > 0) {
		const struct cairn_bytes line = take_log_line(&log);
		struct cairn_bytes rest = log;
		if (!begins_with(line, "server response "))
			continue;
		const enum server_log one =
			judge_server(line, rest.size > 0 ? take_log_line(&rest)
		                                         : (struct cairn_bytes){ NULL, 0 });
		if (one > worst)
			worst = one;
	}
	return worst;
}

const char *debuginfod_explain(enum debuginfod_answer answer)
{
	static const char texts[][TEXT_CAPACITY] = {
		[DEBUGINFOD_NONE] = "debuginfod does not have it",
		[DEBUGINFOD_UNREACHABLE] = "a debuginfod server cannot be reached",
		[DEBUGINFOD_LATE] = "debuginfod did not answer in time",
		[DEBUGINFOD_LATE_BEFORE] = "debuginfod did not answer in time earlier",
		[DEBUGINFOD_NO_SERVER] = "DEBUGINFOD_URLS names no server",
		[DEBUGINFOD_NO_LIBRARY] = "libdebuginfod.so.1 cannot be opened",
		[DEBUGINFOD_DISK_FULL] =
			"the answer of debuginfod cannot be written to its cache: the "
			"disk may be full",
	};

	return TEXT_AT(texts, answer, NULL);
}

enum {
	ID_MAX = 64,
	LOG_MAX = 1 << 16,
	/*
	 * interval in nanoseconds at which to check whether another process has finished its
	 * download
	 */
	TURN_NAP = 20 * 1000 * 1000,
};

static bool check_deadline(struct debuginfod *asked)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	asked->late = now.tv_sec > asked->until.tv_sec ||
	              (now.tv_sec == asked->until.tv_sec && now.tv_nsec >= asked->until.tv_nsec);
	return asked->late;
}

/*
 * The client that is waiting for a server. It must be static, because the library calls the
 * progress callback without a context, and setting a context would require another function of the
 * library.
 */
static struct debuginfod *waiting;

static int check_progress(struct debuginfod_client *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return check_deadline(waiting);
}

/*
 * Limit the wait for the beginning of a server's response. During this time elfutils 0.192 does not
 * call check_progress(), and waits for DEBUGINFOD_TIMEOUT (90 s) three times. A shorter time set by
 * the user is kept.
 */
static void limit_waiting(uint64_t deadline)
{
	const char *own = getenv("DEBUGINFOD_TIMEOUT");
	uint64_t seconds = own ? strtoull(own, NULL, 10) : 0;
	char text[24];

	if (seconds == 0 || seconds > deadline) {
		/* 0 would mean no limit */
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
	void *handle = NULL;

	if (library->tried)
		return asked->client != NULL;
	library->tried = true;
#ifndef CAIRN_STATIC /* in a static program, the library would load a second C library */
	handle = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
#endif
	if (!handle || !resolve_library(library, handle))
		return false;
	asked->client = library->begin();
	if (!asked->client)
		return false;
	library->set_progress(asked->client, check_progress);
	asked->log = resolve_symbol(handle, "debuginfod_set_verbose_fd", (void *)&library->set_log)
	                     ? os_unnamed_file()
	                     : -1;
	if (asked->log >= 0)
		library->set_log(asked->client, asked->log);
	return true;
}

bool debuginfod_cache_directory(char *path, size_t size)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	const char *directory = own     ? ""
	                        : cache ? "/debuginfod_client"
	                                : "/.cache/debuginfod_client";

	if (!own && !cache && !home)
		return false;
	const int length = snprintf(path, size, "%s%s",
	                            own     ? own
	                            : cache ? cache
	                                    : home,
	                            directory);
	return length > 0 && (size_t)length < size;
}

enum cached { CACHED_NOT, CACHED_FILE, CACHED_OTHER };

static const char *name_file(enum cairn_module_file kind)
{
	return kind == CAIRN_FILE_PROGRAM ? "executable" : "debuginfo";
}

/*
 * Update the access time, by which the sweep finds files that have not been used recently. Ignore
 * failure, because it only affects the sweep.
 */
static void note_use(const char *path)
{
	const struct timespec times[2] = { { 0, UTIME_NOW }, { 0, UTIME_OMIT } };

	if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) != 0)
		return;
}

/*
 * Find a file in libdebuginfod's cache. Reject anything but a regular file, because the library
 * would open it.
 */
static enum cached find_cached(struct debuginfod *asked, enum cairn_module_file kind,
                               struct cairn_bytes id)
{
	char hex[2 * ID_MAX + 1];
	struct stat file;

	if (!debuginfod_cache_directory(asked->cached, sizeof(asked->cached)))
		return CACHED_NOT;
	hex_encode(id, hex);
	const size_t used = strlen(asked->cached), capacity = sizeof(asked->cached) - used;
	const int size = snprintf(asked->cached + used, capacity, "/%s/%s", hex, name_file(kind));
	if (size < 0 || (size_t)size >= capacity || stat(asked->cached, &file) != 0)
		return CACHED_NOT;
	if (!S_ISREG(file.st_mode))
		return CACHED_OTHER;
	if (file.st_size == 0)
		/*
		 * an empty file is the library's record of a missing file; fetched.h has its own
		 * record instead
		 */
		return CACHED_NOT;
	note_use(asked->cached);
	return CACHED_FILE;
}

/*
 * Read and clear the messages that libdebuginfod has logged since the last call. Copy them to
 * standard error if DEBUGINFOD_VERBOSE is set.
 */
static enum server_log read_log(const struct debuginfod *asked)
{
	static uint8_t text[LOG_MAX];
	const ssize_t got = pread(asked->log, text, sizeof(text), 0);
	const struct cairn_bytes log = { text, got > 0 ? (size_t)got : 0 };

	if (ftruncate(asked->log, 0) != 0 || lseek(asked->log, 0, SEEK_SET) != 0)
		return SERVER_LOG_FAILED;
	if (getenv("DEBUGINFOD_VERBOSE") && os_write_all(STDERR_FILENO, log) != 0)
		return SERVER_LOG_FAILED;
	return server_log_read(log);
}

/*
 * Remove the library's negative cache entry, an empty file, because the library also writes it if
 * no server has confirmed that the file is absent.
 */
static void forget_empty(const struct debuginfod *asked)
{
	struct stat file;

	if (lstat(asked->cached, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0)
		unlink(asked->cached);
}

/*
 * Determine why the library has returned no file. Its `error` is -ENOENT for most failures,
 * whatever the cause.
 */
static enum debuginfod_answer explain_failure(struct debuginfod *asked, int error, bool *is_certain)
{
	const bool has_log = asked->log >= 0;
	const enum server_log log = has_log ? read_log(asked) : SERVER_LOG_ABSENT;

	*is_certain = error == -ENOENT && has_log && log == SERVER_LOG_ABSENT;
	if (check_deadline(asked))
		return DEBUGINFOD_LATE;
	if (error == -EIO || error == -ENOSPC || error == -EDQUOT)
		return DEBUGINFOD_DISK_FULL;
	if (error == -EFBIG)
		return DEBUGINFOD_NONE;
	return error == -ENOENT && (log == SERVER_LOG_ABSENT || log == SERVER_LOG_REFUSED)
	               ? DEBUGINFOD_NONE
	               : DEBUGINFOD_UNREACHABLE;
}

static enum debuginfod_answer ask_servers(struct debuginfod *asked, enum cairn_module_file kind,
                                          struct cairn_bytes id, bool *is_certain)
{
	enum debuginfod_answer answer;

	free(asked->found);
	asked->found = NULL;
	waiting = asked;
	if (asked->log >= 0)
		forget_empty(asked);
	int descriptor = (kind == CAIRN_FILE_PROGRAM ? asked->library.find_program
	                                             : asked->library.find_debug)(
		asked->client, id.data, (int)id.size, &asked->found);
	if (descriptor >= 0) {
		close(descriptor);
		if (asked->log >= 0)
			(void)read_log(asked);
		return DEBUGINFOD_FOUND;
	}
	answer = explain_failure(asked, descriptor, is_certain);
	if (asked->log >= 0 && !*is_certain)
		forget_empty(asked);
	return answer;
}

static uint64_t count_bytes(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
}

static enum debuginfod_answer fetch_alone(struct debuginfod *asked, enum cairn_module_file kind,
                                          struct cairn_bytes id, const struct fetched *shared)
{
	bool is_certain = false;
	enum debuginfod_answer answer = ask_servers(asked, kind, id, &is_certain);

	if (answer == DEBUGINFOD_DISK_FULL && fetched_free_space(shared, &asked->counts))
		answer = ask_servers(asked, kind, id, &is_certain);
	if (answer == DEBUGINFOD_FOUND) {
		const uint64_t bytes = count_bytes(asked->found);
		asked->counts.bytes += bytes;
		fetched_count(shared, bytes, &asked->counts);
	} else if (is_certain) {
		fetched_note_absent(shared);
	}
	return answer;
}

static bool wait_for_turn(struct debuginfod *asked, const struct fetched *shared)
{
	const struct timespec nap = { 0, TURN_NAP };

	while (!fetched_lock(shared)) {
		if (check_deadline(asked))
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static enum debuginfod_answer fetch_once(struct debuginfod *asked, enum cairn_module_file kind,
                                         struct cairn_bytes id, const struct fetched *shared,
                                         const char **path)
{
	if (fetched_is_absent(shared))
		return DEBUGINFOD_NONE;
	if (!open_client(asked))
		return DEBUGINFOD_NO_LIBRARY;
	clock_gettime(CLOCK_MONOTONIC, &asked->until);
	asked->until.tv_sec += (time_t)asked->deadline;
	limit_waiting(asked->deadline);
	if (!wait_for_turn(asked, shared))
		return DEBUGINFOD_LATE;
	/* Another process may have downloaded the file in the meantime. */
	if (find_cached(asked, kind, id) == CACHED_FILE)
		return DEBUGINFOD_FOUND;
	if (fetched_is_absent(shared))
		return DEBUGINFOD_NONE;
	const enum debuginfod_answer answer = fetch_alone(asked, kind, id, shared);
	*path = asked->found;
	return answer;
}

static enum debuginfod_answer ask_or_wait(struct debuginfod *asked, enum cairn_module_file kind,
                                          struct cairn_bytes id, const char **path)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct fetched shared = { .fd = -1 };

	if (!servers || !*servers)
		return DEBUGINFOD_NO_SERVER;
	const struct fetched_question question = { id, name_file(kind), servers };
	if (debuginfod_cache_directory(asked->directory, sizeof(asked->directory)))
		fetched_open(&shared, asked->directory, &question);
	const enum debuginfod_answer answer = fetch_once(asked, kind, id, &shared, path);
	fetched_close(&shared);
	return answer;
}

static void note_unanswered(struct debuginfod *asked, enum debuginfod_answer answer)
{
	if (answer == DEBUGINFOD_FOUND || answer == DEBUGINFOD_NONE || asked->unanswered)
		return;
	/*
	 * Store the same reason for all timeouts, because the answer to a request must not depend
	 * on earlier requests.
	 */
	asked->unanswered =
		debuginfod_explain(answer == DEBUGINFOD_LATE_BEFORE ? DEBUGINFOD_LATE : answer);
}

static void count_answer(struct debuginfod_counts *counts, enum debuginfod_answer answer,
                         bool is_cached)
{
	switch (answer) {
	case DEBUGINFOD_FOUND:
		counts->hits += is_cached;
		counts->misses += !is_cached;
		break;
	case DEBUGINFOD_NONE:
		counts->negatives++;
		break;
	case DEBUGINFOD_UNREACHABLE:
	case DEBUGINFOD_LATE:
	case DEBUGINFOD_DISK_FULL:
		counts->errors++;
		break;
	case DEBUGINFOD_LATE_BEFORE:
	case DEBUGINFOD_NO_SERVER:
	case DEBUGINFOD_NO_LIBRARY:
		break;
	}
}

enum debuginfod_answer debuginfod_find(struct debuginfod *asked, enum cairn_module_file kind,
                                       struct cairn_bytes id, const char **path)
{
	enum debuginfod_answer answer = DEBUGINFOD_LATE_BEFORE;

	if (id.size == 0 || id.size > ID_MAX)
		return DEBUGINFOD_NONE;
	*path = asked->cached;
	const enum cached cached = find_cached(asked, kind, id);
	if (cached != CACHED_NOT)
		answer = cached == CACHED_FILE ? DEBUGINFOD_FOUND : DEBUGINFOD_NONE;
	else if (!asked->late)
		answer = ask_or_wait(asked, kind, id, path);
	count_answer(&asked->counts, answer, *path == asked->cached);
	note_unanswered(asked, answer);
	return answer;
}

void debuginfod_recover(struct debuginfod *asked)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec >= asked->until.tv_sec + (time_t)asked->deadline)
		asked->late = false;
}

bool debuginfod_fetch(struct debuginfod *asked, enum cairn_module_file wanted,
                      struct cairn_bytes build_id, char *path, size_t size,
                      enum debuginfod_answer *answer)
{
	const char *found;

	*answer = DEBUGINFOD_NONE;
	if (wanted == CAIRN_FILE_PROGRAM || wanted == CAIRN_FILE_DEBUG)
		*answer = debuginfod_find(asked, wanted, build_id, &found);
	return *answer == DEBUGINFOD_FOUND && (size_t)snprintf(path, size, "%s", found) < size;
}

void debuginfod_close(struct debuginfod *asked)
{
	if (asked->client) {
		asked->library.end(asked->client);
		if (asked->log >= 0)
			close(asked->log);
	}
	free(asked->found);
	asked->client = NULL;
	asked->found = NULL;
}
