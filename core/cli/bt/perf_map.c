/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a process has made (JIT), from the perf map that it writes: of a running one perf-PID.map in its
 * own /tmp, where PID is its number in its own namespace. Anybody may put a file there: it counts when it is a
 * regular file of the process's user or root, and was written since the process began. Of a core only the folders
 * that the user names are searched, because nothing tells whether another process had the number later.
 */
#include "bt.h"

#include "base/array_grow.h"
#include "formats/perfmap/perfmap.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	MAP_MAX = 64 << 20, /* bytes that are read: a million names */
	STATUS_MAX = 4096,
	PATH_SIZE = 64,
	SLACK = 2, /* seconds: the clock of files runs behind, and starts are counted in ticks */
};

/* The number that the process has for itself: the last of NSpid. */
static unsigned long long find_inner_pid(unsigned long long pid)
{
	char path[PATH_SIZE], text[STATUS_MAX + 1];
	unsigned long long inner = pid;

	snprintf(path, sizeof(path), "/proc/%llu/status", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return pid;
	text[fread(text, 1, STATUS_MAX, file)] = '\0';
	fclose(file);
	char *at = strstr(text, "\nNSpid:");
	for (at = at ? at + 7 : NULL; at && *at == '\t';) {
		inner = strtoull(at + 1, &at, 10);
	}
	return inner ? inner : pid;
}

/* Is it the process's own, and not of an earlier process with this number? */
bool bt_is_own_file(const struct bt *bt, const struct stat *file)
{
	char path[PATH_SIZE];
	struct timespec now;
	struct stat process;

	snprintf(path, sizeof(path), "/proc/%llu", (unsigned long long)bt->snapshot.pid);
	if (!S_ISREG(file->st_mode) || stat(path, &process) != 0 ||
	    clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	const int64_t age = (int64_t)(bt->snapshot.running_nanoseconds / 1000000000);
	return (file->st_uid == process.st_uid || file->st_uid == 0) && age > 0 - SLACK &&
	       file->st_mtim.tv_sec >= now.tv_sec - age - SLACK && file->st_size > 0;
}

/* The descriptor of the map; -1: there is none that counts. No link is followed. */
static int open_map(const struct bt *bt, size_t *size)
{
	unsigned long long pid = bt->snapshot.pid;
	char path[PATH_SIZE];
	struct stat about;

	snprintf(path, sizeof(path), "/proc/%llu/root/tmp", pid);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -1;
	snprintf(path, sizeof(path), "perf-%llu.map", find_inner_pid(pid));
	int fd = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(folder);
	if (fd >= 0 && (fstat(fd, &about) != 0 || !bt_is_own_file(bt, &about))) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		*size = about.st_size < MAP_MAX ? (size_t)about.st_size : MAP_MAX;
	return fd;
}

/* Of a core, in the folders that were given: its perf-PID.map; -1: there is none. */
static int open_given_map(const struct bt *bt, size_t *size)
{
	const char *at = bt->options.directories;
	char path[SYMBOL_PATH_MAX];
	struct stat about;

	while (at && *at) {
		const size_t length = strcspn(at, ":");
		int written = snprintf(path, sizeof(path), "%.*s/perf-%" PRIu64 ".map", (int)length,
		                       at, bt->snapshot.pid);
		int fd = written > 0 && (size_t)written < sizeof(path)
		                 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
		                 : -1;
		if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
		    about.st_size > 0) {
			*size = about.st_size < MAP_MAX ? (size_t)about.st_size : MAP_MAX;
			return fd;
		}
		if (fd >= 0)
			close(fd);
		at += length + (at[length] == ':');
	}
	return -1;
}

static int compare_entries(const void *left, const void *right)
{
	const struct bt_perf_name *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void sort_names(struct bt_perf_map *perf, size_t size)
{
	struct perfmap map = perfmap_open((struct cairn_bytes){ perf->text, size });
	struct perfmap_entry entry;

	while (perfmap_next(&map, &entry)) {
		if (!array_grow(&perf->names, &perf->room, perf->count + 1, sizeof(*perf->names)))
			break;
		perf->names[perf->count] =
			(struct bt_perf_name){ entry.start, entry.size, perf->count, entry.name };
		perf->count++;
	}
	if (perf->count > 0)
		qsort(perf->names, perf->count, sizeof(*perf->names), compare_entries);
}

static void read_map(struct bt *bt)
{
	struct bt_perf_map *perf = &bt->perf;
	size_t size = 0, done = 0;

	perf->looked = true;
	int fd = bt->snapshot.kind == SNAPSHOT_PROCESS ? open_map(bt, &size)
	                                               : open_given_map(bt, &size);
	if (fd < 0)
		return;
	perf->text = malloc(size);
	while (perf->text && done < size) {
		ssize_t got = read(fd, perf->text + done, size - done);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	close(fd);
	if (perf->text)
		sort_names(perf, done);
}

bool bt_find_perf_name(struct bt *bt, uint64_t pc, struct cairn_location *location)
{
	size_t low = 0, high;

	if (!bt->perf.looked)
		read_map(bt);
	for (high = bt->perf.count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (bt->perf.names[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	/* of several that begin there the last one is what is there now */
	const struct bt_perf_name *name = low > 0 ? &bt->perf.names[low - 1] : NULL;
	if (!name || pc - name->start >= name->size)
		return false;
	*location = (struct cairn_location){ .function = name->name,
		                             .start = name->start,
		                             .offset = pc - name->start };
	return true;
}

void bt_close_perf_map(struct bt_perf_map *perf)
{
	free(perf->names);
	free(perf->text);
}
