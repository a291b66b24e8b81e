/* SPDX-License-Identifier: MIT */
/* Finds perf maps and jitdumps, and decides which of them count. */
#include "jit_file.h"

#include "process.h"

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
	SLACK = 2, /* seconds: the clock of files runs behind, and starts are counted in ticks */
	DIGITS_MAX = 10,
};

/* The last number of NSpid. */
uint64_t os_jit_inner_pid(const struct os_jit_process *process)
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

/* As of now: one that was read before would make the process younger than it is. 0: not known. */
static uint64_t read_age(uint64_t pid)
{
	struct os_process process;

	if (os_process_open(pid, &process) != 0)
		return 0;
	const uint64_t age = os_process_age(&process);
	os_process_close(&process);
	return age;
}

/* Is it the process's own, and not of an earlier process with this number? */
static bool is_own(const struct os_jit_process *process, const struct stat *file)
{
	char path[NAME_SIZE];
	struct timespec now;
	struct stat owner;

	snprintf(path, sizeof(path), "/proc/%" PRIu64, process->pid);
	if (stat(path, &owner) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	/* after the clock: time that goes by between the two makes the process older */
	const int64_t age = (int64_t)(read_age(process->pid) / 1000000000);
	return (file->st_uid == owner.st_uid || file->st_uid == 0) &&
	       file->st_mtim.tv_sec >= now.tv_sec - age - SLACK;
}

/* The descriptor, if the file counts: `given`, because the user has named its folder. */
static int check_file(const struct os_jit_process *process, int fd, bool given)
{
	struct stat about;

	if (fd < 0)
		return -1;
	bool counts = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
	if (counts && process->running)
		counts = is_own(process, &about);
	else if (counts && !given)
		counts = about.st_uid == geteuid() || about.st_uid == 0;
	if (counts)
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

/* The first of that name in the folders that were given. */
static int open_given(const struct os_jit_process *process, const char *name,
                      char path[OS_JIT_PATH])
{
	const char *at = process->directories;

	while (at && *at) {
		const size_t length = strcspn(at, ":");
		int written = snprintf(path, OS_JIT_PATH, "%.*s/%s", (int)length, at, name);
		int fd = written > 0 && written < OS_JIT_PATH
		                 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
		                 : -1;
		fd = check_file(process, fd, true);
		if (fd >= 0)
			return fd;
		at += length + (at[length] == ':');
	}
	return -1;
}

/* Was it written by whom the core belongs to, or root, and not after the core? */
static bool is_of_core(const struct stat *core, int fd)
{
	struct stat about;

	return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
	       (about.st_uid == core->st_uid || about.st_uid == 0) &&
	       about.st_mtim.tv_sec <= core->st_mtim.tv_sec + SLACK;
}

/* The file whose path is as much of the core's, and what follows. */
static int open_like_core(const char *core, size_t length, const char *name, char path[OS_JIT_PATH])
{
	struct stat about;

	if (length > OS_JIT_PATH - NAME_SIZE || stat(core, &about) != 0)
		return -1;
	snprintf(path, OS_JIT_PATH, "%.*s%s", (int)length, core, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || is_of_core(&about, fd))
		return fd;
	close(fd);
	return -1;
}

static size_t find_file_name(const char *core)
{
	const char *slash = strrchr(core, '/');

	return slash ? (size_t)(slash - core) + 1 : 0;
}

static int open_beside_core(const struct os_jit_process *process, const char *name,
                            char path[OS_JIT_PATH])
{
	const char *core = process->core ? process->core : "";

	return open_like_core(core, find_file_name(core), name, path);
}

/* "NAME.perf-map" beside "NAME.core" or "NAME.core.zst", as `cairn crash` keeps it. */
static int open_named_as_core(const struct os_jit_process *process, char path[OS_JIT_PATH])
{
	const char *core = process->core ? process->core : "";
	const size_t start = find_file_name(core);
	const char *end = strstr(core + start, ".core");

	return end ? open_like_core(core, (size_t)(end - core), ".perf-map", path) : -1;
}

static int open_kept(const struct os_jit_process *process, const char *name, char path[OS_JIT_PATH])
{
	int fd = open_given(process, name, path);

	return fd >= 0 ? fd : open_beside_core(process, name, path);
}

/* Of a running process, in its own /tmp. */
static int open_own_map(const struct os_jit_process *process, const char *name,
                        char path[OS_JIT_PATH])
{
	snprintf(path, OS_JIT_PATH, "/proc/%" PRIu64 "/root/tmp", process->pid);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -1;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(folder);
	strcat(path, "/");
	strcat(path, name);
	return check_file(process, fd, false);
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

int os_jit_open_dump(const struct os_jit_process *process, struct cairn_bytes mapped,
                     char path[OS_JIT_PATH])
{
	path[0] = '\0';
	if (mapped.size >= OS_JIT_PATH - NAME_SIZE || mapped.size == 0 || mapped.data[0] != '/' ||
	    memchr(mapped.data, '\0', mapped.size))
		return -1;
	if (process->running)
		snprintf(path, NAME_SIZE, "/proc/%" PRIu64 "/root", process->pid);
	strncat(path, (const char *)mapped.data, mapped.size);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return check_file(process, fd, false);
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
