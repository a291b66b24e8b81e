/* SPDX-License-Identifier: MIT */
/* Creates the files with reports, cores and minidumps, and limits their number and size. */
#define _XOPEN_SOURCE 700
#include "store.h"

#include "os/write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Names of the files with reports, cores and minidumps:
 *
 *	"crash-" TIME "-u" USER "-p" PROCESS [ "-" NUMBER ] ( ".json" | ".core" | ".core.zst" | ".perf-map" | ".dmp" )
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	SAME_NAMES_MAX = 1000, /* maximum number of crashes with the same PID in one second */
	COPY_CAPACITY = 1 << 16,
	NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
};

/*
 * Check that no other user can create files in the directory. It must belong to us or, unless it is
 * the last component of the path, to root. Other users may have write access only to a sticky
 * directory that is not the last component.
 */
static int judge_directory(int directory, bool last)
{
	struct stat about;

	if (fstat(directory, &about) != 0)
		return errno;
	if (about.st_uid != geteuid() && (about.st_uid != 0 || last))
		return EPERM;
	if ((about.st_mode & (S_IWGRP | S_IWOTH)) && (last || !(about.st_mode & S_ISVTX)))
		return EPERM;
	return 0;
}

/* Replace *directory with its entry `name`, and close the old descriptor. */
static int enter_directory(int *directory, const char *name, bool last)
{
	int next = openat(*directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = next < 0 ? errno : judge_directory(next, last);

	close(*directory);
	*directory = next;
	if (error != 0 && next >= 0)
		close(next);
	return error;
}

int crash_store_directory(const char *path, int *directory)
{
	char part[NAME_MAX + 1];
	int error = 0;

	*directory = open(path[0] == '/' ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*directory < 0)
		return errno;
	path += strspn(path, "/");
	while (*path && error == 0) {
		size_t length = strcspn(path, "/"), slashes = strspn(path + length, "/");
		if (length >= sizeof(part)) {
			close(*directory);
			return ENAMETOOLONG;
		}
		memcpy(part, path, length);
		part[length] = '\0';
		path += length + slashes;
		error = enter_directory(directory, part, *path == '\0');
	}
	return error;
}

static int write_text(int fd, const char *text)
{
	return os_write_all(fd, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

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
	static char buffer[COPY_CAPACITY];
	struct stat about;
	int error = 0;

	if (fstat(from, &about) != 0 || about.st_size <= closing)
		return ENODATA;
	for (off_t at = 0, left; error == 0 && (left = about.st_size - closing - at) > 0;) {
		size_t size = left < COPY_CAPACITY ? (size_t)left : COPY_CAPACITY;
		ssize_t got = pread(from, buffer, size, at);
		if (got <= 0)
			return got < 0 ? errno : ENODATA;
		error = os_write_all(to,
		                     (struct cairn_bytes){ (const uint8_t *)buffer, (size_t)got });
		at += got;
	}
	return error;
}

static void name_temporary(char name[NAME_CAPACITY], const char *what)
{
	snprintf(name, NAME_CAPACITY, ".crash-%s-%ld", what, (long)getpid());
}

/*
 * Create a temporary file. If a file with this name exists, an earlier process with our PID has
 * left it behind, so replace it.
 */
static int make_temporary(int directory, const char *name, int *fd)
{
	*fd = openat(directory, name, NEW, 0600);
	if (*fd < 0 && errno == EEXIST && unlinkat(directory, name, 0) == 0)
		*fd = openat(directory, name, NEW, 0600);
	return *fd < 0 ? errno : 0;
}

int crash_store_finish(const struct crash_store *store, int content, const char *end)
{
	/* size of the report's last bytes, which are replaced with further members */
	static const off_t closing = sizeof("}\n") - 1;
	char temporary[NAME_CAPACITY];
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

/* Overwrites the file in place, because a full disk may have no space for a second one. */
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

int crash_store_file(const struct crash_store *store, int directory, char temporary[NAME_CAPACITY],
                     int *file)
{
	name_temporary(temporary, "core");
	int error = make_temporary(directory, temporary, file);
	if (error != 0)
		return error;
	error = set_access(store, *file);
	if (error != 0) {
		close(*file);
		unlinkat(directory, temporary, 0);
	}
	return error;
}

/* Uses link(), which fails if the name exists, whereas rename() would replace the file. */
int crash_store_keep(const struct crash_store *store, int directory, const char *temporary,
                     const char *ending, char name[NAME_CAPACITY])
{
	int size = snprintf(name, NAME_CAPACITY, "%.*s%s", (int)store->stem, store->name, ending);
	int error = size < 0 || size >= NAME_CAPACITY ||
	                            linkat(directory, temporary, directory, name, 0) != 0
	                    ? errno
	                    : 0;

	unlinkat(directory, temporary, 0);
	return error;
}

void crash_store_drop(int directory, const char *temporary)
{
	unlinkat(directory, temporary, 0);
}

static int take_time_of(int directory, const char *name, int fd)
{
	struct stat about;

	if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
		return errno;
	const struct timespec times[2] = { about.st_mtim, about.st_mtim };
	return futimens(fd, times) == 0 ? 0 : errno;
}

int crash_store_copy(const struct crash_store *store, int directory, int content,
                     const char *ending, const char *as, char name[NAME_CAPACITY])
{
	char temporary[NAME_CAPACITY];
	int fd;

	name[0] = '\0';
	int error = crash_store_file(store, directory, temporary, &fd);
	if (error != 0)
		return error;
	error = copy_content(content, fd, 0);
	if (error == 0 && as)
		error = take_time_of(directory, as, fd);
	error = os_close_written(fd, error);
	if (error == 0)
		return crash_store_keep(store, directory, temporary, ending, name);
	crash_store_drop(directory, temporary);
	return error;
}

/*
 * Limits how many reports each user can create per minute, and how much each directory keeps. The
 * oldest file of the user with the most bytes is deleted first, so a user who causes endless
 * crashes only loses their own files.
 */

enum {
	LOCK_TRIES = 500,
	LOCK_PAUSE = 10 * 1000 * 1000,
	BUCKETS = 256, /* users whose UIDs are equal modulo this number share a bucket */
	FILES_MAX = 1 << 16,
	BLOCK = 512, /* unit of st_blocks */
	/* minimum bytes to count per file, because even an empty file occupies an inode */
	BLOCK_LEAST = 4096,
	/*
	 * maximum number of files to delete at a time; the next run of the crash handler deletes
	 * the rest
	 */
	REMOVED_MAX = 1000,
	STALE_SECONDS = 60 * 60,
};

static const uint64_t minute = 60 * (uint64_t)1000000000;
int crash_store_lock(const struct crash_store *store)
{
	const struct timespec pause = { 0, LOCK_PAUSE };
	int fd = openat(store->reports, ".crash-lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
	                0600);

	for (unsigned i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Leaky bucket of one user. `used` is in nanoseconds: each report adds a minute divided by the
 * rate, and elapsed time is subtracted.
 */
struct bucket {
	uint64_t at, used;
};

bool crash_store_allows(const struct crash_store *store, int lock, uint64_t rate, uint64_t now)
{
	const off_t place = (off_t)(store->user % BUCKETS * sizeof(struct bucket));
	struct bucket bucket = { 0, 0 };

	if (rate == 0)
		return true;
	if (pread(lock, &bucket, sizeof(bucket), place) != (ssize_t)sizeof(bucket))
		bucket = (struct bucket){ 0, 0 };
	uint64_t gone = now > bucket.at ? now - bucket.at : 0;
	if (bucket.at > now) /* the system was rebooted, so CLOCK_BOOTTIME has restarted */
		bucket.used = 0;
	bucket.used = bucket.used > gone ? bucket.used - gone : 0;
	bucket.at = now;
	const uint64_t cost = minute / rate;
	if (bucket.used > minute - cost)
		return false;
	bucket.used += cost;
	/*
	 * If the disk is full, the bucket cannot be stored. Allow the report all the same, because
	 * trimming frees space.
	 */
	ssize_t wrote = pwrite(lock, &bucket, sizeof(bucket), place);
	return wrote == (ssize_t)sizeof(bucket) || errno == ENOSPC;
}

struct kept_file {
	char name[NAME_CAPACITY];
	uint64_t user, bytes;
	struct timespec time;
	bool gone;
};

struct kept_files {
	struct kept_file *file;
	size_t count, left;
	uint64_t bytes;
};

static bool parse_name(const char *name, uint64_t *user)
{
	static const char prefix[] = "crash-";
	const char *at = strstr(name, "-u");

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 || strlen(name) >= NAME_CAPACITY || !at)
		return false;
	*user = strtoull(at + 2, NULL, 10);
	return true;
}

static void take_kept(struct kept_files *all, int directory, const char *name)
{
	struct kept_file *file = &all->file[all->count];
	struct stat about;

	if (!parse_name(name, &file->user) ||
	    fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
		return;
	memcpy(file->name, name, strlen(name) + 1);
	file->bytes = (uint64_t)about.st_blocks * BLOCK;
	file->bytes = file->bytes > BLOCK_LEAST ? file->bytes : BLOCK_LEAST;
	file->time = about.st_mtim;
	file->gone = false;
	all->bytes += file->bytes;
	all->left = ++all->count;
}

static void list_files(struct kept_files *all, int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!entries && fd >= 0)
		close(fd);
	while (entries && all->count < FILES_MAX && (entry = readdir(entries))) {
		take_kept(all, fd, entry->d_name);
		/* delete temporary files left by handlers that were killed */
		struct stat about;
		if ((strncmp(entry->d_name, ".crash-report-", 14) == 0 ||
		     strncmp(entry->d_name, ".crash-core-", 12) == 0) &&
		    fstatat(fd, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(about.st_mode) &&
		    difftime(time(NULL), about.st_mtime) > (double)STALE_SECONDS)
			unlinkat(fd, entry->d_name, 0);
	}
	if (entries)
		closedir(entries);
}

static int compare_kept(const void *left, const void *right)
{
	const struct kept_file *a = left, *b = right;

	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec < b->time.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * Return the oldest file of the user whose files have the most bytes, or NULL if there are no
 * files.
 */
static struct kept_file *choose_victim(const struct kept_files *all)
{
	struct kept_file *victim = NULL, *oldest = NULL;
	uint64_t most = 0, bytes = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct kept_file *file = &all->file[i];
		if (i == 0 || file->user != all->file[i - 1].user) {
			oldest = NULL;
			bytes = 0;
		}
		if (file->gone)
			continue;
		oldest = oldest ? oldest : file;
		bytes += file->bytes;
		if (bytes > most) {
			most = bytes;
			victim = oldest;
		}
	}
	return victim;
}

size_t crash_store_trim(const struct crash_store *store, int directory,
                        const struct crash_bounds *bounds, bool at_least)
{
	struct kept_files all = { .file = calloc(FILES_MAX, sizeof(*all.file)) };
	struct kept_file *victim;
	size_t removed = 0;

	if (!all.file)
		return 0;
	list_files(&all, directory);
	qsort(all.file, all.count, sizeof(*all.file), compare_kept);
	for (size_t i = 0; i < all.count; i++) /* never delete the current report */
		all.file[i].gone |= strcmp(all.file[i].name, store->name) == 0;
	while (removed < REMOVED_MAX && (all.left > bounds->files || all.bytes > bounds->bytes ||
	                                 (at_least && removed == 0))) {
		victim = choose_victim(&all);
		if (!victim)
			break;
		removed += unlinkat(directory, victim->name, 0) == 0;
		victim->gone = true;
		all.bytes -= victim->bytes;
		all.left--;
	}
	free(all.file);
	return removed;
}
