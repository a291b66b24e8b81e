/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
/*
 * Creates files in the directories of reports, cores and minidumps. Their names are
 *
 *	"crash-" time "-u" user "-p" process [ "-" number ] ( ".json" | ".core" | ".core.zst" | ".perf-map" | ".dmp" )
 */
#include "store.h"

#include "os/file/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	SAME_NAMES_MAX = 1000, /* crashes with the same PID in the same second */
	COPY_ROOM = 1 << 16,
	NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
};

/*
 * Check that other users cannot plant files in the directory: it must belong to us (or to root,
 * unless it is the last component), and be writable by others only if it is sticky and not the last
 * component.
 */
static int judge_folder(int folder, bool last)
{
	struct stat about;

	if (fstat(folder, &about) != 0)
		return errno;
	if (about.st_uid != geteuid() && (about.st_uid != 0 || last))
		return EPERM;
	if ((about.st_mode & (S_IWGRP | S_IWOTH)) && (last || !(about.st_mode & S_ISVTX)))
		return EPERM;
	return 0;
}

/* Replace *folder by its entry `name`, and close the old descriptor. */
static int enter_folder(int *folder, const char *name, bool last)
{
	int next = openat(*folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = next < 0 ? errno : judge_folder(next, last);

	close(*folder);
	*folder = next;
	if (error != 0 && next >= 0)
		close(next);
	return error;
}

int crash_store_folder(const char *path, int *folder)
{
	char part[NAME_MAX + 1];
	int error = 0;

	*folder = open(path[0] == '/' ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*folder < 0)
		return errno;
	path += strspn(path, "/");
	while (*path && error == 0) {
		size_t length = strcspn(path, "/"), slashes = strspn(path + length, "/");
		if (length >= sizeof(part)) {
			close(*folder);
			return ENAMETOOLONG;
		}
		memcpy(part, path, length);
		part[length] = '\0';
		path += length + slashes;
		error = enter_folder(folder, part, *path == '\0');
	}
	return error;
}

static int write_text(int fd, const char *text)
{
	return os_write_all(fd, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

/* Set group and mode, regardless of the umask. */
static int set_access(const struct crash_store *store, int fd)
{
	if (fchown(fd, (uid_t)-1, store->group) != 0 && geteuid() == 0)
		return errno;
	return fchmod(fd, store->mode) == 0 ? 0 : errno;
}

static int make_report(struct crash_store *store, const char *text)
{
	int fd = openat(store->reports, store->name, NEW, 0600);

	if (fd < 0)
		return errno;
	int error = write_text(fd, text);
	if (error == 0)
		error = set_access(store, fd);
	error = os_close_written(fd, error);
	if (error != 0)
		unlinkat(store->reports, store->name, 0);
	return error;
}

int crash_store_begin(struct crash_store *store, uint64_t time, uint64_t pid, const char *text)
{
	const time_t seconds = (time_t)time;
	struct tm when = { .tm_mday = 1 };
	char date[32];
	int error = EEXIST;

	gmtime_r(&seconds, &when);
	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", &when);
	for (unsigned i = 0; error == EEXIST && i < SAME_NAMES_MAX; i++) {
		char number[16] = "";
		if (i > 0)
			snprintf(number, sizeof(number), "-%u", i);
		int size =
			snprintf(store->name, sizeof(store->name), "crash-%s-u%llu-p%llu%s", date,
		                 (unsigned long long)store->user, (unsigned long long)pid, number);
		store->stem = (size_t)size;
		snprintf(store->name + size, sizeof(store->name) - store->stem, ".json");
		error = make_report(store, text);
	}
	return error;
}

static int copy_content(int from, int to, off_t closing)
{
	static char buffer[COPY_ROOM];
	struct stat about;
	int error = 0;

	if (fstat(from, &about) != 0 || about.st_size <= closing)
		return ENODATA;
	for (off_t at = 0, left; error == 0 && (left = about.st_size - closing - at) > 0;) {
		size_t size = left < COPY_ROOM ? (size_t)left : COPY_ROOM;
		ssize_t got = pread(from, buffer, size, at);
		if (got <= 0)
			return got < 0 ? errno : ENODATA;
		error = os_write_all(to,
		                     (struct cairn_bytes){ (const uint8_t *)buffer, (size_t)got });
		at += got;
	}
	return error;
}

static void name_temporary(char name[NAME_ROOM], const char *what)
{
	snprintf(name, NAME_ROOM, ".crash-%s-%ld", what, (long)getpid());
}

/*
 * Create a file. An existing file of the same name is a leftover of an earlier process with our
 * PID, so it is replaced.
 */
static int make_temporary(int folder, const char *name, int *fd)
{
	*fd = openat(folder, name, NEW, 0600);
	if (*fd < 0 && errno == EEXIST && unlinkat(folder, name, 0) == 0)
		*fd = openat(folder, name, NEW, 0600);
	return *fd < 0 ? errno : 0;
}

int crash_store_finish(const struct crash_store *store, int content, const char *end)
{
	/* the object's end is replaced by more keys */
	static const off_t closing = sizeof("}\n") - 1;
	char temporary[NAME_ROOM];
	int fd, error;

	name_temporary(temporary, "report");
	error = make_temporary(store->reports, temporary, &fd);
	if (error != 0)
		return error;
	error = copy_content(content, fd, closing);
	if (error == 0)
		error = write_text(fd, end);
	if (error == 0)
		error = set_access(store, fd);
	error = os_close_written(fd, error);
	if (error == 0 && renameat(store->reports, temporary, store->reports, store->name) != 0)
		error = errno;
	if (error != 0)
		unlinkat(store->reports, temporary, 0);
	return error;
}

/* Overwrite the file in place, because a full disk may not have space for another one. */
int crash_store_amend(const struct crash_store *store, const char *text)
{
	int fd = openat(store->reports, store->name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno;
	int error = write_text(fd, text);
	if (error == 0 && ftruncate(fd, (off_t)strlen(text)) != 0)
		error = errno;
	return os_close_written(fd, error);
}

int crash_store_file(const struct crash_store *store, int folder, char temporary[NAME_ROOM],
                     int *file)
{
	name_temporary(temporary, "core");
	int error = make_temporary(folder, temporary, file);
	if (error != 0)
		return error;
	error = set_access(store, *file);
	if (error != 0) {
		close(*file);
		unlinkat(folder, temporary, 0);
	}
	return error;
}

/* Use link(), which fails if the name exists; rename() would replace the file. */
int crash_store_keep(const struct crash_store *store, int folder, const char *temporary,
                     const char *ending, char name[NAME_ROOM])
{
	int size = snprintf(name, NAME_ROOM, "%.*s%s", (int)store->stem, store->name, ending);
	int error = size < 0 || size >= NAME_ROOM || linkat(folder, temporary, folder, name, 0) != 0
	                    ? errno
	                    : 0;

	unlinkat(folder, temporary, 0);
	return error;
}

void crash_store_drop(int folder, const char *temporary)
{
	unlinkat(folder, temporary, 0);
}

static int take_time_of(int folder, const char *name, int fd)
{
	struct stat about;

	if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
		return errno;
	const struct timespec times[2] = { about.st_mtim, about.st_mtim };
	return futimens(fd, times) == 0 ? 0 : errno;
}

int crash_store_copy(const struct crash_store *store, int folder, int content, const char *ending,
                     const char *as, char name[NAME_ROOM])
{
	char temporary[NAME_ROOM];
	int fd;

	name[0] = '\0';
	int error = crash_store_file(store, folder, temporary, &fd);
	if (error != 0)
		return error;
	error = copy_content(content, fd, 0);
	if (error == 0 && as)
		error = take_time_of(folder, as, fd);
	error = os_close_written(fd, error);
	if (error == 0)
		return crash_store_keep(store, folder, temporary, ending, name);
	crash_store_drop(folder, temporary);
	return error;
}
