/* SPDX-License-Identifier: MIT */
/* Finds a process's perf maps and jitdumps, and decides which of these files to accept. */
#include "jit_file.h"

#include "process.h"

#include "base/error.h"
#include "base/path.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	STATUS_MAX = 4096,
	NAME_SIZE = 64,
	/*
	 * tolerance in seconds when a file time is compared with a process start time, because file
	 * times lag behind and start times are rounded to ticks
	 */
	SLACK = 2,
	DIGITS_MAX = 10,
};

static uint64_t os_jit_inner_pid(const struct os_jit_process *process)
{
	char path[NAME_SIZE], text[STATUS_MAX + 1];
	unsigned long long inner = process->pid;

	if (!process->running)
		return process->pid;
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", process->pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return process->pid;
	text[fread(text, 1, STATUS_MAX, file)] = '\0';
	fclose(file);
	char *at = strstr(text, "\nNSpid:");
	for (at = at ? at + 7 : NULL; at && *at == '\t';) {
		inner = strtoull(at + 1, &at, 10);
	}
	return inner ? inner : process->pid;
}

/* Read the owner and the age of the process. Do not cache the age, because it grows. */
static bool read_process(uint64_t pid, uint32_t *user, uint64_t *age)
{
	struct os_process process;

	if (os_process_open(pid, &process) != 0)
		return false;
	*age = os_process_age(&process);
	const bool known = os_process_user(&process, user);
	os_process_close(&process);
	return known;
}

/*
 * Return true if the file belongs to the process and was not left by an earlier process with the
 * same pid.
 */
static bool is_own(const struct os_jit_process *process, const struct stat *file)
{
	struct timespec now;
	uint32_t user;
	uint64_t age;

	/*
	 * Read the clock before the age. The delay between the two can then only make the process
	 * appear older, so that its own files are not rejected.
	 */
	return clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	       read_process(process->pid, &user, &age) && file->st_uid == user &&
	       file->st_mtim.tv_sec >= now.tv_sec - (int64_t)(age / 1000000000) - SLACK;
}

/*
 * Check the owner of a file beside a core, or of a file to which the core refers. Files of root are
 * accepted unless cairn runs as root, because the core's owner may have placed a link to a file
 * that only root can read.
 */
static bool is_of_owner(const struct stat *file, uid_t owner)
{
	return file->st_uid == owner || (file->st_uid == 0 && geteuid() != 0);
}

static int open_file(int directory, const char *path, int flags, struct stat *about)
{
	int fd;

	if (os_regular_open(directory, path, flags, about, &fd) != 0)
		return -1;
	if (about->st_size > 0)
		return fd;
	close(fd);
	return -1;
}

static int keep_if(int fd, bool counts)
{
	if (counts || fd < 0)
		return fd;
	close(fd);
	return -1;
}

static bool print_file_name(const struct os_jit_process *process, const char *before,
                            const char *after, char name[NAME_SIZE])
{
	return snprintf(name, NAME_SIZE, "%s%" PRIu64 "%s", before, os_jit_inner_pid(process),
	                after) < NAME_SIZE;
}

static int open_given(const struct os_jit_process *process, const char *name,
                      char path[OS_JIT_PATH])
{
	const char *rest = process->directories;
	struct cairn_bytes directory;
	struct stat about;

	while (directory_list_next(&rest, &directory)) {
		int written = snprintf(path, OS_JIT_PATH, "%.*s/%s", (int)directory.size,
		                       (const char *)directory.data, name);
		int fd = written > 0 && written < OS_JIT_PATH ? open_file(AT_FDCWD, path, 0, &about)
		                                              : -1;
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/*
 * Open the file whose path is the first `length` bytes of `core` followed by `name`. The file must
 * belong to the core's owner and must not be newer than the core.
 */
static int open_like_core(const char *core, size_t length, const char *name, char path[OS_JIT_PATH])
{
	struct stat of_core, about;

	if (length > OS_JIT_PATH - NAME_SIZE || stat(core, &of_core) != 0)
		return -1;
	snprintf(path, OS_JIT_PATH, "%.*s%s", (int)length, core, name);
	int fd = open_file(AT_FDCWD, path, O_NOFOLLOW, &about);
	return keep_if(fd, fd >= 0 && is_of_owner(&about, of_core.st_uid) &&
	                           about.st_mtim.tv_sec <= of_core.st_mtim.tv_sec + SLACK);
}

static size_t find_file_name(const char *core)
{
	const char *slash = strrchr(core, '/');

	return slash ? (size_t)(slash - core) + 1 : 0;
}

/* Open NAME.perf-map beside NAME.core or NAME.core.zst, as written by `cairn crash`. */
static int open_named_as_core(const struct os_jit_process *process, char path[OS_JIT_PATH])
{
	const char *core = process->core ? process->core : "";
	const size_t start = find_file_name(core);
	const char *end = strstr(core + start, ".core");

	return end ? open_like_core(core, (size_t)(end - core), ".perf-map", path) : -1;
}

static int open_kept(const struct os_jit_process *process, const char *name, char path[OS_JIT_PATH])
{
	const char *core = process->core ? process->core : "";
	int fd = open_given(process, name, path);

	return fd >= 0 ? fd : open_like_core(core, find_file_name(core), name, path);
}

/* Open a running process's perf map in /tmp below the process's own root directory. */
static int open_own_map(const struct os_jit_process *process, const char *name,
                        char path[OS_JIT_PATH])
{
	struct stat about;

	snprintf(path, OS_JIT_PATH, "/proc/%" PRIu64 "/root/tmp", process->pid);
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return -1;
	int fd = open_file(directory, name, O_NOFOLLOW, &about);
	close(directory);
	strcat(path, "/");
	strcat(path, name);
	return keep_if(fd, fd >= 0 && is_own(process, &about));
}

int os_jit_open_map(const struct os_jit_process *process, char path[OS_JIT_PATH])
{
	char name[NAME_SIZE];

	if (!print_file_name(process, "perf-", ".map", name))
		return -1;
	if (process->running)
		return open_own_map(process, name, path);
	int fd = open_kept(process, name, path);
	return fd >= 0 ? fd : open_named_as_core(process, path);
}

int os_jit_open_kept_dump(const struct os_jit_process *process, char path[OS_JIT_PATH])
{
	char name[NAME_SIZE];

	return print_file_name(process, "jit-", ".dump", name) ? open_kept(process, name, path)
	                                                       : -1;
}

/*
 * Return true if the process that now has this pid started before the recording ended, and owns the
 * file.
 */
static bool is_of_same_process(const struct os_jit_process *process, const struct stat *file,
                               const struct stat *recording)
{
	struct timespec now;
	uint32_t user;
	uint64_t age;

	return clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	       read_process(process->pid, &user, &age) && file->st_uid == user &&
	       now.tv_sec - (int64_t)(age / 1000000000) <= recording->st_mtim.tv_sec;
}

static int open_at_place(const struct os_jit_process *process, const char *place)
{
	struct stat recording, about;

	if (!process->core || stat(process->core, &recording) != 0)
		return -1;
	int fd = open_file(AT_FDCWD, place, O_NOFOLLOW, &about);
	return keep_if(fd, fd >= 0 && is_of_owner(&about, recording.st_uid) &&
	                           (about.st_mtim.tv_sec <= recording.st_mtim.tv_sec + SLACK ||
	                            is_of_same_process(process, &about, &recording)));
}

int os_jit_open_recorded(const struct os_jit_process *process, bool dump, const char *place,
                         char path[OS_JIT_PATH])
{
	int fd = dump ? os_jit_open_kept_dump(process, path) : os_jit_open_map(process, path);

	return fd >= 0 ? fd : open_at_place(process, place);
}

uint64_t os_jit_dump_pid(struct cairn_bytes path)
{
	static const char before[] = "jit-", after[] = ".dump";
	size_t at = path.size, digits = 0;
	uint64_t pid = 0;

	while (at > 0 && path.data[at - 1] != '/')
		at--;
	if (path.size - at < 9 || memcmp(path.data + at, before, 4) != 0)
		return 0;
	for (at += 4; at < path.size && path.data[at] >= '0' && path.data[at] <= '9';
	     at++, digits++)
		pid = digits < DIGITS_MAX ? 10 * pid + (uint64_t)(path.data[at] - '0') : UINT64_MAX;
	return path.size - at == 5 && memcmp(path.data + at, after, 5) == 0 ? pid : 0;
}

/*
 * Return the user whose files are accepted: the core's owner, or the current user if the core is
 * read from a pipe.
 */
static uid_t find_owner(const struct os_jit_process *process)
{
	struct stat core;

	return process->core && stat(process->core, &core) == 0 ? core.st_uid : geteuid();
}

int os_jit_open_dump(const struct os_jit_process *process, struct cairn_bytes mapped,
                     char path[OS_JIT_PATH])
{
	struct stat about;

	path[0] = '\0';
	if (mapped.size >= OS_JIT_PATH - NAME_SIZE || mapped.size == 0 || mapped.data[0] != '/' ||
	    memchr(mapped.data, '\0', mapped.size))
		return -1;
	if (process->running)
		snprintf(path, NAME_SIZE, "/proc/%" PRIu64 "/root", process->pid);
	strncat(path, (const char *)mapped.data, mapped.size);
	int fd = open_file(AT_FDCWD, path, O_NOFOLLOW, &about);
	return keep_if(fd,
	               fd >= 0 && (process->running ? is_own(process, &about)
	                                            : is_of_owner(&about, find_owner(process))));
}

bool os_jit_read(int fd, size_t most, struct cairn_bytes *bytes)
{
	struct stat about;
	size_t done = 0, size = 0;
	uint8_t *data = NULL;

	if (fstat(fd, &about) == 0 && about.st_size > 0) {
		size = (uint64_t)about.st_size < most ? (size_t)about.st_size : most;
		data = malloc(size);
	}
	while (data && done < size) {
		ssize_t got = read(fd, data + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	close(fd);
	*bytes = (struct cairn_bytes){ data, done };
	if (data && done == 0)
		free(data);
	return done > 0;
}

/* Finds a process's JIT code records, for hosts that use only cairn.h. */

static struct cairn_bytes read_path(const char *line, size_t size)
{
	const char *slash = memchr(line, '/', size);

	if (!slash)
		return (struct cairn_bytes){ (const uint8_t *)line, 0 };
	return (struct cairn_bytes){ (const uint8_t *)slash, size - (size_t)(slash - line) };
}

static int open_mapped_dump(const struct os_jit_process *process, const char *maps, char *path)
{
	const uint64_t inner = os_jit_inner_pid(process);

	while (*maps) {
		const size_t size = strcspn(maps, "\n");
		const struct cairn_bytes mapped = read_path(maps, size);
		int fd = os_jit_dump_pid(mapped) == inner ? os_jit_open_dump(process, mapped, path)
		                                          : -1;
		if (fd >= 0)
			return fd;
		maps += size + (maps[size] == '\n');
	}
	return -1;
}

int os_jit_open_running(uint64_t pid, char path[OS_JIT_PATH], bool *dump)
{
	struct os_jit_process process = { .pid = pid, .running = true };
	struct os_process open;
	size_t size;

	if (os_process_open(pid, &open) != 0)
		return -1;
	char *maps = os_process_text(&open, "maps", &size);
	os_process_close(&open);
	int fd = maps ? open_mapped_dump(&process, maps, path) : -1;
	free(maps);
	*dump = fd >= 0;
	return fd >= 0 ? fd : os_jit_open_map(&process, path);
}

static int open_of_core(const struct os_jit_process *process, char *path, bool *dump)
{
	int fd = os_jit_open_kept_dump(process, path);

	*dump = fd >= 0;
	return fd >= 0 ? fd : os_jit_open_map(process, path);
}

enum cairn_status cairn_made_code_read(const struct cairn_made_code_process *of,
                                       struct cairn_made_code *file, struct cairn_error *error)
{
	struct os_jit_process process = { .pid = of->pid,
		                          .running = of->running,
		                          .directories = of->directories,
		                          .core = of->core };
	bool dump;
	file->bytes = (struct cairn_bytes){ NULL, 0 };
	file->path[0] = '\0';
	int fd = of->running ? os_jit_open_running(of->pid, file->path, &dump)
	                     : open_of_core(&process, file->path, &dump);

	if (fd < 0)
		return error_set(error, CAIRN_NOT_FOUND, NULL,
		                 "the process has neither a perf map nor a jitdump");
	file->pid = os_jit_inner_pid(&process);
	if (os_jit_read(fd, dump ? OS_JIT_DUMP_MAX : OS_JIT_MAP_MAX, &file->bytes))
		return CAIRN_OK;
	return error_set(error, CAIRN_UNREADABLE, file->path, "cannot be read");
}

void cairn_made_code_free(struct cairn_made_code *file)
{
	free((void *)(uintptr_t)file->bytes.data);
	file->bytes = (struct cairn_bytes){ NULL, 0 };
}
