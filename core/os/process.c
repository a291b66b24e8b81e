/* SPDX-License-Identifier: MIT */
/*
 * Reads a process's directory in /proc, opens the files that the process has mapped, and measures
 * the resources that the current process uses.
 */
#define _GNU_SOURCE /* struct rusage with times */
#include "process.h"

#include "base/memory.h"
#include "base/sort.h"
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST_TEXT = 4096,
	/*
	 * number of the field in /proc/PID/stat (counted from 1) that contains the start time, in
	 * ticks since boot
	 */
	STARTED_FIELD = 22,
};

static int open_directory(uint64_t id)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu64, id);
	/* /proc may be that of another PID namespace, where this number is another process */
	return open(id == (uint64_t)getpid() ? "/proc/self" : path,
	            O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_living_thread(const struct os_process *process, uint64_t pid)
{
	static const char key[] = "\nTgid:\t";
	size_t size;
	char *text = os_process_text(process, "status", &size);
	const char *at = text ? strstr(text, key) : NULL;
	const bool is_of_process = at && strtoull(at + sizeof(key) - 1, NULL, 10) == pid;

	free(text);
	return is_of_process && os_process_is_alive(process);
}

/*
 * Switch to another thread's directory if the main thread has exited, for example through
 * pthread_exit() in main(). The process's own directory then gives access to neither memory nor
 * mappings.
 */
static void move_to_living_thread(struct os_process *process)
{
	size_t count;
	uint64_t *tids = os_process_threads(process, &count);

	for (size_t i = 0; i < count; i++) {
		const struct os_process other = { process->pid, tids[i], open_directory(tids[i]),
			                          -1 };
		if (other.directory < 0)
			continue;
		if (is_living_thread(&other, process->pid)) {
			close(process->directory);
			*process = other;
			break;
		}
		close(other.directory);
	}
	free(tids);
}

int os_process_open(uint64_t pid, struct os_process *process)
{
	if (pid == 0 || pid > INT32_MAX)
		return ESRCH;
	int directory = open_directory(pid);
	if (directory < 0)
		return errno == ENOENT ? ESRCH : errno;
	*process = (struct os_process){ pid, pid, directory, -1 };
	if (!os_process_is_alive(process))
		move_to_living_thread(process);
	process->memory = openat(process->directory, "mem", O_RDONLY | O_CLOEXEC);
	return 0;
}

void os_process_close(struct os_process *process)
{
	if (process->memory >= 0)
		close(process->memory);
	close(process->directory);
}

static bool read_all(int fd, char **text, size_t *size)
{
	size_t capacity = 0;

	for (ssize_t got = 1; got != 0; *size += (size_t)(got > 0 ? got : 0)) {
		if (*size > OS_PROCESS_TEXT_MAX ||
		    !array_grow_from(text, &capacity, *size + FIRST_TEXT + 1, 1, 2 * FIRST_TEXT))
			return false;
		got = read(fd, *text + *size, capacity - *size - 1);
		if (got < 0 && errno != EINTR)
			return false;
	}
	(*text)[*size] = '\0';
	return true;
}

char *os_process_text(const struct os_process *process, const char *name, size_t *size)
{
	int fd = openat(process->directory, name, O_RDONLY | O_CLOEXEC);
	char *text = NULL;

	*size = 0;
	if (fd < 0)
		return NULL;
	if (!read_all(fd, &text, size)) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}

bool os_process_link(const struct os_process *process, const char *name, char *path,
                     size_t capacity)
{
	ssize_t size = readlinkat(process->directory, name, path, capacity - 1);

	if (size < 0 || (size_t)size >= capacity - 1)
		return false;
	path[size] = '\0';
	return true;
}

bool os_process_read(const struct os_process *process, uint64_t address, void *buffer, size_t size)
{
	uint8_t *out = buffer;

	while (size > 0 && process->memory >= 0 && address <= INT64_MAX) {
		ssize_t got = pread(process->memory, out, size, (off_t)address);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		if (got <= 0)
			continue;
		out += got;
		address += (uint64_t)got;
		size -= (size_t)got;
	}
	return size == 0;
}

uint64_t *os_process_threads(const struct os_process *process, size_t *count)
{
	int fd = openat(process->directory, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	uint64_t *tids = NULL;
	struct dirent *entry;
	size_t capacity = 0;

	*count = 0;
	if (!directory && fd >= 0)
		close(fd);
	while (directory && *count < OS_PROCESS_THREADS_MAX && (entry = readdir(directory))) {
		uint64_t tid = strtoull(entry->d_name, NULL, 10);
		if (tid == 0)
			continue;
		if (!array_grow(&tids, &capacity, *count + 1, sizeof(*tids)))
			break;
		tids[(*count)++] = tid;
	}
	if (directory)
		closedir(directory);
	return tids;
}

/*
 * Return the fields after the program name, which is in parentheses and may contain any character.
 */
static const char *stat_fields(const char *text)
{
	const char *end = strrchr(text, ')');

	return end ? end + 1 : "";
}

bool os_process_is_alive(const struct os_process *process)
{
	size_t size;
	char *text = os_process_text(process, "stat", &size);
	const char *fields = text ? stat_fields(text) : "";
	bool alive = fields[0] == ' ' && fields[1] != 'Z' && fields[1] != 'X';

	free(text);
	return alive;
}

/* The line "Uid:" lists the real, effective, saved and file system user IDs. */
bool os_process_user(const struct os_process *process, uint32_t *user)
{
	static const char key[] = "\nUid:";
	size_t size;
	char *text = os_process_text(process, "status", &size);
	char *at = text ? strstr(text, key) : NULL;
	uint64_t id[4] = { 0 };
	unsigned count = 0;

	for (at = at ? at + sizeof(key) - 1 : NULL; at && *at == '\t' && count < 4; count++)
		id[count] = strtoull(at + 1, &at, 10);
	free(text);
	*user = (uint32_t)id[0];
	return count == 4 && id[1] == id[0] && id[2] == id[0] && id[3] == id[0];
}

uint64_t os_process_age(const struct os_process *process)
{
	struct timespec now = { 0, 0 };
	long ticks = sysconf(_SC_CLK_TCK);
	size_t size;
	char *text = os_process_text(process, "stat", &size), *rest = NULL;
	const char *fields = text ? stat_fields(text) : "";

	for (int field = 3; field < STARTED_FIELD && *fields; field++)
		fields += 1 + strcspn(fields + 1, " ");
	uint64_t started = strtoull(fields, &rest, 10);
	bool known = rest != fields && ticks > 0 && clock_gettime(CLOCK_BOOTTIME, &now) == 0;
	free(text);
	if (!known)
		return 0;
	uint64_t age = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	uint64_t start = started / (uint64_t)ticks * 1000000000 +
	                 started % (uint64_t)ticks * (1000000000 / (uint64_t)ticks);
	return age > start ? age - start : 0;
}

struct collection {
	struct os_mapped_file *files;
	size_t count, descriptors, looks;
	/*
	 * The file that was examined last, and its descriptor. Adjacent mappings mostly belong to
	 * one file, which is then examined only once.
	 */
	dev_t device;
	ino_t inode;
	int fd; /* -1 if the file is not ELF */
};

static bool parse_range(const char *name, struct os_mapped_file *file)
{
	char *end;

	file->low = strtoull(name, &end, 16);
	if (end == name || *end != '-')
		return false;
	name = end + 1;
	file->high = strtoull(name, &end, 16);
	return end != name && *end == '\0' && file->low < file->high;
}

static bool begins_as_elf(int fd)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F' };
	char start[sizeof(magic)];

	return pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
	       memcmp(start, magic, sizeof(start)) == 0;
}

static int open_elf(int directory, const char *name)
{
	struct stat about;
	int fd;

	if (os_regular_open(directory, name, 0, &about, &fd) != 0)
		return -1;
	if (begins_as_elf(fd))
		return fd;
	close(fd);
	return -1;
}

static void take_entry(struct collection *all, int directory, const char *name)
{
	struct os_mapped_file file;
	struct stat about;

	if (!parse_range(name, &file) || fstatat(directory, name, &about, 0) != 0)
		return;
	all->looks++;
	if (about.st_dev != all->device || about.st_ino != all->inode) {
		all->device = about.st_dev;
		all->inode = about.st_ino;
		all->fd = all->descriptors < OS_MAPPED_DESCRIPTORS_MAX ? open_elf(directory, name)
		                                                       : -1;
		all->descriptors += all->fd >= 0;
	}
	file.fd = all->fd;
	if (file.fd >= 0)
		all->files[all->count++] = file;
}

size_t os_mapped_files(const struct os_process *process,
                       struct os_mapped_file files[OS_MAPPED_FILES_MAX])
{
	int fd = openat(process->directory, "map_files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct collection all = { .files = files, .fd = -1 };
	struct dirent *entry;

	if (!directory && fd >= 0)
		close(fd);
	while (directory && all.count < OS_MAPPED_FILES_MAX && all.looks < OS_MAPPED_LOOKS_MAX &&
	       (entry = readdir(directory)))
		take_entry(&all, fd, entry->d_name);
	if (directory)
		closedir(directory);
	SORT_BY_FIRST(files, all.count, low);
	return all.count;
}

int os_mapped_file_at(const struct os_mapped_file *files, size_t count, uint64_t address)
{
	const size_t next = SORTED_UP_TO(files, count, low, address);

	return next > 0 && address < files[next - 1].high ? files[next - 1].fd : -1;
}

int os_process_root(const struct os_process *process)
{
	return openat(process->directory, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int os_open_below(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	struct stat about;
	int handle = (int)syscall(SYS_openat2, root, path, &how, sizeof(how)), fd = -1;

	if (handle < 0)
		return -1;
	int error = os_regular_reopen(handle, &about, &fd);
	close(handle);
	return error ? -1 : fd;
}

int own_use_open(void)
{
	return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

uint64_t own_use_memory(int file)
{
	char text[128];
	unsigned long pages;
	const ssize_t size = pread(file, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	return sscanf(text, "%*u %lu", &pages) == 1
	               ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE)
	               : 0;
}

double own_use_processor(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) != 0)
		return 0;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}
